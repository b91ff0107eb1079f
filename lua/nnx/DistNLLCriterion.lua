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

   local function normalize(self, input, target)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 1, 2)
      check.same_size(self, 'target', target, input)
      local p = target:typeAs(input)
      if not self.targetIsProbability then p = self.targetSoftMax:updateOutput(p) end
      if self.inputIsLogProbability then return input, p end
      if self.inputIsProbability then return torch.log(input), p end
      return self.inputLogSoftMax:updateOutput(input), p
   end

   local function share_of(self, input) return self.sizeAverage and input:dim() == 2 and 1 / input:size(1) or 1 end

   function Dist:updateOutput(input, target)
      local logs, p = normalize(self, input, target)
      self.output = -torch.cmul(logs, p):sum() * share_of(self, input)
      return self.output
   end

   function Dist:updateGradInput(input, target)
      local _, p = normalize(self, input, target)
      local gradient = torch.mul(p, -share_of(self, input))
      if not self.inputIsLogProbability then
         gradient = self.inputIsProbability and gradient:cdiv(input) or
            self.inputLogSoftMax:updateGradInput(input, gradient)
      end
      self.gradInput:resizeAs(input):copy(gradient)
      return self.gradInput
   end
end
