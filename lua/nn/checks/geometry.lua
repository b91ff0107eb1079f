-- The geometry of layers: kernels, strides, padding, dilation, and output sizes, their checks and their texts. Kernels
-- store indices of a plane as int32, and BLAS takes sizes as int32; products are doubles, exact up to 2^53.

local concat, floor, type, unpack = table.concat, math.floor, type, unpack
local torch = require 'torch'
local calls, expect = require 'nn.class.calls', require 'nn.checks.expect'
local fail, describe = expect.fail, expect.describe

local geometry = {}

local MAX_INT32, EXACT = 2 ^ 31 - 1, 2 ^ 53
geometry.MAX_INT32 = MAX_INT32

-- Returns a whole number between `minimum` and the largest int32; raises for other values.
function geometry.integer(module, name, value, minimum)
   if type(value) ~= 'number' or not (value >= minimum and value <= MAX_INT32) or value ~= floor(value) then
      fail(module, '%s must be a whole number from %d to %d (got %s)', name, minimum, MAX_INT32, describe(value))
   end
   return value
end
local integer = geometry.integer

-- Reads the fields of a module named for t, h and w into numbers[at] and on; an absent field gives `missing`.
function geometry.read(module, numbers, names, at, missing, minimum)
   for d = 1, 3 do
      local name = names and names[d]
      local value = missing
      if name and module[name] ~= nil then value = integer(module, name, module[name], minimum) end
      numbers[at + d - 1] = value
   end
end

-- Returns the product of up to three sizes that a kernel takes as an int32, such as the number of elements of a plane.
function geometry.area(module, what, a, b, c)
   local product = a * (b or 1) * (c or 1)
   if not (product <= MAX_INT32) then
      fail(module, '%s must have at most %d elements (got %s)', what, MAX_INT32, describe(product))
   end
   return product
end

-- Raises if a tensor with the first `count` of `sizes`, which may be any numbers, has too many elements to count.
function geometry.elements(module, what, sizes, count)
   local product = 1
   for d = 1, count do product = product * sizes[d] end
   if not (product <= EXACT) then
      fail(module, '%s must have at most 2^53 elements (got %s)', what, describe(product))
   end
end

-- Gives t other memory unless it is contiguous; its elements are lost. Constructors take a LongStorage of sizes: a
-- LongTensor would become the elements.
function geometry.contiguous(t)
   if not t:isContiguous() then t:set(t.new():resize(t:size())) end
   return t
end

-- The tensor t with the first `count` sizes of a list, contiguous.
function geometry.resized(k, t, list, count)
   if count == 3 then return k.resized(t, list[1], list[2], list[3]) end
   if count == 4 then return k.resized(t, list[1], list[2], list[3], list[4]) end
   if count <= 2 then return k.resized(t, unpack(list, 1, count)) end
   local wanted = torch.LongStorage { unpack(list, 1, count) }
   t = k.is(t) and t or k.new(1)
   if not t:isSize(wanted) then t = calls.resizable(t):resize(wanted) end
   return geometry.contiguous(t)
end

-- Raises unless gradOutput has the type of k and the first `count` sizes of a list.
function geometry.check_gradient(module, k, g, list, count)
   if not k.is(g) then fail(module, 'gradOutput must be of type %s (got %s)', k.TYPE, describe(g)) end
   local same = g._dim == count
   for d = 1, count do same = same and g._size[d - 1] == list[d] end
   if not same then
      fail(module, 'gradOutput must be of the size of the output, %s (got %s)', concat(list, 'x', 1, count),
         describe(g))
   end
end

-- Specs of layers whose windows move over images or volumes have the names of the fields of kernel, stride and padding,
-- in the order t, h, w; false for a dimension that images do not have. These functions complete a spec.

function geometry.image_spec(spec)
   spec.dimensions, spec.kernel, spec.stride = 2, { false, 'kH', 'kW' }, { false, 'dH', 'dW' }
   spec.pad = { false, 'padH', 'padW' }
   return spec
end

function geometry.volume_spec(spec)
   spec.dimensions, spec.kernel, spec.stride = 3, { 'kT', 'kH', 'kW' }, { 'dT', 'dH', 'dW' }
   spec.pad = { 'padT', 'padH', 'padW' }
   return spec
end

-- The values of the fields as text, in Torch7's order: t, w, h.
function geometry.joined_fields(module, names, separator)
   local list = {}
   for _, d in ipairs { 1, 3, 2 } do
      local name = names[d]
      if name then list[#list + 1] = string.format('%d', module[name] or 0) end
   end
   return concat(list, separator)
end

-- Tells whether all fields equal a value; absent fields do.
function geometry.fields_are(module, names, value)
   for d = 1, 3 do
      local name = names[d]
      if name and (module[name] or value) ~= value then return false end
   end
   return true
end

return geometry
