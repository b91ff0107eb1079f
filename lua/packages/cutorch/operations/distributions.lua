-- Random numbers by the device's generator; a generator passed by the program is the CPU's.

local device_buffers, geometry = require 'torch.memory.device_buffers', require 'torch.base.geometry'
local parts = require 'cutorch.operations.parts'
local no_overlap, result_view, view = device_buffers.no_overlap, device_buffers.result, device_buffers.view
local numel, same_size, mark_written = geometry.numel, geometry.same_size, device_buffers.mark_written
local operation, fallback = parts.operation, parts.fallback

-- Tells whether the parameters of a distribution are valid; for others the CPU raises the errors.
local fits = {
   uniform = function(a, b) return a <= b end,
   normal = function(_, b) return b > 0 end,
   exponential = function(a) return a > 0 end,
   cauchy = function(_, b) return b > 0 end,
   geometric = function(a) return a > 0 and a < 1 end,
   bernoulli = function(a) return a >= 0 and a <= 1 end,
   -- Of integers that all types hold.
   random = function(a, b) return a ~= nil and a % 1 == 0 and (b or a) % 1 == 0 and a >= 0 and (b or a) <= 127 end,
}

return function(operations)
   operations['random.distributions.fill'] = function(c)
      local T, fit = c.T, fits[c.name]
      if not fit or T.name == 'Half' or T.integer and c.name ~= 'bernoulli' and c.name ~= 'random' then return nil end
      local run = operation(c.name)
      return function(r, generator, a, b)
         if generator ~= nil or numel(r) == 0 or not no_overlap(r) or not fit(a, b) then return fallback end
         if c.name == 'random' then
            if not b then a, b = 1, a end
            if a > b then return fallback end
         end
         local z = result_view(r, T)
         local done
         if b then done = z and run(z, a, b) else done = z and run(z, a) end
         if not done then return fallback end
         mark_written(r, T)
         return r
      end
   end

   -- 1 with a probability for each element.
   local function bernoulli(c)
      local T, run = c.T, operation 'bernoulli_each'
      if T.integer or T.name == 'Half' or c.signature ~= 'R [G] t' then return nil end
      return function(r, generator, p)
         if generator ~= nil or numel(r) == 0 or not no_overlap(r) or not same_size(r, p)
            or r._memory == p._memory then
            return fallback
         end
         local z, each = result_view(r, T), view(p, T)
         if not z or not each or not run(z, each) then return fallback end
         mark_written(r, T)
         return r
      end
   end
   operations['random.distributions.bernoulli_float'] = bernoulli
   operations['random.distributions.bernoulli_double'] = bernoulli
end
