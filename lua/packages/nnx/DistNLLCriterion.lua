-- nn.DistNLLCriterion: minus the sum of target * log p, for target distributions: of a vector, or summed over a batch.
-- options: inputIsADistance, inputIsProbability, inputIsLogProbability, targetIsProbability; other inputs and targets
-- go through a softmax.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Dist, parent, nn)

   function Dist:__init(options)
      parent.__init(self)
      options = options == nil and {} or check.kind('DistNLLCriterion', 'options', options, 'table')
      self.inputIsADistance = options.inputIsADistance or false
      self.inputIsProbability = options.inputIsProbability or false
      self.inputIsLogProbability = options.inputIsLogProbability or false
      self.targetIsProbability = options.targetIsProbability == nil or options.targetIsProbability
      self.targetSoftMax, self.inputLogSoftMax, self.inputLog = nn.SoftMax(), nn.LogSoftMax(), nn.Log()
      self.gradLogInput, self.input = torch.Tensor(), torch.Tensor()
   end

   -- The module between the input and the logarithms of its probabilities, if there is one.
   local function logarithm_of(self)
      if self.inputIsLogProbability then return nil end
      return self.inputIsProbability and self.inputLog or self.inputLogSoftMax
   end

   -- Sets logProbInput and probTarget, the logarithms of the probabilities of the input and those of the target.
   function Dist:normalize(input, target)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 1, 2)
      check.same_size(self, 'target', target, input)
      local p = target:typeAs(input)
      self.probTarget = self.targetIsProbability and p or self.targetSoftMax:updateOutput(p)
      self.input = self.inputIsADistance and torch.mul(input, -1) or input
      local logarithm = logarithm_of(self)
      self.logProbInput = logarithm and logarithm:updateOutput(self.input) or self.input
   end

   -- Sets gradInput from gradLogInput, the gradient at logProbInput.
   function Dist:denormalize()
      local logarithm = logarithm_of(self)
      self.gradInput = logarithm and logarithm:updateGradInput(self.input, self.gradLogInput) or self.gradLogInput
      if self.inputIsADistance then self.gradInput:mul(-1) end
   end

   function Dist:updateOutput(input, target)
      self:normalize(input, target)
      self.output = -torch.cmul(self.logProbInput, self.probTarget):sum()
      return self.output
   end

   function Dist:updateGradInput(input, target)
      self:normalize(input, target)
      self.gradLogInput:resizeAs(input):copy(self.probTarget):mul(-1)
      self:denormalize()
      return self.gradInput
   end
end
