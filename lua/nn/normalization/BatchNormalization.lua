-- nn.BatchNormalization, and its classes for images and volumes: each feature or plane less its mean over the batch,
-- over its standard deviation; then times a weight and plus a bias where it is affine.

local huge, type = math.huge, type
local ffi = require 'ffi'
local torch, lazy_table = require 'torch', require 'torch.jit.lazy_table'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local lib = require 'torch.native.kernels' 'nn/batch_norm'
local fail, describe = expect.fail, expect.describe

-- The arguments of calls, and the kernels, by type.
local calls = lazy_table(function() return ffi.new 't7_batch_norm' end)
local forward = kernel.functions(lib, 't7_batch_norm_forward')
local backward_of = kernel.functions(lib, 't7_batch_norm_backward')

return function(Norm, parent, nn, name)

   local dimensions = { BatchNormalization = 2, SpatialBatchNormalization = 4, VolumetricBatchNormalization = 5 }
   Norm.nDim = dimensions[name]
   if name ~= 'BatchNormalization' then return end

   function Norm:__init(nOutput, eps, momentum, affine)
      parent.__init(self)
      if type(nOutput) ~= 'number' or not (nOutput >= 1 and nOutput < huge) then
         fail(self, 'nOutput must be at least 1 (got %s); (features, eps, momentum, false) is for no weight',
            describe(nOutput))
      end
      if affine ~= nil and type(affine) ~= 'boolean' then
         fail(self, 'affine must be true or false (got %s)', describe(affine))
      end
      self.affine = affine == nil or affine
      self.eps = expect.number(self, 'eps', eps or 1e-5)
      self.momentum, self.train = expect.number(self, 'momentum', momentum or 0.1), true
      self.running_mean, self.running_var = torch.zeros(nOutput), torch.ones(nOutput)
      if self.affine then
         self.weight, self.bias = torch.Tensor(nOutput), torch.Tensor(nOutput)
         self.gradWeight, self.gradBias = torch.zeros(nOutput), torch.zeros(nOutput)
         self:reset()
      end
   end

   function Norm:reset()
      if self.weight then self.weight:uniform() end
      if self.bias then self.bias:zero() end
      self.running_mean:zero()
      self.running_var:fill(1)
   end

   function Norm:checkInputDim(input)
      expect.tensor(self, input)
      local single = self.train == false and input:dim() == self.nDim - 1
      if input:dim() ~= self.nDim and not single then
         fail(self, 'only batches are supported: input must have %d dimensions (got %s), or be one sample after ' ..
            'evaluate()', self.nDim, describe(input))
      end
      local features, d = self.running_mean:nElement(), single and 1 or 2
      if input:size(d) ~= features then
         fail(self, 'input must have %d features in dimension %d (got %s)', features, d, describe(input))
      end
   end

   -- A vector of the module, checked and contiguous.
   local function vector(self, k, field, n)
      local t = self[field]
      if not k.is(t) or k.numel(t) ~= n then
         fail(self, '%s must have %d elements of type %s (got %s)', field, n, k.TYPE, describe(t))
      end
      return k.make_contiguous(t)
   end

   local function pointer(k, t) return t and k.ptr(t) or nil end

   -- Whether a batch has statistics of its own: as in Torch7, a single sample is treated as in evaluation, also one of
   -- several pixels.
   local function trains(self, x) return self.train ~= false and x._size[0] > 1 end

   -- A tensor of one sample as a batch of one, after evaluate(). As in the original, programs see the batch dimension
   -- in the output, in gradInput, and in a contiguous tensor itself, which may be the output of the module before.
   local function as_batch(self, k, t)
      if self.train ~= false or t._dim ~= self.nDim - 1 then return t end
      if k.contiguous(t) then return nn.utils.addSingletonDimension(t, t, 1) end
      return nn.utils.addSingletonDimension(k.as_contiguous(t), 1)
   end

   -- Sets the call; returns it, and the number of features.
   local function set(self, k, x)
      local c, images, n = calls[k], x._size[0], x._size[1]
      c.images, c.planes, c.area = images, n, k.numel(x) / (images * n)
      c.eps, c.momentum, c.train = self.eps, self.momentum, trains(self, x) and 1 or 0
      c.running_mean = pointer(k, vector(self, k, 'running_mean', n))
      c.running_var = pointer(k, vector(self, k, 'running_var', n))
      local affine = self.weight ~= nil
      c.weight = pointer(k, affine and vector(self, k, 'weight', n))
      c.bias = pointer(k, self.bias ~= nil and vector(self, k, 'bias', n))
      if affine and self.bias == nil then fail(self, 'bias must be there with a weight') end
      return c, n
   end

   function Norm:updateOutput(input)
      local k = kernel.of(self, input)
      self:checkInputDim(input)
      input = as_batch(self, k, input)
      local x, y = k.as_contiguous(input), k.resize_as(self.output, input)
      if trains(self, input) then
         local n = input._size[1]
         self.save_mean, self.save_std = k.resized(self.save_mean, n), k.resized(self.save_std, n)
      end
      local c = set(self, k, input)
      c.x, c.y = k.ptr(x), k.ptr(y)
      c.save_mean, c.save_std = pointer(k, self.save_mean), pointer(k, self.save_std)
      forward[k](c)
      k.keep_alive(x, y, self)
      return y
   end

   -- Gradients that are wanted: of the input, and of the parameters times a scale.
   local function backward(self, input, gradOutput, scale, to_input, to_parameters)
      local k = kernel.of(self, input)
      self:checkInputDim(input)
      if k.is(gradOutput) then gradOutput = as_batch(self, k, gradOutput) end
      input = as_batch(self, k, input)
      expect.grad_output(self, k, gradOutput, self.output)
      if not k.same_size(input, gradOutput) then
         fail(self, 'gradOutput must be of the size of the input, %s (got %s)', expect.shape(input),
            describe(gradOutput))
      end
      local c, n = set(self, k, input)
      if c.train == 1 then
         c.save_mean = pointer(k, vector(self, k, 'save_mean', n))
         c.save_std = pointer(k, vector(self, k, 'save_std', n))
      end
      local x, go, r = k.as_contiguous(input), k.as_contiguous(gradOutput), nil
      if to_input then
         r = k.resize_as(self.gradInput, input)
         self.gradInput = r
         -- The gradient of the input is written before all of these are read.
         if k.shares(r, x) then x = k.T.clone(x) end
         if k.shares(r, go) then go = k.T.clone(go) end
      end
      local affine = to_parameters and self.weight ~= nil
      c.x, c.g, c.r, c.scale = k.ptr(x), k.ptr(go), pointer(k, r), scale
      c.grad_weight = pointer(k, affine and vector(self, k, 'gradWeight', n))
      c.grad_bias = pointer(k, affine and vector(self, k, 'gradBias', n))
      backward_of[k](c)
      k.keep_alive(x, go, r, self)
      return self.gradInput
   end

   function Norm:backward(input, gradOutput, scale)
      return backward(self, input, gradOutput, scale or 1, self.gradInput ~= nil, true)
   end

   function Norm:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      return backward(self, input, gradOutput, 1, true, false)
   end

   function Norm:accGradParameters(input, gradOutput, scale)
      backward(self, input, gradOutput, scale or 1, false, true)
   end

   -- Modules of older versions keep the inverse of the standard deviation.
   function Norm:upgrade()
      if self.running_std then
         self.running_var = self.running_std:clone():pow(-2):add(-self.eps)
         self.running_std = nil
      end
      if self.affine == nil then self.affine = self.weight ~= nil end
   end

   function Norm:__tostring__()
      return string.format('%s (%dD) (%d)', torch.type(self), self.nDim, self.running_mean:nElement())
   end
end
