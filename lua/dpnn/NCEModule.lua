-- nn.NCEModule: a linear layer over many classes that is trained by noise-contrastive estimation: the class of each row
-- is told from k classes that are drawn by their frequencies.

local torch = require 'torch'
local draw_parameters, keep_type = require 'nn.draw_parameters', require 'nn.keep_type'
local check, warn = require 'torch.base.check', require 'torch.base.warn'
local batch_and_classes = require('nn.expect').batch_and_classes

return function(NCE, parent, nn)

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
      -- Whether all rows of a batch share noise samples, and whether evaluation returns the probabilities of all
      -- classes, or their logarithms.
      self.batchnoise, self.normalized, self.logsoftmax = true, false, false
      self.output, self.gradInput = {}, { torch.Tensor(), torch.Tensor() }
      self:reset()
   end

   -- The version of the latest original.
   NCE.version = 6

   function NCE:reset(stdv)
      draw_parameters(nn, self, stdv, self.weight:size(2))
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

   local function index_tensor(self, value)
      if torch.type(value) ~= 'torch.LongTensor' then check.refuse(self, 'classes', 'a LongTensor', value) end
   end

   -- A slot per number, and whether to draw its class or the alias. torch.multinomialAlias uses other aliases than the
   -- tables define, as Torch7 did.
   local function alias_draw(tables, count)
      local function uniform() return torch.DoubleTensor(count):uniform() end
      local slots = uniform():mul(tables.classes:size(1)):floor():add(1):long()
      local own = uniform():le(tables.share:index(1, slots))
      local drawn = tables.other:index(1, slots):maskedCopy(own, slots:maskedSelect(own))
      return tables.classes:index(1, drawn)
   end

   -- Fills a LongTensor with rows of k classes that are drawn by their frequencies.
   function NCE:noiseSample(sampleidx, rows, k)
      index_tensor(self, sampleidx)
      check.size(self, 'rows', rows)
      check.size(self, 'k', k)
      if self._alias then
         sampleidx:resize(rows * k):copy(alias_draw(self._alias, rows * k))
      else
         sampleidx:resize(rows * k):copy(torch.multinomial(self.unigrams:double(), rows * k, true))
      end
      return sampleidx:resize(rows, k)
   end

   -- The frequencies of drawn classes, into sampleprob.
   function NCE:noiseProb(sampleprob, sampleidx)
      check.same_type(self, 'frequencies', sampleprob, self.unigrams)
      index_tensor(self, sampleidx)
      return sampleprob:resize(sampleidx:size()):copy(self.unigrams:index(1, sampleidx:contiguous():view(-1)))
   end

   -- Draws by the alias method from now on: the time per class no longer depends on the number of classes. The random
   -- numbers differ.
   function NCE:fastNoise()
      local classes = self.unigrams:gt(0):nonzero():view(-1)
      local shares = self.unigrams:double():index(1, classes)
      local tables = torch.multinomialAliasSetup(shares:div(shares:sum()))
      self._alias = { classes = classes, other = tables[1], share = tables[2] }
      return self
   end

   -- The original put parts of the weight on two GPUs.
   function NCE:multicuda()
      warn.once('multicuda: not needed: the weight of an nn.NCEModule stays on one device')
      return self
   end

   -- Scores of the classes of each row: the elements of x W' + b at these indices.
   local function scores_of(self, x, classes)
      local rows, k = x:size(1), classes:size(2)
      local weights = self.weight:index(1, classes:view(-1)):view(rows, k, x:size(2))
      local scores = torch.bmm(weights, x:view(rows, x:size(2), 1)):view(rows, k)
      return scores:add(self.bias:index(1, classes:view(-1)):view(rows, k))
   end

   -- Scores of the same classes for all rows.
   local function shared_scores(x, weight, bias)
      local scores = torch.mm(x, weight:t())
      return scores:add(bias:view(1, -1):expandAs(scores))
   end

   local function all_classes(self, x)
      local module = self.logsoftmax and nn.LogSoftMax() or nn.SoftMax()
      return module:type(self.weight:type()):forward(shared_scores(x, self.weight, self.bias))
   end

   function NCE:updateOutput(input)
      local x, target = parts(self, input)
      if self.train == false and self.normalized then
         self.output = all_classes(self, x)
         return self.output
      end
      local rows, k = x:size(1), self.k
      local noise = self:noiseSample(torch.LongTensor(), self.batchnoise and 1 or rows, k)
      if self.batchnoise then noise = noise:view(k) end
      self.target, self.noise = target, noise
      local of_noise
      if self.batchnoise then
         of_noise = shared_scores(x, self.weight:index(1, noise), self.bias:index(1, noise))
      else
         of_noise = scores_of(self, x, noise)
      end
      of_noise:exp()
      if self.Z[1] <= 0 then self.Z[1] = of_noise:mean() * self.weight:size(1) end
      local of_target = scores_of(self, x, target:view(rows, 1)):view(rows):exp():div(self.Z[1])
      local frequency = self:noiseProb(self.unigrams.new(), noise)
      if self.batchnoise then frequency = frequency:view(1, k):expand(rows, k):clone() end
      self.output = { of_target, of_noise:div(self.Z[1]), self:noiseProb(self.unigrams.new(), target), frequency }
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

   -- The tables of fastNoise keep their types.
   keep_type(NCE, parent, '_alias')

   function NCE:clearState()
      self.output, self.gradInput = {}, { self.weight.new(), self.weight.new() }
      self.noise, self.target = nil, nil
      return self
   end

   function NCE:__tostring__()
      return ('nn.NCEModule(%d -> %d, k = %d)'):format(self.weight:size(2), self.weight:size(1), self.k)
   end
end
