-- nn.Reinforce: the base of modules that draw, and are trained by a reward. Their output follows a distribution whose
-- parameters are the input; the gradient is -reward times that of the log probability (Williams, 1992).

local check = require 'torch.base.check'

return function(Reinforce, parent)

   -- `stochastic` draws in evaluation, too.
   function Reinforce:__init(stochastic)
      parent.__init(self)
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
      if self.reward:nElement() ~= input:size(1) then
         check.argument_error(self, 'reward', string.format('a tensor of %d elements', input:size(1)), self.reward)
      end
      local sizes = input:size():fill(1)
      sizes[1] = input:size(1)
      return self.reward:typeAs(input):contiguous():view(sizes):expandAs(input)
   end

   -- Parameters of the distribution with the sizes of `like`: those of a single sample are repeated for the batch.
   function Reinforce:forBatch(parameters, like)
      if parameters:dim() + 1 ~= like:dim() then return parameters end
      return parameters:contiguous():view(1, unpack(parameters:size():totable())):expandAs(like)
   end

   function Reinforce:draws() return self.train ~= false or self.stochastic end

   -- Multiplies the gradient of each sample by its reward, with the sign for descent.
   function Reinforce:rewarded(gradient)
      local rows = gradient:dim() == 1 and gradient:view(1, -1) or gradient
      rows:cmul(self:rewardAs(rows)):mul(-1)
      return gradient
   end
end
