-- RecurrentNetwork{inputFeatures, hiddenFeatures, outputType = 'last' | 'all'}: h = tanh([x h] W + b).

local torch = require 'torch'
local common = require 'autograd.model.common'

return function(options, params)
   options, params = options or {}, params or {}
   local inputs, hidden = options.inputFeatures or 10, options.hiddenFeatures or 100
   params[#params + 1] = { W = torch.zeros(inputs + hidden, hidden), b = torch.zeros(1, hidden) }

   local function start(state, x, batch) return { h = state.h or common.zeros(x, batch, hidden) } end

   local function step(p, x, state, batch)
      return { h = torch.tanh(torch.cat(x, state.h, 2) * p.W + torch.expand(p.b, batch, hidden)) }
   end

   return common.recurrent(hidden, options.outputType or 'last', start, step), params
end
