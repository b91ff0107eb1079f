-- nn.NCEModule: a linear layer over many classes that is trained by noise-contrastive estimation: it learns to tell the
-- class of each row from k noise classes, which are drawn by their frequencies.

local torch = require 'torch'
local check, warn, mixins = require 'torch.base.check', require 'torch.base.warn', require 'nn.module.mixins'
local batch_and_classes = require('nn.checks.expect').batch_and_classes

return function(NCE, parent, nn)

   NCE.dpnn_parameters = { 'weight', 'bias', 'unigrams', 'Z' }
   NCE.dpnn_mediumEmpty = { 'output', 'gradInput', 'momGradParams', 'dpnn_input', 'sampleidx', 'sampleprob' }

   -- `unigrams` are frequencies or probabilities of the classes, and Z is the normalization of the scores; without it
   -- the first batch determines it.
   function NCE:__init(inputSize, outputSize, k, unigrams, Z)
      check.integer('NCEModule', 'inputSize', inputSize, 1, 2 ^ 53)
      check.integer('NCEModule', 'outputSize', outputSize, 1, 2 ^ 53)
      parent.__init(self, inputSize, outputSize)
      self.k = check.integer('NCEModule', 'k', k or 25, 1, 2 ^ 53)
      check.tensor('NCEModule', 'unigrams', unigrams)
      if unigrams:dim() ~= 1 or unigrams:size(1) ~= outputSize then
         check.fail('NCEModule', 'unigrams must have %d elements (got %s)', outputSize, check.describe(unigrams))
      end
      -- The program's tensor is divided by its sum, if it is of the type of the module.
      local same = unigrams:type() == torch.getdefaulttensortype()
      self.unigrams = same and unigrams or torch.Tensor(outputSize):copy(unigrams)
      if not (self.unigrams:min() >= 0 and self.unigrams:sum() > 0) then
         check.fail('NCEModule', 'unigrams must be at least 0, with a positive sum')
      end
      self.Z = torch.Tensor { Z or -1 }
      -- Whether all rows of a batch share noise samples. With the fields normalized and logsoftmax evaluation gives
      -- the probabilities of all classes, or their logarithms.
      self.batchnoise = true
      self:fastNoise()
      self.output = { torch.Tensor(), torch.Tensor(), torch.Tensor(), torch.Tensor() }
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   -- The version of the latest original of Element-Research.
   NCE.version = 6

   -- Without a bound the bias is such that scores sum up to about 1.
   function NCE:reset(stdv)
      local bound = stdv or 1 / math.sqrt(self.weight:size(2))
      self.weight:uniform(-bound, bound)
      if stdv then self.bias:uniform(-bound, bound) else self.bias:fill(-math.log(self.bias:size(1))) end
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
      return x:contiguous(), target
   end

   local function index_tensor(self, value)
      if torch.type(value) ~= 'torch.LongTensor' then check.argument_error(self, 'classes', 'a LongTensor', value) end
   end

   -- Fills a LongTensor with rows of k classes that are drawn by their frequencies.
   function NCE:noiseSample(sampleidx, rows, k)
      index_tensor(self, sampleidx)
      check.size(self, 'rows', rows)
      check.size(self, 'k', k)
      return self.aliasmultinomial:batchdraw(sampleidx:resize(rows, k))
   end

   -- The frequencies of drawn classes, into sampleprob.
   function NCE:noiseProb(sampleprob, sampleidx)
      check.tensor(self, 'frequencies', sampleprob)
      index_tensor(self, sampleidx)
      return sampleprob:resize(sampleidx:size()):copy(self.unigrams:index(1, sampleidx:contiguous():view(-1)))
   end

   -- Draws by the alias method: the time per class does not depend on the number of classes. To be called again after
   -- a change of the unigrams.
   function NCE:fastNoise()
      require 'torchx'
      self.unigrams:div(self.unigrams:sum())
      self.aliasmultinomial = torch.AliasMultinomial(self.unigrams)
      self.aliasmultinomial.dpnn_parameters = { 'J', 'q' }
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

   -- Draws the noise. The field sampleidx has the classes of noise and then those of the batch, or with noise of their
   -- own for each row the row's class and then its noise.
   local function draw(self, target)
      local rows, k = target:size(1), self.k
      local noise = self:noiseSample(torch.LongTensor(), self.batchnoise and 1 or rows, k)
      if self.batchnoise then
         self.sampleidx = torch.LongTensor(k + rows)
         self.sampleidx:narrow(1, 1, k):copy(noise)
         self.sampleidx:narrow(1, k + 1, rows):copy(target)
      else
         self.sampleidx = torch.LongTensor(rows, k + 1)
         self.sampleidx:select(2, 1):copy(target)
         self.sampleidx:narrow(2, 2, k):copy(noise)
      end
   end

   -- The classes of the latest forward: those of the batch, and those of noise.
   local function drawn(self)
      local all, k = self.sampleidx, self.k
      if not torch.isTensor(all) or torch.isTensor(self.output) then
         check.fail(self, 'backward called before forward with noise')
      end
      if all:dim() == 2 then return all:select(2, 1):contiguous(), all:narrow(2, 2, k):contiguous() end
      return all:narrow(1, k + 1, all:size(1) - k), all:narrow(1, 1, k)
   end

   function NCE:updateOutput(input)
      local x, target = parts(self, input)
      if self.train == false and self.normalized then
         self.output = all_classes(self, x)
         return self.output
      end
      local rows, k = x:size(1), self.k
      draw(self, target)
      self.output = {}
      local _, noise = drawn(self)
      local of_noise
      if self.batchnoise then
         of_noise = shared_scores(x, self.weight:index(1, noise), self.bias:index(1, noise))
      else
         of_noise = scores_of(self, x, noise)
      end
      of_noise:exp()
      local of_target = scores_of(self, x, target:view(rows, 1)):view(rows):exp()
      if self.Z[1] <= 0 then
         -- With separate noise for each row, the class of the row counts too.
         local sum, count = of_noise:sum(), of_noise:nElement()
         if not self.batchnoise then sum, count = sum + of_target:sum(), count + rows end
         self.Z[1] = sum / count * self.weight:size(1)
         _G.print('normalization constant Z approximated to ' .. self.Z[1])
      end
      self.sampleprob = self:noiseProb(self.unigrams.new(), self.sampleidx)
      local all = self.sampleprob:type(self.weight:type())
      local frequencies = { all:dim() == 2 and all:select(2, 1) or all:narrow(1, k + 1, rows),
         all:dim() == 2 and all:narrow(2, 2, k) or all:narrow(1, 1, k):view(1, k):expand(rows, k) }
      self.output = { of_target:div(self.Z[1]), of_noise:div(self.Z[1]), frequencies[1], frequencies[2] }
      return self.output
   end

   -- Gradients of the scores of the classes and of the noise.
   local function score_gradients(self, gradOutput)
      local output = self.output
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
      local target, noise = drawn(self)
      local d_target, d_noise = score_gradients(self, gradOutput)
      local rows, n = x:size(1), x:size(2)
      local gradient = self.weight:index(1, target):cmul(d_target:view(rows, 1):expand(rows, n))
      if self.batchnoise then
         gradient:addmm(d_noise, self.weight:index(1, noise))
      else
         local weights = self.weight:index(1, noise:view(-1)):view(rows, self.k, n)
         gradient:add(torch.bmm(d_noise:view(rows, 1, self.k), weights):view(rows, n))
      end
      self.gradInput = { gradient, gradient.new(input[2]:size()):zero() }
      return self.gradInput
   end

   function NCE:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      local x = parts(self, input)
      local target, noise = drawn(self)
      local d_target, d_noise = score_gradients(self, gradOutput)
      local rows, n, k = x:size(1), x:size(2), self.k
      local function add(classes, gradients, biases)
         self.gradWeight:indexAdd(1, classes, gradients:mul(scale))
         self.gradBias:indexAdd(1, classes, torch.mul(biases, scale))
      end
      add(target, torch.cmul(x, d_target:view(rows, 1):expand(rows, n)), d_target)
      if self.batchnoise then
         add(noise, torch.mm(d_noise:t(), x), d_noise:sum(1):view(k))
      else
         local outer = torch.bmm(d_noise:view(rows, k, 1), x:view(rows, 1, n))
         add(noise:view(-1), outer:view(rows * k, n), d_noise:view(-1))
      end
   end

   -- The frequencies and the tables of fastNoise keep their types.
   mixins.keep_type(NCE, parent, 'unigrams', 'aliasmultinomial')

   function NCE:clearState()
      self.output, self.gradInput = {}, { self.weight.new(), self.weight.new() }
      return self
   end
end
