-- nn.NCEModule: a linear layer over many classes that is trained by noise-contrastive estimation: the class of each row
-- is told from k classes that are drawn by their frequencies.

local torch = require 'torch'
local uniform_init = require 'nn.uniform_init'
local check = require 'torch.base.check'
local batch_and_classes = require('nn.expect').batch_and_classes

return function(nn)
   local NCE, parent = torch.class('nn.NCEModule', 'nn.Module', nn)

   -- `unigrams` are frequencies or probabilities of the classes, and Z the sum that scores are divided by; without it
   -- the first batch tells one.
   function NCE:__init(inputSize, outputSize, k, unigrams, Z)
      parent.__init(self)
      check.integer('NCEModule', 'inputSize', inputSize, 1, 2 ^ 53)
      check.integer('NCEModule', 'outputSize', outputSize, 1, 2 ^ 53)
      self.k = check.integer('NCEModule', 'k', k or 25, 1, 2 ^ 53)
      check.tensor('NCEModule', 'unigrams', unigrams)
      if unigrams:dim() ~= 1 or unigrams:size(1) ~= outputSize then
         check.fail('NCEModule', 'unigrams must have %d elements (got %s)', outputSize, check.describe(unigrams))
      end
      self.unigrams = torch.Tensor(outputSize):copy(unigrams)
      if not (self.unigrams:min() >= 0 and self.unigrams:sum() > 0) then
         check.fail('NCEModule', 'unigrams must be at least 0, with a positive sum')
      end
      self.unigrams:div(self.unigrams:sum())
      self.Z = torch.Tensor { Z or -1 }
      self.weight, self.gradWeight = torch.Tensor(outputSize, inputSize), torch.zeros(outputSize, inputSize)
      self.bias, self.gradBias = torch.Tensor(outputSize), torch.zeros(outputSize)
      -- Whether all rows of a batch share their noise; whether evaluation gives the probabilities of all classes, and
      -- whether their logarithms.
      self.batchnoise, self.normalized, self.logsoftmax = true, false, false
      self.output, self.gradInput = {}, { torch.Tensor(), torch.Tensor() }
      self:reset()
   end

   function NCE:reset(stdv)
      stdv = uniform_init(self, stdv, self.weight:size(2))
      self.weight:uniform(-stdv, stdv)
      self.bias:uniform(-stdv, stdv)
      return self
   end

   -- The batch and its classes as a LongTensor.
   local function parts(self, input)
      local x, target = batch_and_classes(self, input, self.weight:size(2))
      local classes = self.weight:size(1)
      target = target:long()
      local low, high = target:min(), target:max()
      if low < 1 or high > classes then
         check.fail(self, 'classes must be from 1 to %d (got %d to %d)', classes, low, high)
      end
      return x, target
   end

   -- Draws classes by their frequencies: k for all rows, or k for each of `rows`.
   function NCE:noiseSample(rows)
      local count = self.batchnoise and self.k or self.k * rows
      local drawn = torch.multinomial(self.unigrams:double(), count, true)
      return self.batchnoise and drawn or drawn:view(rows, self.k)
   end

   -- Scores of the classes of each row: the elements of x W' + b at these places.
   local function scores_of(self, x, classes)
      local rows, k = x:size(1), classes:size(2)
      local weights = self.weight:index(1, classes:view(-1)):view(rows, k, x:size(2))
      local scores = torch.bmm(weights, x:view(rows, x:size(2), 1)):view(rows, k)
      return scores:add(self.bias:index(1, classes:view(-1)):view(rows, k))
   end

   local function all_classes(self, x)
      local scores = torch.mm(x, self.weight:t())
      scores:add(self.bias:view(1, -1):expandAs(scores))
      local module = self.logsoftmax and nn.LogSoftMax() or nn.SoftMax()
      return module:type(self.weight:type()):forward(scores)
   end

   function NCE:updateOutput(input)
      local x, target = parts(self, input)
      if self.train == false and self.normalized then
         self.output = all_classes(self, x)
         return self.output
      end
      local rows, k = x:size(1), self.k
      local noise = self:noiseSample(rows)
      self.target, self.noise = target, noise
      local of_noise
      if self.batchnoise then
         of_noise = torch.mm(x, self.weight:index(1, noise):t())
         of_noise:add(self.bias:index(1, noise):view(1, k):expandAs(of_noise))
      else
         of_noise = scores_of(self, x, noise)
      end
      of_noise:exp()
      if self.Z[1] <= 0 then self.Z[1] = of_noise:mean() * self.weight:size(1) end
      local of_target = scores_of(self, x, target:view(rows, 1)):view(rows):exp():div(self.Z[1])
      local frequency = self.unigrams:index(1, noise:view(-1))
      frequency = self.batchnoise and frequency:view(1, k):expand(rows, k) or frequency:view(rows, k)
      self.output = { of_target, of_noise:div(self.Z[1]), self.unigrams:index(1, target), frequency:clone() }
      return self.output
   end

   -- Gradients of the scores of the classes and of the noise.
   local function score_gradients(self, gradOutput)
      local output = self.output
      if torch.isTensor(output) or not self.noise then check.fail(self, 'backward called before forward with noise') end
      check.kind(self, 'gradOutput', gradOutput, 'table')
      for i = 1, 2 do
         check.tensor(self, 'gradOutput[' .. i .. ']', gradOutput[i])
         if not gradOutput[i]:isSameSizeAs(output[i]) then
            check.fail(self, 'gradOutput[%d] must have the sizes of output[%d] (got %s)', i, i,
               check.describe(gradOutput[i]))
         end
      end
      return torch.cmul(gradOutput[1], output[1]), torch.cmul(gradOutput[2], output[2])
   end

   function NCE:updateGradInput(input, gradOutput)
      local x = parts(self, input)
      local d_target, d_noise = score_gradients(self, gradOutput)
      local rows, n = x:size(1), x:size(2)
      local gradient = self.weight:index(1, self.target):cmul(d_target:view(rows, 1):expand(rows, n))
      if self.batchnoise then
         gradient:addmm(d_noise, self.weight:index(1, self.noise))
      else
         local weights = self.weight:index(1, self.noise:view(-1)):view(rows, self.k, n)
         gradient:add(torch.bmm(d_noise:view(rows, 1, self.k), weights):view(rows, n))
      end
      self.gradInput = { gradient, input[2].new():resizeAs(input[2]):zero() }
      return self.gradInput
   end

   function NCE:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      local x = parts(self, input)
      local d_target, d_noise = score_gradients(self, gradOutput)
      local rows, n, k = x:size(1), x:size(2), self.k
      local function add(classes, gradients, biases)
         self.gradWeight:indexAdd(1, classes, gradients:mul(scale))
         self.gradBias:indexAdd(1, classes, torch.mul(biases, scale))
      end
      add(self.target, torch.cmul(x, d_target:view(rows, 1):expand(rows, n)), d_target)
      if self.batchnoise then
         add(self.noise, torch.mm(d_noise:t(), x), d_noise:sum(1):view(k))
      else
         local outer = torch.bmm(d_noise:view(rows, k, 1), x:contiguous():view(rows, 1, n))
         add(self.noise:view(-1), outer:view(rows * k, n), d_noise:view(-1))
      end
   end

   function NCE:clearState()
      self.output, self.gradInput = {}, { self.weight.new(), self.weight.new() }
      self.noise, self.target = nil, nil
      return self
   end

   function NCE:__tostring__()
      return ('nn.NCEModule(%d -> %d, k = %d)'):format(self.weight:size(2), self.weight:size(1), self.k)
   end
end
