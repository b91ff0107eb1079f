-- Methods of pooling of one, two and three dimensions. A class gives a spec:
--
--    dimensions    2 or 3; 1 for frames x features
--    kernel, stride, pad, dilation    names of its fields for t, h and w, false if there is none
--    max           true for maxima, whose indices are kept
--    include       the name of the field that says whether padding counts in an average

local ffi = require 'ffi'
local torch = require 'torch'
local kernel, expect, sizes = require 'nn.kernel', require 'nn.expect', require 'nn.sizes'
local geometry = require 'nn.geometry'
local pooling_engine, pooling_plan = require 'nn.kernels.pooling_engine', require 'nn.kernels.pooling_plan'
local window_spec = require 'nn.window_spec'
local describe, fail = expect.describe, expect.fail
local all, joined = window_spec.all, window_spec.joined

local pooling_layer = {}

local numbers, wanted = {}, {}
local KERNEL, STRIDE, PAD, DILATION, OUT = 4, 7, 10, 13, 16

-- Reads the sizes of the input and the fields of the module into `numbers`. `inner` dimensions have windows.
local function read_numbers(module, spec, x, inner)
   for d = 1, 3 do numbers[d] = 1 end
   for d = 1, inner do numbers[3 - inner + d] = x._size[x._dim - inner + d - 1] end
   geometry.read(module, numbers, spec.kernel, KERNEL, 1, 1)
   geometry.read(module, numbers, spec.stride, STRIDE, 1, 1)
   geometry.read(module, numbers, spec.pad, PAD, 0, 0)
   geometry.read(module, numbers, spec.dilation, DILATION, 1, 1)
end

-- Sets the size of the output in dimension d, from 0; returns how many elements its windows reach over.
local function set_output(module, x, d, padded)
   local size, window, stride = numbers[1 + d], numbers[KERNEL + d], numbers[STRIDE + d]
   local pad, dilation = numbers[PAD + d], numbers[DILATION + d]
   if pad > window / 2 then
      fail(module, 'padding must be at most half of the kernel (got %d for a kernel of %d)', pad, window)
   end
   local reach = dilation * (window - 1) + 1
   local out = pooling_plan.output(size, window, stride, pad, dilation, module.ceil_mode, padded)
   if out < 1 then
      fail(module, 'input too small: windows of %d and padding of %d leave an output of %d (got %s)', reach, pad, out,
         describe(x))
   end
   numbers[OUT + d] = geometry.whole(module, 'output size', out, 1)
   -- A single window does not move.
   if out == 1 then numbers[STRIDE + d] = 1 end
   return math.max((out - 1) * numbers[STRIDE + d] + reach, size)
end

-- Checks a call and fills `numbers` and `wanted`; returns the number of planes, and of the dimensions of x.
local function prepare(module, spec, x)
   local count = x._dim
   local inner = math.max(spec.dimensions, 2)
   local least = spec.dimensions == 1 and 2 or inner + 1
   if count ~= least and count ~= least + 1 then
      fail(module, 'input must have %d or %d dimensions (got %s)', least, least + 1, describe(x))
   end
   read_numbers(module, spec, x, inner)
   local planes, reach = 1, 1
   for d = 0, count - inner - 1 do
      planes = planes * x._size[d]
      wanted[d + 1] = x._size[d]
   end
   local padded = numbers[PAD] + numbers[PAD + 1] + numbers[PAD + 2] > 0
   for d = 0, 2 do
      reach = reach * set_output(module, x, d, padded)
      if d >= 3 - inner then wanted[count - 2 + d] = numbers[OUT + d] end
   end
   geometry.area(module, 'a padded plane of the input', reach)
   geometry.area(module, 'a plane of the output', numbers[OUT], numbers[OUT + 1], numbers[OUT + 2])
   geometry.elements(module, 'output', wanted, count)
   return planes, count
end

-- The plan for the sizes that were read last; its lists are as long as the output, which comes first.
local function plan_of(module, spec)
   -- Older modules have no such field; padding counted then.
   local include = spec.sums and 'none' or not spec.include or module[spec.include] ~= false
   return pooling_engine.plan(module, numbers, include, spec.dimensions == 1)
end

pooling_layer.prepare, pooling_layer.plan, pooling_layer.wanted = prepare, plan_of, wanted

-- The indices of a module, for an output of a size.
function pooling_layer.resized_indices(module, size)
   module.indices = torch.isTensor(module.indices) and module.indices:long() or torch.LongTensor()
   return sizes.contiguous(module.indices:resize(size))
end

-- The indices that forward stored, in the form that kernels use.
function pooling_layer.indices(module, like)
   local t = module.indices
   -- On a device they are device tensors.
   if torch.typename(t) == 'torch.CudaLongTensor' then t = t:long() end
   if not torch.isTensor(t) or t:type() ~= 'torch.LongTensor' or t:nElement() ~= like:nElement() then
      fail(module, 'indices must be those of forward, %s of them (got %s)', expect.shape(like), describe(t))
   end
   return kernel.indices(t)
end

-- Adds the gradients g to r, at the indices that forward left; `what` is an operation of pooling_engine.
function pooling_layer.add_at_indices(module, k, what, plan, planes, r, g)
   if not pooling_engine.run(k, what, plan, planes, r, g, pooling_layer.indices(module, g)) then
      fail(module, 'indices must be those of elements of the input: they were changed after forward')
   end
   return r
end

-- The same for planes of `area` elements and `outputs` outputs each.
function pooling_layer.add_at_indices_of_planes(module, k, area, outputs, planes, r, g)
   local windows = ffi.new 't7_nn_windows'
   windows.area, windows.outputs = area, outputs
   return pooling_layer.add_at_indices(module, k, pooling_engine.MAX_BACK, { plan = windows }, planes, r, g)
end

-- Adds the methods for a spec to a class.
function pooling_layer.methods(Class, spec)

   -- The factor that undoes an average, for modules that sum.
   local function factor(self)
      if spec.max or not spec.divide or self[spec.divide] then return 1 end
      return numbers[4] * numbers[5] * numbers[6]
   end

   function Class:updateOutput(input)
      local k = kernel.of(self, input)
      local planes, count = prepare(self, spec, input)
      local x = k.plain(input)
      local y = sizes.resized(k, self.output, wanted, count)
      self.output = y
      local p = plan_of(self, spec)
      if spec.remember then
         for i, name in ipairs(spec.remember) do self[name] = numbers[3 - #spec.remember + i] end
      end
      if spec.max then
         local size = torch.LongStorage { unpack(wanted, 1, count) }
         pooling_engine.run(k, pooling_engine.MAX, p, planes, x, y, pooling_layer.resized_indices(self, size))
      else
         pooling_engine.run(k, pooling_engine.AVERAGE, p, planes, x, y)
         if factor(self) ~= 1 then y:mul(factor(self)) end
      end
      return y
   end

   function Class:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local planes, count = prepare(self, spec, input)
      sizes.check(self, k, gradOutput, wanted, count)
      local p = plan_of(self, spec)
      local g, r = k.plain(gradOutput), k.like(self.gradInput, input)
      if spec.max then
         local what = spec.dimensions == 1 and pooling_engine.RELATIVE_BACK or pooling_engine.MAX_BACK
         pooling_layer.add_at_indices(self, k, what, p, planes, r, g)
      else
         pooling_engine.run(k, pooling_engine.SPREAD, p, planes, r, g)
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
   local t = { torch.type(module) .. '(' .. joined(module, spec.kernel, 'x'), joined(module, spec.stride, ',') }
   if spec.pad and not all(module, spec.pad, 0) then t[3] = joined(module, spec.pad, ',') end
   if spec.dilation then t[#t + 1] = joined(module, spec.dilation, ',') end
   return table.concat(t, ', ') .. ')'
end

return pooling_layer
