-- Modules that draw, and are trained by a reward: what they draw follows a distribution whose parameters are the input,
-- and the gradient is -reward times that of the logarithm of the probability (Williams, 1992).

local torch = require 'torch'
local check = require 'torch.core.check'

return function(nn)
   local Reinforce, base = torch.class('nn.Reinforce', 'nn.Module', nn)

   -- `stochastic` draws in evaluation, too.
   function Reinforce:__init(stochastic)
      base.__init(self)
      self.stochastic = stochastic or false
   end

   -- The reward of each sample.
   function Reinforce:reinforce(reward)
      check.dimensions(self, 'reward', reward, 1, 1)
      self.reward = reward
   end

   function Reinforce:draws() return self.train ~= false or self.stochastic end

   -- Multiplies the gradient of each sample by its reward, with the sign for descent.
   function Reinforce:rewarded(gradient)
      if not self.reward then check.fail(self, 'reward expected, by reinforce(reward), before backward') end
      local rows = gradient:dim() == 1 and gradient:view(1, -1) or gradient:view(gradient:size(1), -1)
      if self.reward:nElement() ~= rows:size(1) then
         check.refuse(self, 'reward', ('a tensor of %d elements'):format(rows:size(1)), self.reward)
      end
      rows:cmul(self.reward:view(-1, 1):typeAs(rows):expandAs(rows)):mul(-1)
      return gradient
   end

   local Normal, parent = torch.class('nn.ReinforceNormal', 'nn.Reinforce', nn)

   -- Normally distributed around the input, with this deviation.
   function Normal:__init(stdev, stochastic)
      parent.__init(self, stochastic)
      self.stdev = check.number('ReinforceNormal', 'deviation', stdev)
   end

   function Normal:updateOutput(input)
      check.real(self, 'input', input)
      self.output:resizeAs(input)
      if self:draws() then
         self.output:normal():mul(self.stdev):add(input)
      else
         self.output:copy(input)
      end
      return self.output
   end

   function Normal:updateGradInput(input)
      self.gradInput:resizeAs(input):copy(self.output):add(-1, input):div(self.stdev ^ 2)
      return self:rewarded(self.gradInput)
   end

   local Bernoulli = torch.class('nn.ReinforceBernoulli', 'nn.Reinforce', nn)

   function Bernoulli:updateOutput(input)
      check.real(self, 'input', input)
      self.output:resizeAs(input)
      if self:draws() then
         self.output:copy(torch.lt(torch.rand(input:size()):typeAs(input), input))
      else
         self.output:copy(input)
      end
      return self.output
   end

   function Bernoulli:updateGradInput(input)
      -- (x - p) / (p (1 - p))
      local variance = input:clone():mul(-1):add(1):cmul(input):add(1e-12)
      self.gradInput:resizeAs(input):copy(self.output):add(-1, input):cdiv(variance)
      return self:rewarded(self.gradInput)
   end

   local Categorical = torch.class('nn.ReinforceCategorical', 'nn.Reinforce', nn)

   -- Draws one class for each row of probabilities, as a row with a single 1.
   function Categorical:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 2, 2)
      self.output:resizeAs(input)
      if self:draws() then
         self.index = torch.multinomial(input, 1)
         self.output:zero():scatter(2, self.index, 1)
      else
         self.output:copy(input)
      end
      return self.output
   end

   function Categorical:updateGradInput(input)
      self.gradInput:resizeAs(input):copy(self.output):cdiv(input + 1e-12)
      return self:rewarded(self.gradInput)
   end
end
