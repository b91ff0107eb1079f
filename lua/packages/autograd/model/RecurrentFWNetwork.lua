-- RecurrentFWNetwork{inputFeatures, hiddenFeatures, outputType, lambda, eta, S, LayerNorm}: fast weights A, which decay
-- by lambda and learn the hidden state by eta, are applied S + 1 times within a step.

local torch = require 'torch'
local common, tape = require 'autograd.model.common', require 'autograd.tape'

-- Rows without their mean, divided by their standard deviation.
local function normalized(h)
   local size = tape.unwrap(h):size()
   local n = size[2]
   local centered = h - torch.expand(torch.mean(h, 2), size)
   local variance = torch.sum(torch.cmul(centered, centered) / n, 2)
   return torch.cdiv(centered, torch.expand(torch.sqrt(variance + 1e-5), size))
end

return function(options, params)
   options, params = options or {}, params or {}
   local inputs, hidden = options.inputFeatures or 10, options.hiddenFeatures or 100
   local decay, rate, inner = options.lambda or 0.9, options.eta or 0.5, options.S or 1
   params[#params + 1] = { W = torch.zeros(inputs + hidden, hidden), b = torch.zeros(1, hidden) }

   local function start(state, x, batch)
      return { h = state.h or common.zeros(x, batch, hidden), A = state.A or common.zeros(x, batch, hidden, hidden) }
   end

   local function step(p, x, state, batch)
      local column = torch.view(state.h, batch, hidden, 1)
      local fast = decay * state.A + rate * torch.bmm(column, torch.transpose(column, 2, 3))
      local dots = torch.cat(x, state.h, 2) * p.W + torch.expand(p.b, batch, hidden)
      local h = common.zeros(tape.unwrap(x), batch, hidden)
      for _ = 0, inner do
         h = dots + torch.view(torch.bmm(fast, torch.view(h, batch, hidden, 1)), batch, hidden)
         -- The original's option LayerNorm cannot be switched off.
         h = torch.clamp(normalized(h), 0, math.huge)
      end
      return { h = h, A = fast }
   end

   local f = common.recurrent(hidden, options.outputType or 'last', start, step)
   return function(...)
      local h, state = f(...)
      -- As in the original, the fast weights are reset with the next sequence.
      return h, { h = state.h }
   end, params
end
