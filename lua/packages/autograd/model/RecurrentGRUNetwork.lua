-- RecurrentGRUNetwork{inputFeatures, hiddenFeatures, outputType}: the columns of W are the reset and the update gate; V
-- computes the new value.

local torch = require 'torch'
local common = require 'autograd.model.common'

return function(options, params)
   options, params = options or {}, params or {}
   local inputs, hidden = options.inputFeatures or 10, options.hiddenFeatures or 100
   params[#params + 1] = {
      W = torch.zeros(inputs + hidden, 2 * hidden), b = torch.zeros(1, 2 * hidden),
      V = torch.zeros(inputs + hidden, hidden), c = torch.zeros(1, hidden),
   }

   local function start(state, x, batch) return { h = state.h or common.zeros(x, batch, hidden) } end

   local function step(p, x, state, batch)
      local h = state.h
      local dots = torch.cat(x, h, 2) * p.W + torch.expand(p.b, batch, 2 * hidden)
      local gates = torch.sigmoid(torch.view(dots, batch, 2, hidden))
      local reset, update = torch.select(gates, 2, 1), torch.select(gates, 2, 2)
      local value = torch.tanh(torch.cat(x, torch.cmul(h, reset), 2) * p.V + torch.expand(p.c, batch, hidden))
      return { h = torch.cmul(1 - update, h) + torch.cmul(update, value) }
   end

   return common.recurrent(hidden, options.outputType or 'last', start, step), params
end
