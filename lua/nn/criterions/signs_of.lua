-- Targets that are 1 or -1: a number, or a tensor with one for each sample.

local expect = require 'nn.expect'

local others = {}

-- The targets as a contiguous vector of the type of k, `count` of them.
return function(self, k, target, count, like)
   local signs
   if type(target) == 'number' then
      signs = like.new(count):fill(target)
   else
      signs = expect.tensor(self, target, 'target'):type(k.TYPE):contiguous():view(-1)
   end
   if k.count(signs) ~= count then
      expect.fail(self, 'target must have %d numbers of 1 or -1 (got %s)', count, expect.describe(target))
   end
   others[k] = others[k] or k.total 'a = absolute x; q = equal a 1; z = select q 0 1'
   if others[k](k.ptr(signs), nil, nil, count) > 0 then
      for i = 1, count do
         if signs[i] ~= 1 and signs[i] ~= -1 then expect.fail(self, 'target must be 1 or -1 (got %g)', signs[i]) end
      end
   end
   return signs
end
