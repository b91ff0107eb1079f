-- The single check of layer geometry: kernels, strides, padding, dilation, and output sizes. Kernels store indices of a
-- plane as int32, and BLAS takes sizes as int32; products are doubles, exact up to 2^53.

local floor, type = math.floor, type
local expect = require 'nn.expect'
local fail, describe = expect.fail, expect.describe

local geometry = {}

local MAX_INT32, EXACT = 2 ^ 31 - 1, 2 ^ 53
geometry.MAX_INT32 = MAX_INT32

-- Returns a whole number between `least` and the largest int32; raises for other values.
function geometry.integer(module, name, value, least)
   if type(value) ~= 'number' or not (value >= least and value <= MAX_INT32) or value ~= floor(value) then
      fail(module, '%s must be a whole number from %d to %d (got %s)', name, least, MAX_INT32, describe(value))
   end
   return value
end
local integer = geometry.integer

-- Reads the fields of a module named for t, h and w into numbers[at] and on; an absent field gives `missing`.
function geometry.read(module, numbers, names, at, missing, least)
   for d = 1, 3 do
      local name = names and names[d]
      local value = missing
      if name and module[name] ~= nil then value = integer(module, name, module[name], least) end
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

return geometry
