-- nn.DistNLLCriterion: minus the sum of target * log p, for target distributions, in the mean over a batch.
-- options: inputIsProbability, inputIsLogProbability, targetIsProbability, sizeAverage; other inputs and
-- targets go through a softmax.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Dist, parent, nn)

   function Dist:__init(options)
      parent.__init(self)
      options = options == nil and {} or check.kind('DistNLLCriterion', 'options', options, 'table')
      self.inputIsLogProbability = options.inputIsLogProbability or false
      self.inputIsProbability = options.inputIsProbability or self.inputIsLogProbability
      self.targetIsProbability = options.targetIsProbability or false
      self.sizeAverage = options.sizeAverage == nil or options.sizeAverage
      self.targetSoftMax, self.inputLogSoftMax = nn.SoftMax(), nn.LogSoftMax()
   end

   -- Sets logProbInput and probTarget, the logarithms of the probabilities of the input and those of the target.
   function Dist:normalize(input, target)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 1, 2)
      check.same_size(self, 'target', target, input)
      local p = target:typeAs(input)
      self.probTarget = self.targetIsProbability and p or self.targetSoftMax:updateOutput(p)
      if self.inputIsLogProbability then
         self.logProbInput = input
      else
         self.logProbInput = self.inputIsProbability and torch.log(input) or self.inputLogSoftMax:updateOutput(input)
      end
   end

   -- Sets gradInput from gradLogInput, the gradient at logProbInput.
   function Dist:denormalize(input)
      local gradient = check.same_size(self, 'gradLogInput', self.gradLogInput, input)
      if not self.inputIsLogProbability then
         gradient = self.inputIsProbability and torch.cdiv(gradient, input) or
            self.inputLogSoftMax:updateGradInput(input, gradient)
      end
      self.gradInput:resizeAs(input):copy(gradient)
   end

   local function share_of(self, input) return self.sizeAverage and input:dim() == 2 and 1 / input:size(1) or 1 end

   function Dist:updateOutput(input, target)
      self:normalize(input, target)
      self.output = -torch.cmul(self.logProbInput, self.probTarget):sum() * share_of(self, input)
      return self.output
   end

   function Dist:updateGradInput(input, target)
      self:normalize(input, target)
      self.gradLogInput = torch.mul(self.probTarget, -share_of(self, input))
      self:denormalize(input)
      return self.gradInput
   end
end
