-- Modules that draw, and are trained by a reward: their output follows a distribution whose parameters are the input,
-- and the gradient is -reward times that of the logarithm of the probability (Williams, 1992).

local torch = require 'torch'
local check = require 'torch.base.check'

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

   -- The reward of each sample for each element of a tensor.
   function Reinforce:rewardAs(input)
      check.tensor(self, 'input', input)
      if not self.reward then check.fail(self, 'backward called before reinforce(reward)') end
      local sizes = input:size():fill(1)
      if self.reward:nElement() ~= input:size(1) then
         check.refuse(self, 'reward', ('a tensor of %d elements'):format(input:size(1)), self.reward)
      end
      sizes[1] = input:size(1)
      return self.reward:typeAs(input):contiguous():view(sizes):expandAs(input)
   end

   function Reinforce:draws() return self.train ~= false or self.stochastic end

   -- Multiplies the gradient of each sample by its reward, with the sign for descent.
   function Reinforce:rewarded(gradient)
      if not self.reward then check.fail(self, 'backward called before reinforce(reward)') end
      local rows = gradient:dim() == 1 and gradient:view(1, -1) or gradient:view(gradient:size(1), -1)
      if self.reward:nElement() ~= rows:size(1) then
         check.refuse(self, 'reward', ('a tensor of %d elements'):format(rows:size(1)), self.reward)
      end
      rows:cmul(self.reward:view(-1, 1):typeAs(rows):expandAs(rows)):mul(-1)
      return gradient
   end

   local Normal, parent = torch.class('nn.ReinforceNormal', 'nn.Reinforce', nn)

   -- Normally distributed around the input, with this deviation; without one the input is { means, deviations }.
   function Normal:__init(stdev, stochastic)
      parent.__init(self, stochastic)
      if stdev ~= nil then
         self.stdev = check.number('ReinforceNormal', 'deviation', stdev)
      else
         self.gradInput = { torch.Tensor(), torch.Tensor() }
      end
   end

   local function mean_of(self, input)
      if self.stdev then return (check.real(self, 'input', input)) end
      check.kind(self, 'input', input, 'table')
      check.real(self, 'means', input[1])
      check.same_size(self, 'deviations', input[2], input[1])
      return input[1]
   end

   function Normal:updateOutput(input)
      local mean = mean_of(self, input)
      self.output:resizeAs(mean)
      if self:draws() then
         self.output:normal()
         if self.stdev then self.output:mul(self.stdev) else self.output:cmul(input[2]) end
         self.output:add(mean)
      else
         self.output:copy(mean)
      end
      return self.output
   end

   -- (x - mean) / deviation^2, and for deviations ((x - mean)^2 - deviation^2) / deviation^3
   function Normal:updateGradInput(input)
      local mean = mean_of(self, input)
      local difference = torch.add(self.output, -1, mean)
      if self.stdev then
         self.gradInput:resizeAs(mean):copy(difference):div(self.stdev ^ 2)
         return self:rewarded(self.gradInput)
      end
      local variance = torch.cmul(input[2], input[2])
      self.gradInput = {
         self:rewarded(torch.cdiv(difference, variance)),
         self:rewarded(torch.cmul(difference, difference):add(-1, variance):cdiv(variance:cmul(input[2]))),
      }
      return self.gradInput
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
