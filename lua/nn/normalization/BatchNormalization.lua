-- nn.BatchNormalization, and its classes for images and volumes: each feature or plane less its mean over the batch,
-- over its standard deviation; then times a weight and plus a bias where it is affine.

local ceil, huge, ipairs, type = math.ceil, math.huge, ipairs, type
local ffi = require 'ffi'
local torch = require 'torch'
local native, parallel_for = require 'torch.native.native', require 'torch.parallel.parallel_for'
local batch_code, lazy_table = require 'nn.kernels.batch_code', require 'torch.jit.lazy_table'
local expect, kernel = require 'nn.expect', require 'nn.kernel'
local fail, describe = expect.fail, expect.describe
local cast = ffi.cast
local byte_p, null = ffi.typeof 'char *', ffi.cast('char *', 0)

local rows_of = kernel.load 'kernels.batch_rows'
local run_parts = parallel_for.kind('nn.kernels.batch_chunks', 'run')

-- Nanoseconds for an element, and for the calls of a plane.
local ELEMENT, CALLS = 1.5, 200

-- The most parts of a call; planes of fewer elements are done in rows.
local PARTS, SMALL = 8, 64

-- The structs of types.
local structs = lazy_table(function(k)
   local g = ffi.new 't7_nn_batch'
   for _, name in ipairs { 'add', 'subtract', 'multiply' } do
      g[name].fn, g[name].data = native.raw_loop(name, k.T, k.T, k.T)
   end
   g.dot, g.axpy = native.routine('blas', k.T, 'dot'), native.routine('blas', k.T, 'axpy')
   -- Null without vectors.
   g.sums, g.gradient = batch_code.sums(k.T), batch_code.gradient(k.T)
   g.type = k.T.index
   return g
end)

return function(Norm, parent, _, name)

   local dimensions = { BatchNormalization = 2, SpatialBatchNormalization = 4, VolumetricBatchNormalization = 5 }
   Norm.nDim = dimensions[name]
   if name ~= 'BatchNormalization' then return end

   Norm.__version = 2

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
      if not k.is(t) or k.count(t) ~= n then
         fail(self, '%s must have %d elements of type %s (got %s)', field, n, k.TYPE, describe(t))
      end
      if not k.contiguous(t) then
         t = k.plain(t)
         self[field] = t
      end
      return t
   end

   local function pointer(k, t) return t == nil and null or cast(byte_p, k.ptr(t)) end

   -- Sets the struct; returns it, and the number of features. A batch of one has no deviation of its own: it is
   -- normalized as in evaluation, and leaves the running values alone.
   local function set(self, k, x)
      local single = x._dim < self.nDim
      local g, images, n = structs[k], single and 1 or x._size[0], x._size[single and 0 or 1]
      g.images, g.planes, g.area = images, n, k.count(x) / (images * n)
      g.eps, g.momentum, g.train = self.eps, self.momentum, (self.train == false or images == 1) and 0 or 1
      g.running_mean = pointer(k, vector(self, k, 'running_mean', n))
      g.running_var = pointer(k, vector(self, k, 'running_var', n))
      local affine = self.weight ~= nil
      g.weight = pointer(k, affine and vector(self, k, 'weight', n) or nil)
      g.bias = pointer(k, self.bias ~= nil and vector(self, k, 'bias', n) or nil)
      if affine and self.bias == nil then fail(self, 'bias must be there with a weight') end
      return g, n
   end

   -- The formulas for large planes are in nn/kernels/batch_kernels.lua, the planes in chunks.
   local function compute(k, g, n)
      if g.area < SMALL then
         local rows = rows_of(k)
         if g.back == 1 then rows.backward(g) else rows.forward(g) end
         return
      end
      run_parts(n, ceil(n / PARTS), n * (CALLS + g.images * g.area * ELEMENT), g)
   end

   function Norm:updateOutput(input)
      local k = kernel.of(self, input)
      self:checkInputDim(input)
      local x, y = k.plain(input), k.like(self.output, input)
      if self.train ~= false then
         local n = input._size[1]
         self.save_mean, self.save_std = k.sized(self.save_mean, n), k.sized(self.save_std, n)
      end
      local g, n = set(self, k, input)
      g.back, g.x, g.y = 0, pointer(k, x), pointer(k, y)
      g.save_mean, g.save_std = pointer(k, self.save_mean), pointer(k, self.save_std)
      compute(k, g, n)
      k.alive(x, y)
      return y
   end

   -- Gradients that are wanted: of the input, and of the parameters times a scale.
   local function backward(self, input, gradOutput, scale, to_input, to_parameters)
      local k = kernel.of(self, input)
      self:checkInputDim(input)
      expect.grad_output(self, k, gradOutput, self.output)
      if not k.same_size(input, gradOutput) then
         fail(self, 'gradOutput must be of the size of the input, %s (got %s)', expect.shape(input),
            describe(gradOutput))
      end
      local g, n = set(self, k, input)
      if self.train ~= false then
         g.save_mean = pointer(k, vector(self, k, 'save_mean', n))
         g.save_std = pointer(k, vector(self, k, 'save_std', n))
      end
      local x, go, r = k.plain(input), k.plain(gradOutput), nil
      if to_input then
         r = k.like(self.gradInput, input)
         self.gradInput = r
         -- The gradient of the input is written before all of these are read.
         if k.shares(r, x) then x = k.T.clone(x) end
         if k.shares(r, go) then go = k.T.clone(go) end
      end
      local affine = to_parameters and self.weight ~= nil
      g.back, g.x, g.y, g.r, g.scale = 1, pointer(k, x), pointer(k, go), pointer(k, r), scale
      g.grad_weight = pointer(k, affine and vector(self, k, 'gradWeight', n) or nil)
      g.grad_bias = pointer(k, affine and vector(self, k, 'gradBias', n) or nil)
      compute(k, g, n)
      k.alive(x, go, r)
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
      return ('%s (%dD) (%d)'):format(torch.type(self), self.nDim, self.running_mean:nElement())
   end
end
