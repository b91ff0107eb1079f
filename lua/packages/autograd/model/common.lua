-- What the constructors of networks share.

local ipairs = ipairs
local torch = require 'torch'
local functionalize = require('autograd.nnwrapper').functionalize
local tape = require 'autograd.tape'

local common = {}

-- The layers one after the other; parameters[i] is where those of layer i are.
function common.sequence(layers, parameters)
   return function(params, x)
      for i, layer in ipairs(layers) do
         local k = parameters[i]
         if k then x = layer(params[k], x) else x = layer(x) end
      end
      return x
   end
end

-- nn's classes as functions, or cudnn's where there is a GPU.
function common.library(cuda) return functionalize(cuda and 'cudnn' or 'nn') end

-- Adds a layer, and its parameters if it has any.
function common.add(layers, params, parameters, layer, its)
   layers[#layers + 1] = layer
   if not its then return end
   params[#params + 1] = its
   parameters[#layers] = #params
end

-- A recurrent network: step(p, xt, state, batch, t) gives the next state, a table whose h is the output. A sequence of
-- one sample gets a batch of one. The result is the last output or all, and the last state.
function common.recurrent(hidden, output, start, step)
   return function(params, x, state, layers)
      local p = params[1] or params
      if tape.unwrap(x):dim() == 2 then x = torch.view(x, 1, torch.size(x, 1), torch.size(x, 2)) end
      local batch, outputs = torch.size(x, 1), {}
      state = state or {}
      for t = 1, torch.size(x, 2) do
         state = step(p, torch.select(x, 2, t), start(state, tape.unwrap(x), batch), batch, t, layers)
         outputs[t] = state.h
      end
      if output == 'last' then return state.h, state, layers end
      for t, h in ipairs(outputs) do outputs[t] = torch.view(h, batch, 1, hidden) end
      return torch.cat(outputs, 2), state, layers
   end
end

-- Zeros of the type of x.
function common.zeros(x, ...) return x.new(...):zero() end

return common
