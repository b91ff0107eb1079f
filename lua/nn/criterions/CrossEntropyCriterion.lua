-- nn.CrossEntropyCriterion: LogSoftMax and ClassNLLCriterion in one.

local torch = require 'torch'
local expect, mixins = require 'nn.checks.expect', require 'nn.module.mixins'

return function(CrossEntropyCriterion, parent, nn)

   function CrossEntropyCriterion:__init(weights, sizeAverage, ignoreIndex)
      parent.__init(self)
      self.lsm = nn.LogSoftMax()
      self.nll = nn.ClassNLLCriterion(weights, sizeAverage, ignoreIndex)
      self.sizeAverage = self.nll.sizeAverage
      self.oldSizeAverage = self.sizeAverage
   end

   -- Without dimensions of size 1; a vector at least.
   local function squeezed(self, input, target)
      expect.tensor(self, input)
      -- Programs set the field of this criterion.
      if self.sizeAverage ~= self.oldSizeAverage then
         self.nll.sizeAverage = self.sizeAverage
         self.oldSizeAverage = self.sizeAverage
      end
      local x = input:squeeze()
      if not torch.isTensor(x) then x = input:contiguous():view(1) end
      if type(target) ~= 'number' then
         local t = expect.tensor(self, target, 'target'):squeeze()
         if not torch.isTensor(t) then t = x:dim() == 1 and t or torch.Tensor { t } end
         target = t
      end
      -- A batch of one.
      if type(target) ~= 'number' and x:dim() == 1 and target:nElement() == 1 then
         target = target:contiguous():view(1)
      end
      return x, target
   end

   function CrossEntropyCriterion:updateOutput(input, target)
      local x, t = squeezed(self, input, target)
      self.lsm:updateOutput(x)
      self.nll:updateOutput(self.lsm.output, t)
      self.output = self.nll.output
      return self.output
   end

   function CrossEntropyCriterion:updateGradInput(input, target)
      local x, t = squeezed(self, input, target)
      if not torch.isTensor(self.lsm.output) or self.lsm.output:nElement() ~= x:nElement() then
         expect.fail(self, 'backward called before forward on this input')
      end
      self.nll:updateGradInput(self.lsm.output, t)
      self.lsm:updateGradInput(x, self.nll.gradInput)
      self.gradInput:view(self.lsm.gradInput, input:size())
      return self.gradInput
   end

   -- Files of old versions lack these fields.
   function CrossEntropyCriterion:read(file)
      mixins.read_fields(self, file)
      if self.sizeAverage == nil then
         self.sizeAverage = self.nll.sizeAverage
         self.oldSizeAverage = self.sizeAverage
      end
   end
end
