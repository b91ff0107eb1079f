-- nn.TemporalRowConvolution: a kernel of kW frames for each feature. Features that come first are planes.

local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local geometry = require 'nn.checks.geometry'
local convolution_engine = require 'nn.kernels.convolution_engine'
local row_convolution = require 'nn.kernels.row_convolution'
local convolution_layer = require 'nn.convolution.convolution_layer'
local initialization, mixins = require 'nn.module.initialization', require 'nn.module.mixins'

return function(Conv, parent, nn)

   function Conv:__init(inputFrameSize, kW, dW, featFirst)
      parent.__init(self)
      self.inputFrameSize, self.kW, self.dW = inputFrameSize, kW, dW or 1
      self.weight, self.bias = torch.Tensor(inputFrameSize, 1, kW), torch.Tensor(inputFrameSize)
      self.gradWeight, self.gradBias = torch.zeros(inputFrameSize, 1, kW), torch.zeros(inputFrameSize)
      self.featFirst = featFirst and true or false
      self:reset()
   end

   function Conv:reset(stdv) initialization.uniform(nn, self, stdv, self.kW * self.inputFrameSize) end

   mixins.no_bias(Conv)

   local planes, rows, wanted = convolution_engine.shape(), row_convolution.shape_t(), {}

   -- Checks a call and fills both shapes; returns the dimensions of x and the numbers of sequences and outputs.
   local function prepare(self, k, x)
      local n, features = x._dim, self.inputFrameSize
      if n ~= 2 and n ~= 3 then
         expect.fail(self, 'input must have two or three dimensions (got %s)', expect.describe(x))
      end
      local feature = self.featFirst and n - 2 or n - 1
      local time = self.featFirst and n - 1 or n - 2
      if x._size[feature] ~= features then
         expect.fail(self, 'input must have %d features (got %s)', features, expect.describe(x))
      end
      local frames, kW, dW = x._size[time], self.kW, self.dW
      geometry.integer(self, 'kW', kW, 1)
      geometry.integer(self, 'dW', dW, 1)
      if frames < kW then expect.fail(self, 'input must have at least %d frames (got %s)', kW, expect.describe(x)) end
      if not k.is(self.weight) or k.numel(self.weight) ~= features * kW then
         expect.fail(self, 'weight must have %d elements of type %s (got %s)', features * kW, k.TYPE,
            expect.describe(self.weight))
      end
      if self.bias and not (k.is(self.bias) and k.numel(self.bias) == features) then
         expect.fail(self, 'bias must have %d elements of type %s (got %s)', features, k.TYPE,
            expect.describe(self.bias))
      end
      local outputs = math.floor((frames - kW) / dW) + 1
      local sequences = n == 3 and x._size[0] or 1
      planes.images, planes.groups, planes.image[2], planes.map[2] = sequences, features, frames, outputs
      planes.kernel[2], planes.stride[2] = kW, outputs > 1 and dW or 1
      rows.sequences, rows.frames, rows.features, rows.kernel = sequences, frames, features, kW
      rows.stride, rows.outputs = dW, outputs
      if n == 3 then wanted[1] = sequences end
      wanted[feature + 1], wanted[time + 1] = features, outputs
      return n, sequences, outputs
   end

   function Conv:updateOutput(input)
      local k = kernel.of(self, input)
      local n = prepare(self, k, input)
      local x, weight, bias = k.as_contiguous(input), k.as_contiguous(self.weight), self.bias
         and k.as_contiguous(self.bias)
      self.output = geometry.resized(k, self.output, wanted, n)
      if self.featFirst then
         convolution_engine.correlate(k, planes, x, weight, bias, self.output)
      else
         row_convolution.forward(k, rows, x, weight, bias, self.output)
      end
      return self.output
   end

   function Conv:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      geometry.check_gradient(self, k, gradOutput, wanted, (prepare(self, k, input)))
      local g, weight = k.as_contiguous(gradOutput), k.as_contiguous(self.weight)
      self.gradInput = k.resize_as(self.gradInput, input)
      if self.featFirst then
         convolution_engine.correlate_transposed(k, planes, g, weight, nil, self.gradInput)
      else
         row_convolution.back(k, rows, g, weight, self.gradInput)
      end
      return self.gradInput
   end

   function Conv:accGradParameters(input, gradOutput, scale)
      local k = kernel.of(self, input)
      local n, sequences, outputs = prepare(self, k, input)
      scale = scale or 1
      geometry.check_gradient(self, k, gradOutput, wanted, n)
      convolution_layer.check_gradients(self, k, self.gradWeight, self.gradBias)
      local x, g, gw = k.as_contiguous(input), k.as_contiguous(gradOutput), k.as_contiguous(self.gradWeight)
      if self.featFirst then
         convolution_engine.add_weight_gradient(k, planes, x, g, gw, scale)
      else
         row_convolution.add_weight_gradient(k, rows, x, g, gw, scale)
      end
      if gw ~= self.gradWeight then self.gradWeight:copy(gw) end
      if not self.bias then return end
      local gb, features = k.as_contiguous(self.gradBias), self.inputFrameSize
      if self.featFirst then
         convolution_engine.sum_planes(k, sequences, 1, features, outputs, scale, g, gb)
      else
         k.add_rows(sequences * outputs, features, scale, k.ptr(g), k.ptr(gb))
         k.keep_alive(g, gb)
      end
      if gb ~= self.gradBias then self.gradBias:copy(gb) end
   end

   function Conv:__tostring__()
      local s = string.format('%s(%d, %d', torch.type(self), self.inputFrameSize, self.kW)
      if self.dW ~= 1 then s = string.format('%s, %d', s, self.dW) end
      return s .. ')' .. (self.bias == nil and ' without bias' or '')
   end
end
