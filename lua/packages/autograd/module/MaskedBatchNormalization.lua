-- MaskedBatchNormalization{nOutputs, momentum}: f(params, x, mask, state, eps) normalizes the columns of batch x time x
-- features where mask is 1, and keeps running averages in `state`, the third result, unless its train is 0.

local torch = require 'torch'
local tape = require 'autograd.tape'

return function(options, params)
   options, params = options or {}, params or {}
   local n = options.nOutputs or 10
   local averages = { momentum = options.momentum or 0.1, train = 1, running_mean = torch.zeros(1, n),
      running_std = torch.ones(1, n) }
   params[#params + 1] = { gain = torch.zeros(1, n):fill(0.1), bias = torch.zeros(1, n) }

   local function as_rows(x)
      local dims = tape.unwrap(x):dim()
      if dims == 3 then return torch.view(x, -1, torch.size(x, 3)) end
      return dims == 1 and torch.view(x, 1, torch.size(x, 1)) or x
   end

   local function f(its, x, mask, state, eps)
      local p, rows = its[1] or its, as_rows(x)
      local momentum = (state.momentum or 0.1) * (state.train or 1)
      local size = tape.unwrap(rows):size()
      local count, kept = torch.sum(mask), torch.expand(as_rows(mask), size)
      local masked = torch.cmul(rows, kept)
      -- Values that are kept between calls are plain tensors, not Values.
      state.running_mean = momentum * tape.unwrap(torch.sum(masked / count, 1)) + (1 - momentum) * state.running_mean
      -- The original centers by the running standard deviation, not by the mean.
      local centered = torch.cmul(masked - torch.expand(state.running_std, size), kept)
      local std = torch.sqrt(torch.sum(torch.cmul(centered, centered) / count, 1) + (eps or 1e-5))
      local running_std = momentum * std + (1 - momentum) * state.running_std
      state.running_std = tape.unwrap(running_std)
      local y = torch.cdiv(centered, torch.expand(running_std, size))
      y = torch.cmul(y, torch.expand(p.gain, size)) + torch.expand(p.bias, size)
      return torch.view(y, tape.unwrap(x):size())
   end

   return f, params, averages
end
