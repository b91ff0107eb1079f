-- nn.VRClassReward: rewards a network for the right class, less a baseline that it learns: input { scores, baseline }.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'
local mixins = require 'nn.module.mixins'

return function(Reward, parent, nn)

   -- `module` gets the rewards; each right answer counts `scale`.
   function Reward:__init(module, scale, criterion)
      parent.__init(self)
      expect.instance_of('nn.Module', 'VRClassReward', 'argument 1', module)
      self.module, self.scale = module, scale or 1
      self.criterion, self.sizeAverage = criterion or nn.MSECriterion(), true
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   function Reward:updateOutput(input, target)
      check.kind(self, 'input', input, 'table')
      local scores = check.dimensions(self, 'scores', input[1], 1, 2)
      check.dimensions(self, 'target', target, 1, 2)
      local _, class = scores:max(scores:dim())
      self.reward = torch.eq(class:view(-1), target:long()):typeAs(scores):mul(self.scale)
      self.output = -self.reward:sum() / (self.sizeAverage and self.reward:size(1) or 1)
      return self.output
   end

   function Reward:updateGradInput(input)
      local baseline = input[2]
      self.vrReward = self.reward:clone():add(-1, baseline)
      if self.sizeAverage then self.vrReward:div(self.reward:size(1)) end
      self.module:reinforce(self.vrReward)
      self.gradInput[1]:resizeAs(input[1]):zero()
      self.gradInput[2] = self.criterion:backward(baseline, self.reward:viewAs(baseline))
      return self.gradInput
   end

   mixins.keep_type(Reward, parent, 'module')
end
