-- Methods of pooling of one, two and three dimensions. A class gives a spec:
--
--    dimensions    2 or 3; 1 for frames x features
--    kernel, stride, pad, dilation    names of its fields for t, h and w, false if there is none
--    max           true for maxima, whose indices are kept
--    include       the name of the field that says whether padding counts in an average

local torch = require 'torch'
local kernel, expect = require 'nn.kernels.kernel', require 'nn.checks.expect'
local geometry = require 'nn.checks.geometry'
local pooling_engine = require 'nn.kernels.pooling_engine'
local describe, fail = expect.describe, expect.fail
local fields_are, joined_fields = geometry.fields_are, geometry.joined_fields

local pooling_layer = {}

-- The sizes of the call that was checked last, and those of its output.
local shape, wanted = pooling_engine.shape(), {}

-- Reads the sizes of the input and the fields of the module into the shape. `inner` dimensions have windows.
local function read_sizes(module, spec, x, inner)
   for d = 0, 2 do shape.size[d] = d < 3 - inner and 1 or x._size[x._dim - 3 + d] end
   geometry.read(module, shape.kernel, spec.kernel, 0, 1, 1)
   geometry.read(module, shape.stride, spec.stride, 0, 1, 1)
   geometry.read(module, shape.pad, spec.pad, 0, 0, 0)
   geometry.read(module, shape.dilation, spec.dilation, 0, 1, 1)
end

-- Sets the size of the output in dimension d, from 0; returns how many elements its windows reach over.
local function set_output(module, x, d, padded)
   local size, window, stride, pad = shape.size[d], shape.kernel[d], shape.stride[d], shape.pad[d]
   local dilation = shape.dilation[d]
   if pad > window / 2 then
      fail(module, 'padding must be at most half of the kernel (got %d for a kernel of %d)', pad, window)
   end
   local reach = dilation * (window - 1) + 1
   local out = pooling_engine.output(size, window, stride, pad, dilation, module.ceil_mode, padded)
   if out < 1 then
      fail(module, 'input too small: windows of %d and padding of %d leave an output of %d (got %s)', reach, pad, out,
         describe(x))
   end
   shape.out[d] = geometry.integer(module, 'output size', out, 1)
   -- A single window does not move.
   if out == 1 then shape.stride[d] = 1 end
   return math.max((out - 1) * shape.stride[d] + reach, size)
end

-- Checks a call and fills the shape and `wanted`; returns the number of the dimensions of x, and the shape.
local function prepare(module, spec, x)
   local count = x._dim
   local inner = math.max(spec.dimensions, 2)
   local dims = spec.dimensions == 1 and 2 or inner + 1
   if count ~= dims and count ~= dims + 1 then
      fail(module, 'input must have %d or %d dimensions (got %s)', dims, dims + 1, describe(x))
   end
   read_sizes(module, spec, x, inner)
   local planes, reach = 1, 1
   for d = 0, count - inner - 1 do
      planes = planes * x._size[d]
      wanted[d + 1] = x._size[d]
   end
   local padded = shape.pad[0] + shape.pad[1] + shape.pad[2] > 0
   for d = 0, 2 do
      reach = reach * set_output(module, x, d, padded)
      if d >= 3 - inner then wanted[count - 2 + d] = shape.out[d] end
   end
   geometry.area(module, 'a padded plane of the input', reach)
   geometry.area(module, 'a plane of the output', shape.out[0], shape.out[1], shape.out[2])
   geometry.elements(module, 'output', wanted, count)
   shape.planes, shape.relative = planes, spec.dimensions == 1 and 1 or 0
   -- Older modules have no such field; padding counted then.
   local include = not spec.include or module[spec.include] ~= false
   shape.divide = spec.sums and pooling_engine.SUMS or include and pooling_engine.ALL or pooling_engine.INSIDE
   return count, shape
end

pooling_layer.prepare, pooling_layer.wanted = prepare, wanted

-- The indices of a module, for an output of a size.
function pooling_layer.resized_indices(module, size)
   module.indices = torch.isTensor(module.indices) and module.indices:long() or torch.LongTensor()
   return geometry.contiguous(module.indices:resize(size))
end

-- The indices that forward stored, in the format that kernels use.
function pooling_layer.indices(module, like)
   local t = module.indices
   -- On a device they are device tensors.
   if torch.typename(t) == 'torch.CudaLongTensor' then t = t:long() end
   if not torch.isTensor(t) or t:type() ~= 'torch.LongTensor' or t:nElement() ~= like:nElement() then
      fail(module, 'indices must be those of forward, %s of them (got %s)', expect.shape(like), describe(t))
   end
   return kernel.indices(t)
end

-- Sets r to the gradients g at the indices that forward left, or at those in `index`.
function pooling_layer.add_at_indices(module, k, sizes_of, r, g, index)
   if not pooling_engine.max_back(k, sizes_of, g, index or pooling_layer.indices(module, g), r) then
      fail(module, 'indices must be those of elements of the input: they were changed after forward')
   end
   return r
end

local flat = pooling_engine.shape()

-- The same for planes of `area` elements and `outputs` outputs each.
function pooling_layer.add_at_indices_of_planes(module, k, area, outputs, planes, r, g, index)
   flat.planes, flat.size[2], flat.out[2] = planes, area, outputs
   return pooling_layer.add_at_indices(module, k, flat, r, g, index)
end

-- Adds the methods for a spec to a class.
function pooling_layer.methods(Class, spec)

   -- The factor that undoes an average, for modules that sum.
   local function factor(self)
      if spec.max or not spec.divide or self[spec.divide] then return 1 end
      return shape.kernel[0] * shape.kernel[1] * shape.kernel[2]
   end

   function Class:updateOutput(input)
      local k = kernel.of(self, input)
      local count = prepare(self, spec, input)
      local x = k.as_contiguous(input)
      local y = geometry.resized(k, self.output, wanted, count)
      self.output = y
      if spec.remember then
         for i, name in ipairs(spec.remember) do self[name] = shape.size[2 - #spec.remember + i] end
      end
      if spec.max then
         local size = torch.LongStorage { unpack(wanted, 1, count) }
         pooling_engine.max(k, shape, x, y, pooling_layer.resized_indices(self, size))
      else
         pooling_engine.average(k, shape, x, y)
         if factor(self) ~= 1 then y:mul(factor(self)) end
      end
      return y
   end

   function Class:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      geometry.check_gradient(self, k, gradOutput, wanted, (prepare(self, spec, input)))
      local g, r = k.as_contiguous(gradOutput), k.resize_as(self.gradInput, input)
      if spec.max then
         pooling_layer.add_at_indices(self, k, shape, r, g)
      else
         pooling_engine.average_back(k, shape, g, r)
         if factor(self) ~= 1 then r:mul(factor(self)) end
      end
      return r
   end

   if spec.max then
      function Class:empty() self:clearState() end
   end

   local function setter(field, value)
      return function(self)
         self[field] = value
         return self
      end
   end
   if spec.rounding then Class.ceil, Class.floor = setter('ceil_mode', true), setter('ceil_mode', false) end
   if spec.include then
      Class.setCountIncludePad, Class.setCountExcludePad = setter(spec.include, true), setter(spec.include, false)
   end
end

-- 'nn.SpatialMaxPooling(2x2, 2,2)': padding is omitted if it is 0.
function pooling_layer.describe(module, spec)
   local t = { torch.type(module) .. '(' .. joined_fields(module, spec.kernel, 'x'),
      joined_fields(module, spec.stride, ',') }
   if spec.pad and not fields_are(module, spec.pad, 0) then t[3] = joined_fields(module, spec.pad, ',') end
   if spec.dilation then t[#t + 1] = joined_fields(module, spec.dilation, ',') end
   return table.concat(t, ', ') .. ')'
end

return pooling_layer
