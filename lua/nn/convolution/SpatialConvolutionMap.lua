-- nn.SpatialConvolutionMap and nn.SpatialFullConvolutionMap: a kernel for each pair of planes in a connection table.
-- All kernels of one plane of the unfolded image form a small dense convolution.

local torch = require 'torch'
local initialization = require 'nn.module.initialization'
local expect = require 'nn.checks.expect'
local kernel = require 'nn.kernels.kernel'
local convolution_engine = require 'nn.kernels.convolution_engine'
local convolution_layer = require 'nn.convolution.convolution_layer'
local geometry = require 'nn.checks.geometry'

return function(Conv, parent, _, name)

   local transposed = name == 'SpatialFullConvolutionMap'

   function Conv:__init(conMatrix, kW, kH, dW, dH)
      parent.__init(self)
      self.kW, self.kH, self.dW, self.dH = kW, kH, dW or 1, dH or 1
      if conMatrix:dim() ~= 2 or conMatrix:size(2) ~= 2 or conMatrix:min() < 1 or
         conMatrix:ne(conMatrix:clone():floor()):sum() > 0 then
         expect.argument_error(self, 'conMatrix', 'rows of an input and an output plane', conMatrix)
      end
      self.connTable = conMatrix
      self.nInputPlane, self.nOutputPlane = conMatrix:select(2, 1):max(), conMatrix:select(2, 2):max()
      self.weight = torch.Tensor(conMatrix:size(1), kH, kW)
      self.bias = torch.Tensor(self.nOutputPlane)
      self.gradWeight, self.gradBias = torch.zeros(self.weight:size()), torch.zeros(self.nOutputPlane)
      self:reset()
   end

   -- The range of each kernel follows from the number of kernels of its output.
   function Conv:reset(stdv)
      local outputs, inputs = self.connTable:select(2, 2), {}
      for o = 1, self.nOutputPlane do inputs[o] = 0 end
      for c = 1, outputs:size(1) do inputs[outputs[c]] = inputs[outputs[c]] + 1 end
      local function width(o) return initialization.bound(self, stdv, self.kW * self.kH * inputs[o]) end
      local function draw(t, w) t:apply(function() return torch.uniform(-w, w) end) end
      for c = 1, outputs:size(1) do draw(self.weight:select(1, c), width(outputs[c])) end
      for o = 1, self.nOutputPlane do draw(self.bias:narrow(1, o, 1), width(o)) end
   end

   -- The connections of each plane of the image: lists of kernel numbers and of planes of the map. Planes of the input
   -- that the table does not name have none.
   local function connections(self, count, input_planes)
      local t = self.connTable
      if not torch.isTensor(t) or t:dim() ~= 2 or t:size(2) ~= 2 or t:size(1) ~= count then
         expect.fail(self, 'connTable must be of size %dx2 (got %s)', count, expect.describe(t))
      end
      local image, map = transposed and 2 or 1, transposed and 1 or 2
      local planes = { self.nInputPlane, self.nOutputPlane }
      local lists = {}
      for i = 1, transposed and planes[image] or input_planes do lists[i] = {} end
      for c = 1, count do
         local row = { t[c][1], t[c][2] }
         for side = 1, 2 do
            if not (row[side] >= 1 and row[side] <= planes[side] and row[side] == math.floor(row[side])) then
               expect.fail(self, 'connTable must have whole numbers from 1 to %d in column %d (got %s)', planes[side],
                  side, expect.describe(row[side]))
            end
         end
         local list = lists[row[image]]
         list[#list + 1] = { kernel = c - 1, plane = row[map] - 1 }
      end
      return lists
   end

   local shape, wanted = convolution_engine.shape(), {}

   -- Checks a call; returns the connections and the number of images.
   local function prepare(self, k, x)
      local n = x._dim
      if n ~= 3 and n ~= 4 then expect.fail(self, 'input must have 3 or 4 dimensions (got %s)', expect.describe(x)) end
      local planes = x._size[n - 3]
      if not (planes >= self.nInputPlane) then
         expect.fail(self, 'input must have at least %d planes (got %s)', self.nInputPlane, expect.describe(x))
      end
      geometry.read(self, shape.kernel, { false, 'kH', 'kW' }, 0, 1, 1)
      geometry.read(self, shape.stride, { false, 'dH', 'dW' }, 0, 1, 1)
      geometry.integer(self, 'nInputPlane', self.nInputPlane, 1)
      geometry.integer(self, 'nOutputPlane', self.nOutputPlane, 1)
      for d = 1, 2 do
         local size, kk, s = x._size[n - 3 + d], shape.kernel[d], shape.stride[d]
         local other = transposed and (size - 1) * s + kk or convolution_engine.output(size, kk, s, 0, 1)
         if other < 1 then
            expect.fail(self, 'input must be at least as large as the %dx%d kernel (got %s)', self.kW, self.kH,
               expect.describe(x))
         end
         shape.image[d], shape.map[d] = transposed and other or size, transposed and size or other
         wanted[n - 2 + d] = geometry.integer(self, 'output size', other, 1)
         if shape.map[d] == 1 then shape.stride[d] = 1 end
      end
      geometry.area(self, 'a plane of the output', wanted[n - 1], wanted[n])
      if n == 4 then wanted[1] = x._size[0] end
      wanted[n - 2] = self.nOutputPlane
      local count = k.is(self.weight) and self.weight._dim > 0 and self.weight._size[0] or 0
      if count < 1 or k.numel(self.weight) ~= count * self.kH * self.kW then
         expect.fail(self, 'weight must be of size connections x %d x %d and type %s (got %s)', self.kH,
            self.kW, k.TYPE, expect.describe(self.weight))
      end
      if not k.is(self.bias) or k.numel(self.bias) ~= self.nOutputPlane then
         expect.fail(self, 'bias must be of size %d and type %s (got %s)', self.nOutputPlane, k.TYPE,
            expect.describe(self.bias))
      end
      geometry.elements(self, 'output', wanted, n)
      return connections(self, count, planes), n == 4 and x._size[0] or 1
   end

   -- Fills all planes of y with their bias.
   local function set_bias(self, y)
      local bias, area = self.bias, y._size[y._dim - 1] * y._size[y._dim - 2]
      local planes = y:view(-1, self.nOutputPlane, area)
      for o = 1, self.nOutputPlane do planes:select(2, o):fill(bias[o]) end
   end

   local forward, back = convolution_engine.correlate_each, convolution_engine.correlate_transposed_each
   if transposed then forward, back = back, forward end

   function Conv:updateOutput(input)
      local k = kernel.of(self, input)
      local lists, images = prepare(self, k, input)
      local x, weight = k.as_contiguous(input), k.as_contiguous(self.weight)
      local y = geometry.resized(k, self.output, wanted, input._dim)
      self.output = y
      set_bias(self, y)
      forward(k, shape, lists, images, x, weight, y)
      return y
   end

   function Conv:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local lists, images = prepare(self, k, input)
      geometry.check_gradient(self, k, gradOutput, wanted, input._dim)
      local g, weight = k.as_contiguous(gradOutput), k.as_contiguous(self.weight)
      local r = k.resize_as(self.gradInput, input):zero()
      back(k, shape, lists, images, g, weight, r)
      return r
   end

   function Conv:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      local k = kernel.of(self, input)
      local lists, images = prepare(self, k, input)
      geometry.check_gradient(self, k, gradOutput, wanted, input._dim)
      convolution_layer.check_gradients(self, k, self.gradWeight, self.gradBias)
      local x, g = k.as_contiguous(input), k.as_contiguous(gradOutput)
      local gw, gb = k.as_contiguous(self.gradWeight), k.as_contiguous(self.gradBias)
      local image, map = transposed and g or x, transposed and x or g
      convolution_engine.add_weight_gradient_each(k, shape, lists, images, image, map, gw, scale)
      local area = k.numel(g) / (images * self.nOutputPlane)
      convolution_engine.sum_planes(k, images, self.nOutputPlane, 1, area, scale, g, gb)
      if gw ~= self.gradWeight then self.gradWeight:copy(gw) end
      if gb ~= self.gradBias then self.gradBias:copy(gb) end
   end

   function Conv:decayParameters(decay)
      expect.number(self, 'decay', decay)
      self.weight:add(-decay, self.weight)
      self.bias:add(-decay, self.bias)
   end

end
