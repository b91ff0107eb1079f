-- The one check of the geometry of layers: kernels, strides, padding, dilation, and sizes of outputs. Kernels keep
-- indices of a plane as int32, and BLAS takes sizes as int32; products are doubles, exact up to 2^53.

local floor, type = math.floor, type
local expect = require 'nn.expect'
local fail, describe = expect.fail, expect.describe

local geometry = {}

local MOST, EXACT = 2 ^ 31 - 1, 2 ^ 53
geometry.MOST = MOST

-- Runs of a plan, each of which is a Lua table while the plan is made.
local RUNS = 2 ^ 25

-- Returns a value that is a whole number from `least` to the largest int32; raises for others.
function geometry.whole(module, name, value, least)
   if type(value) ~= 'number' or not (value >= least and value <= MOST) or value ~= floor(value) then
      fail(module, '%s must be a whole number from %d to %d (got %s)', name, least, MOST, describe(value))
   end
   return value
end
local whole = geometry.whole

-- Reads fields of a module, whose names are for t, h and w, into numbers[at] and on; `missing` where there is none.
function geometry.read(module, numbers, names, at, missing, least)
   for d = 1, 3 do
      local name = names and names[d]
      local value = missing
      if name and module[name] ~= nil then value = whole(module, name, module[name], least) end
      numbers[at + d - 1] = value
   end
end

-- Returns the product of up to three sizes that a kernel takes as an int32, such as the elements of a plane.
function geometry.area(module, what, a, b, c)
   local product = a * (b or 1) * (c or 1)
   if not (product <= MOST) then
      fail(module, '%s must have at most %d elements (got %s)', what, MOST, describe(product))
   end
   return product
end

-- Raises where a tensor of the first `count` sizes of a list cannot be counted; `sizes` may hold any numbers.
function geometry.elements(module, what, sizes, count)
   local product = 1
   for d = 1, count do product = product * sizes[d] end
   if not (product <= EXACT) then
      fail(module, '%s must have at most 2^53 elements (got %s)', what, describe(product))
   end
end

-- Raises where a plan would be of too many runs.
function geometry.runs(module, count)
   if not (count <= RUNS) then
      fail(module, 'kernel and input divide into too many runs: at most %d (got %s)', RUNS, describe(count))
   end
end

return geometry
