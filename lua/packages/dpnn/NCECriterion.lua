-- nn.NCECriterion: the loss of nn.NCEModule's output, { model of class, model of noise, frequency of class, frequency
-- of noise }: minus the logarithms of the probabilities of telling a class from k noise classes.

local torch = require 'torch'
local check = require 'torch.base.check'

-- Added to divisors.
local EPSILON = 1e-7

return function(Criterion, parent)

   function Criterion:__init()
      parent.__init(self)
      self.sizeAverage = true
      self.gradInput = { torch.Tensor(), torch.Tensor(), torch.Tensor(), torch.Tensor() }
   end

   local function parts(self, input)
      check.kind(self, 'input', input, 'table')
      for i = 1, 4 do
         check.tensor(self, 'input[' .. i .. ']', input[i])
         local dims, x = 2 - i % 2, input[i]
         if x:dim() ~= dims or not x:isSameSizeAs(input[dims]) or x:size(1) ~= input[1]:size(1) then
            check.fail(self, 'input must be batch, batch x k, batch and batch x k (got %s as input[%d])',
               check.describe(input[i]), i)
         end
      end
      local k = input[2]:size(2)
      return input[1], input[2], torch.mul(input[3], k), torch.mul(input[4], k)
   end

   function Criterion:updateOutput(input)
      local class, noise, class_frequency, noise_frequency = parts(self, input)
      local right = torch.cdiv(class, torch.add(class, class_frequency):add(EPSILON)):log():sum()
      local wrong = torch.cdiv(noise_frequency, torch.add(noise, noise_frequency):add(EPSILON)):log():sum()
      self.output = -(right + wrong) / (self.sizeAverage and class:size(1) or 1)
      return self.output
   end

   function Criterion:updateGradInput(input)
      local class, noise, class_frequency, noise_frequency = parts(self, input)
      local share = self.sizeAverage and 1 / class:size(1) or 1
      local of_class = torch.cdiv(class_frequency, torch.add(class, class_frequency):add(EPSILON))
      of_class:cdiv(class + EPSILON):mul(-share)
      local of_noise = torch.cdiv(noise, torch.add(noise, noise_frequency):add(EPSILON))
      of_noise:cdiv(noise + EPSILON):mul(share)
      self.gradInput = {
         of_class, of_noise, class.new(class:size()):zero(), noise.new(noise:size()):zero(),
      }
      return self.gradInput
   end
end
