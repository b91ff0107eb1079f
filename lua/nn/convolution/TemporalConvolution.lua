-- nn.TemporalConvolution: outputs of frames from windows of kW frames, dW apart. A window is contiguous in memory, so
-- columns are rows of the input and a whole batch is one product.

local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local geometry, convolution_layer = require 'nn.checks.geometry', require 'nn.convolution.convolution_layer'
local initialization, mixins = require 'nn.module.initialization', require 'nn.module.mixins'

-- Scratch columns by type; the contents do not outlive a call.
local columns_of, gradients_of = {}, {}

return function(Conv, parent, nn)

   function Conv:__init(inputFrameSize, outputFrameSize, kW, dW)
      parent.__init(self)
      self.inputFrameSize, self.outputFrameSize, self.kW, self.dW = inputFrameSize, outputFrameSize, kW, dW or 1
      self.weight = torch.Tensor(outputFrameSize, inputFrameSize * kW)
      self.bias = torch.Tensor(outputFrameSize)
      self.gradWeight = torch.zeros(outputFrameSize, inputFrameSize * kW)
      self.gradBias = torch.zeros(outputFrameSize)
      self:reset()
   end

   function Conv:reset(stdv) initialization.uniform(nn, self, stdv, self.kW * self.inputFrameSize) end

   local wanted = {}

   -- Checks a call; returns the number of sequences, frames, output frames, and elements of a window.
   local function extent(self, k, x)
      local batch = x._dim == 3
      if x._dim ~= 2 and not batch then
         expect.fail(self, 'input must be frames x %d, or batch x frames x %d (got %s)', self.inputFrameSize,
            self.inputFrameSize, expect.describe(x))
      end
      local size, kW, dW = self.inputFrameSize, self.kW, self.dW
      if x._size[x._dim - 1] ~= size then
         expect.fail(self, 'frames must have %d elements (got %s)', size, expect.describe(x))
      end
      geometry.integer(self, 'kW', kW, 1)
      geometry.integer(self, 'dW', dW, 1)
      geometry.integer(self, 'outputFrameSize', self.outputFrameSize, 1)
      local frames = x._size[x._dim - 2]
      if frames < kW then expect.fail(self, 'input must have at least %d frames (got %s)', kW, expect.describe(x)) end
      local weight, bias = self.weight, self.bias
      if not k.is(weight) or k.numel(weight) ~= self.outputFrameSize * kW * size then
         expect.fail(self, 'weight must be of size %dx%d and type %s (got %s)', self.outputFrameSize,
            kW * size, k.TYPE, expect.describe(weight))
      end
      if not k.is(bias) or k.numel(bias) ~= self.outputFrameSize then
         expect.fail(self, 'bias must be of size %d and type %s (got %s)', self.outputFrameSize, k.TYPE,
            expect.describe(bias))
      end
      local sequences, outputs = batch and x._size[0] or 1, math.floor((frames - kW) / dW) + 1
      local n = 0
      if batch then n, wanted[1] = 1, sequences end
      wanted[n + 1], wanted[n + 2] = outputs, self.outputFrameSize
      return sequences, frames, outputs, kW * size, n + 2
   end

   -- The windows of all sequences, one per row.
   local function unfold(self, k, x, sequences, frames, outputs, window)
      local columns = k.resized(columns_of[k], sequences * outputs, window)
      columns_of[k] = columns
      local from, to, size = k.ptr(x), k.ptr(columns), self.inputFrameSize
      local step, bytes = self.dW * size, window * k.SIZE
      for q = 0, sequences * outputs - 1 do
         local s = math.floor(q / outputs)
         k.copy(to + q * window, from + (s * frames * size + (q - s * outputs) * step), bytes)
      end
      k.keep_alive(x)
      return columns
   end

   -- A contiguous tensor as a matrix.
   local function matrix(t, rows, columns) return t:view(rows, columns) end

   function Conv:updateOutput(input)
      local k = kernel.of(self, input)
      local sequences, frames, outputs, window, count = extent(self, k, input)
      local x, weight, bias = k.as_contiguous(input), k.as_contiguous(self.weight), k.as_contiguous(self.bias)
      local columns = unfold(self, k, x, sequences, frames, outputs, window)
      local y = geometry.resized(k, self.output, wanted, count)
      self.output = y
      local n = self.outputFrameSize
      k.set_rows(sequences * outputs, n, k.ptr(bias), k.ptr(y))
      k.product(matrix(y, sequences * outputs, n), 1, 1, false, columns, true, matrix(weight, n, window))
      k.keep_alive(bias, y)
      return y
   end

   function Conv:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local sequences, frames, outputs, window, count = extent(self, k, input)
      geometry.check_gradient(self, k, gradOutput, wanted, count)
      local g, weight = k.as_contiguous(gradOutput), k.as_contiguous(self.weight)
      local columns, n = k.resized(gradients_of[k], sequences * outputs, window), self.outputFrameSize
      gradients_of[k] = columns
      k.product(columns, 0, 1, false, matrix(g, sequences * outputs, n), false, matrix(weight, n, window))
      local r = k.resize_as(self.gradInput, input)
      local to, from, size = k.ptr(r), k.ptr(columns), self.inputFrameSize
      local step = self.dW * size
      k.fill(to, sequences * frames * size * k.SIZE)
      for q = 0, sequences * outputs - 1 do
         local s = math.floor(q / outputs)
         k.axpy(window, 1, from + q * window, to + (s * frames * size + (q - s * outputs) * step))
      end
      k.keep_alive(columns, r)
      return r
   end

   function Conv:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      local k = kernel.of(self, input)
      local sequences, frames, outputs, window, count = extent(self, k, input)
      geometry.check_gradient(self, k, gradOutput, wanted, count)
      local gradWeight, gradBias, n = self.gradWeight, self.gradBias, self.outputFrameSize
      convolution_layer.check_gradients(self, k, gradWeight, gradBias)
      local x, g = k.as_contiguous(input), k.as_contiguous(gradOutput)
      local columns = unfold(self, k, x, sequences, frames, outputs, window)
      local gw, gb = k.as_contiguous(gradWeight), k.as_contiguous(gradBias)
      k.product(matrix(gw, n, window), 1, scale, true, matrix(g, sequences * outputs, n), false, columns)
      k.add_rows(sequences * outputs, n, scale, k.ptr(g), k.ptr(gb))
      k.keep_alive(g, gb)
      if gw ~= gradWeight then gradWeight:copy(gw) end
      if gb ~= gradBias then gradBias:copy(gb) end
   end

   mixins.shared_update(Conv)

end
