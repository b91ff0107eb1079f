-- nn.AbstractSequencerCriterion: a criterion with a copy for each step of a sequence.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'

return function(Criterion, parent)

   -- sizeAverage divides by the number of steps. A class of a program may give the criterion later.
   function Criterion:__init(criterion, sizeAverage)
      parent.__init(self)
      local name = string.match(torch.type(self), '[%w_]+$')
      if criterion ~= nil then expect.instance_of('nn.Criterion', name, 'argument 1', criterion) end
      if torch.isTypeOf(criterion, 'nn.ModuleCriterion') then
         check.fail(name, 'a ModuleCriterion cannot be inside; decorate the %s with nn.ModuleCriterion instead', name)
      end
      self.criterion, self.clones, self.gradInput = criterion, { criterion }, {}
      self.sizeAverage = sizeAverage or false
   end

   -- Backward uses the state that forward left: each step has a copy.
   function Criterion:getStepCriterion(step)
      check.size(self, 'step', step)
      if not self.clones[step] then
         local criterion = self.criterion or self.clones[1]
         if not criterion then check.fail(self, 'there is no criterion') end
         self.clones[step] = criterion:clone()
      end
      return self.clones[step]
   end

   -- A mask of steps x batch; false for none.
   function Criterion:setZeroMask(mask)
      if mask == false then
         for _, criterion in pairs(self.clones) do criterion:setZeroMask(false) end
         return
      end
      check.dimensions(self, 'mask', mask, 2, 99)
      for step = 1, mask:size(1) do self:getStepCriterion(step):setZeroMask(mask[step]) end
   end
end
