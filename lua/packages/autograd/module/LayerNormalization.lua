-- LayerNormalization{nOutputs}: f(params, x, eps) takes the mean from each row of x and divides by the standard
-- deviation, then multiplies by gain and adds bias.

local torch = require 'torch'
local tape = require 'autograd.tape'

return function(options, params)
   local n = options and options.nOutputs or 10
   params = params or {}
   params[#params + 1] = { gain = torch.ones(1, n), bias = torch.zeros(1, n) }

   local function f(its, x, eps)
      local p, rows = its[1] or its, x
      if tape.unwrap(x):dim() == 1 then rows = torch.view(x, 1, torch.size(x, 1)) end
      local size = tape.unwrap(rows):size()
      local centered = rows - torch.expand(torch.mean(rows, 2), size)
      local variance = torch.sum(torch.cmul(centered, centered) / size[2], 2)
      local y = torch.cdiv(centered, torch.expand(torch.sqrt(variance + (eps or 1e-5)), size))
      y = torch.cmul(y, torch.expand(p.gain, size)) + torch.expand(p.bias, size)
      return torch.view(y, tape.unwrap(x):size())
   end

   return f, params
end
