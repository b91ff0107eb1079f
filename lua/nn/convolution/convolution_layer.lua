-- Methods of convolutions over images and volumes. A class is described by a spec:
--
--    dimensions    2 or 3
--    kernel, stride, pad, dilation    names of its fields for t, h and w, false if there is none
--    transposed    true for a transposed convolution; `adj` has the names of its fields for additional output rows
--    groups        true if each input plane has its own output planes (depthwise)

local type = type
local concat = table.concat
local torch = require 'torch'
local kernel, expect = require 'nn.kernels.kernel', require 'nn.checks.expect'
local geometry, mixins = require 'nn.checks.geometry', require 'nn.module.mixins'
local convolution_engine = require 'nn.kernels.convolution_engine'
local output_size = convolution_engine.output
local fields_are, joined_fields = geometry.fields_are, geometry.joined_fields
local resized, check_gradient = geometry.resized, geometry.check_gradient

local convolution_layer = {}

-- The sizes of the call that was checked last.
local shape = convolution_engine.shape()
local axis_names = { 'time', 'height', 'width' }

-- Checks sizes and types of parameters before a pointer to them is followed.
local function parameters(module, k, spec)
   local weight, bias = module.weight, module.bias
   if not k.is(weight) then
      expect.fail(module, 'weight must be of type %s (got %s)', k.TYPE, expect.describe(weight))
   end
   local wanted = module.nInputPlane * module.nOutputPlane * shape.kernel[0] * shape.kernel[1] * shape.kernel[2]
   if k.numel(weight) ~= wanted then
      expect.fail(module, 'weight must have %d elements (got %s)', wanted, expect.describe(weight))
   end
   if type(bias) ~= 'nil' then
      local biases = spec.groups and module.nInputPlane * module.nOutputPlane or module.nOutputPlane
      if not k.is(bias) or k.numel(bias) ~= biases then
         expect.fail(module, 'bias must have %d elements of type %s (got %s)', biases, k.TYPE, expect.describe(bias))
      end
   end
end

-- Tells whether x is a batch; it must have `planes` planes.
local function batch_of(module, spec, x, planes)
   local n = spec.dimensions
   local first = x._dim - n - 1
   if first ~= 0 and first ~= 1 then
      expect.fail(module, 'input must have %d or %d dimensions (got %s)', n + 1, n + 2, expect.describe(x))
   end
   if x._size[first] ~= planes then
      expect.fail(module, 'input must have %d planes (got %s)', planes, expect.describe(x))
   end
   return first == 1
end

-- Reads the sizes of the input and the fields of the module into the shape.
local function read_sizes(module, spec, x, first)
   local n, from = spec.dimensions, spec.transposed and shape.map or shape.image
   for d = 0, 2 do from[d] = d < 3 - n and 1 or x._size[first + d - 3 + n] end
   geometry.read(module, shape.kernel, spec.kernel, 0, 1, 1)
   geometry.read(module, shape.stride, spec.stride, 0, 1, 1)
   geometry.read(module, shape.pad, spec.pad, 0, 0, 0)
   geometry.read(module, shape.dilation, spec.dilation, 0, 1, 1)
   geometry.integer(module, 'nOutputPlane', module.nOutputPlane, 1)
end

-- The output size in dimension d, counted from 0, for the input size in the shape. `extra` are the adjustments of a
-- transposed convolution by the sizes of a second input.
local function output_extent(module, spec, d, extra)
   local kernel_size, stride, pad, dilation = shape.kernel[d], shape.stride[d], shape.pad[d], shape.dilation[d]
   if not spec.transposed then return output_size(shape.image[d], kernel_size, stride, pad, dilation) end
   local name = spec.adj[d + 1]
   local adj = extra and extra[d + 1] or name and geometry.integer(module, name, module[name] or 0, 0) or 0
   return (shape.map[d] - 1) * stride - 2 * pad + dilation * (kernel_size - 1) + 1 + adj
end

-- Stores the output sizes in the shape; returns the elements of the padded image, once for each column of the kernel.
local function set_outputs(module, spec, x, extra)
   local reach, to = shape.kernel[2], spec.transposed and shape.image or shape.map
   for d = 0, 2 do
      local out = output_extent(module, spec, d, extra)
      to[d] = out
      if out < 1 then
         expect.fail(module, 'input too small: its %s gives an output of %d (got %s)', axis_names[d + 1], out,
            expect.describe(x))
      end
      geometry.integer(module, 'output ' .. axis_names[d + 1], out, 1)
      -- With a single window the stride has no effect.
      if shape.map[d] == 1 then shape.stride[d] = 1 end
      local window = shape.dilation[d] * (shape.kernel[d] - 1) + 1
      reach = reach * (d == 2 and shape.map[2] or (shape.map[d] - 1) * shape.stride[d] + window)
   end
   return reach
end

-- Raises if a plane or its padded copy would be too large.
local function check_areas(module, reach)
   geometry.area(module, 'the padded image, once for each column of the kernel,', reach)
   geometry.area(module, 'a plane of the output', shape.map[0], shape.map[1], shape.map[2])
   geometry.area(module, 'a plane of the image', shape.image[0], shape.image[1], shape.image[2])
end

local function set_shape(module, spec, images)
   local inputs, outputs = module.nInputPlane, module.nOutputPlane
   shape.images = images
   if spec.groups then
      shape.planes, shape.outputs, shape.groups = 1, outputs, inputs
   elseif spec.transposed then
      shape.planes, shape.outputs, shape.groups = outputs, inputs, 1
   else
      shape.planes, shape.outputs, shape.groups = inputs, outputs, 1
   end
end

-- Checks a call and fills the shape; returns whether x is a batch, and the sizes of the output in the shape.
local function prepare(module, k, spec, x, extra)
   local batch = batch_of(module, spec, x, module.nInputPlane)
   read_sizes(module, spec, x, batch and 2 or 1)
   parameters(module, k, spec)
   check_areas(module, set_outputs(module, spec, x, extra))
   set_shape(module, spec, batch and x._size[0] or 1)
   return batch, spec.transposed and shape.image or shape.map
end

local sizes = {}

-- Stores the output sizes in `sizes` and returns their number.
local function output_sizes(module, spec, batch, at)
   local i = 0
   if batch then i, sizes[1] = 1, shape.images end
   sizes[i + 1] = spec.groups and module.nInputPlane * module.nOutputPlane or module.nOutputPlane
   for d = 4 - spec.dimensions, 3 do sizes[i + d - 2 + spec.dimensions] = at[d - 1] end
   return i + 1 + spec.dimensions
end

-- The input of a transposed convolution may be a table { x, t }: the output then has the size of t, or, as in the
-- original, the one that differs from it by a multiple of the stride where t is too small or too large.
local function target_of(module, spec, input)
   if type(input) ~= 'table' or not spec.transposed then return input, nil end
   local x, target = input[1], input[2]
   expect.tensor(module, x)
   expect.tensor(module, target, 'second input')
   local extra, n = {}, spec.dimensions
   if target._dim < n then
      expect.fail(module, 'second input must have %d dimensions or more (got %s)', n, expect.describe(target))
   end
   for d = 1, 3 do
      local name = spec.kernel[d]
      if name then
         local kk, s, p = module[name], module[spec.stride[d]], module[spec.pad[d]]
         extra[d] = (target._size[target._dim - 4 + d] + 2 * p - kk) % s
      end
   end
   return x, extra
end

local function no_strides(t) return torch.LongStorage(t:dim()):fill(0) end

-- Raises unless gradients of the parameters have the right types and numbers of elements.
function convolution_layer.check_gradients(module, k, gradWeight, gradBias)
   if not k.is(gradWeight) or k.numel(gradWeight) ~= k.numel(module.weight) then
      expect.argument_error(module, 'gradWeight', 'of the size of weight', gradWeight)
   end
   if module.bias and not (k.is(gradBias) and k.numel(gradBias) == k.numel(module.bias)) then
      expect.argument_error(module, 'gradBias', 'of the size of bias', gradBias)
   end
end

-- Adds the methods for a spec to a class.
function convolution_layer.methods(Class, parent, nn, spec)
   local forward, back = convolution_engine.correlate, convolution_engine.correlate_transposed
   if spec.transposed then forward, back = back, forward end

   function Class:updateOutput(input)
      local x, extra = target_of(self, spec, input)
      local k = kernel.of(self, x)
      local batch, at = prepare(self, k, spec, x, extra)
      local count = output_sizes(self, spec, batch, at)
      geometry.elements(self, 'output', sizes, count)
      local from, weight, bias = k.as_contiguous(x), k.as_contiguous(self.weight), self.bias
         and k.as_contiguous(self.bias)
      self.output = resized(k, self.output, sizes, count)
      -- Programs written for Torch7 access these buffers; they stay empty.
      if type(self.finput) == 'nil' then self.finput, self.fgradInput = weight.new(), weight.new() end
      forward(k, shape, from, weight, bias, self.output)
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local x, extra = target_of(self, spec, input)
      local k = kernel.of(self, x)
      local batch, at = prepare(self, k, spec, x, extra)
      check_gradient(self, k, gradOutput, sizes, output_sizes(self, spec, batch, at))
      local g, weight = k.as_contiguous(gradOutput), k.as_contiguous(self.weight)
      local gradInput = self.gradInput
      if type(gradInput) == 'table' then gradInput = gradInput[1] or x.new() end
      gradInput = k.resize_as(gradInput, x)
      back(k, shape, g, weight, nil, gradInput)
      if type(input) == 'table' then
         -- The second input only gives a size: its gradient is a single zero, expanded.
         local zero = input[2].new(1):zero()
         self.gradInput = { gradInput, zero:set(zero:storage(), 1, input[2]:size(), no_strides(input[2])) }
         return self.gradInput
      end
      self.gradInput = gradInput
      return gradInput
   end

   function Class:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      local x, extra = target_of(self, spec, input)
      local k = kernel.of(self, x)
      local batch, at = prepare(self, k, spec, x, extra)
      check_gradient(self, k, gradOutput, sizes, output_sizes(self, spec, batch, at))
      local from, g = k.as_contiguous(x), k.as_contiguous(gradOutput)
      local gradWeight, gradBias = self.gradWeight, self.gradBias
      convolution_layer.check_gradients(self, k, gradWeight, gradBias)
      local sums = k.as_contiguous(gradWeight)
      if spec.transposed then
         convolution_engine.add_weight_gradient(k, shape, g, from, sums, scale)
      else
         convolution_engine.add_weight_gradient(k, shape, from, g, sums, scale)
      end
      if sums ~= gradWeight then gradWeight:copy(sums) end
      if not self.bias then return end
      sums = k.as_contiguous(gradBias)
      local outputs, groups = self.nOutputPlane, spec.groups and self.nInputPlane or 1
      local area = k.numel(g) / (shape.images * outputs * groups)
      convolution_engine.sum_planes(k, shape.images, outputs, groups, area, scale, g, sums)
      if sums ~= gradBias then gradBias:copy(sums) end
   end

   mixins.no_bias(Class)

   function Class:clearState()
      nn.utils.clear(self, 'finput', 'fgradInput', '_input', '_gradOutput')
      return parent.clearState(self)
   end

   function Class:__tostring__() return convolution_layer.describe(self, spec) end
end

-- 'nn.SpatialConvolution(3 -> 16, 5x5, 2,2, 1,1)': stride and padding are omitted if they have their defaults.
function convolution_layer.describe(module, spec)
   local t = { string.format('%s(%d -> %d', torch.type(module), module.nInputPlane, module.nOutputPlane),
      joined_fields(module, spec.kernel, 'x') }
   local padded = not fields_are(module, spec.pad, 0)
   local adjusted = spec.adj and not fields_are(module, spec.adj, 0)
   local function add(names) t[#t + 1] = joined_fields(module, names, ',') end
   if padded or not fields_are(module, spec.stride, 1) then add(spec.stride) end
   if padded then add(spec.pad) end
   if adjusted then add(spec.adj) end
   if spec.dilation then add(spec.dilation) end
   -- As in the original, convolutions of volumes do not tell, unless they are dilated.
   local tells = spec.dimensions == 2 or spec.dilation
   return concat(t, ', ') .. ')' .. (tells and module.bias == nil and ' without bias' or '')
end

return convolution_layer
