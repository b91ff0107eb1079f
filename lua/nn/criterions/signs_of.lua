-- Targets that are 1 or -1: a number, or a tensor with one for each sample.

local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local lazy_table = require 'torch.jit.lazy_table'

local counts = lazy_table(function(k) return k.total 'z = where(absolute(x) == 1, 1, 0)' end)

-- How many of the signs are 1 or -1.
local function valid(signs, count)
   local k = kernel.of_type(signs)
   if not k or k.T.base then return signs:eq(1):sum() + signs:eq(-1):sum() end
   local total = counts[k](k.ptr(signs), nil, nil, count)
   k.keep_alive(signs)
   return total
end

-- The targets as a vector of the type of `like`, `count` of them.
return function(self, target, count, like)
   local signs
   if type(target) == 'number' then
      signs = like.new(1):fill(target)
   else
      signs = expect.tensor(self, target, 'target'):type(like:type()):contiguous():view(-1)
   end
   if signs:nElement() ~= count then
      if signs:nElement() ~= 1 or type(target) ~= 'number' then
         expect.fail(self, 'target must have %d numbers of 1 or -1 (got %s)', count, expect.describe(target))
      end
      signs = signs:expand(count):clone()
   end
   -- Looked for one by one where there is another.
   for i = 1, valid(signs, count) < count and count or 0 do
      if signs[i] ~= 1 and signs[i] ~= -1 then expect.fail(self, 'target must be 1 or -1 (got %g)', signs[i]) end
   end
   return signs
end
