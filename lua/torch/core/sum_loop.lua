-- The loop of Lua that adds up elements: Floats and integers as doubles, Longs as integers of 64 bits.

local ffi = require 'ffi'
local template = require 'torch.core.template'
local finish_trace = require('torch.core.trace').finish

local sum_loop = {}

-- Sums in four parts hide the latency of additions and lose less than one after the other.
local source = [[
return function(data, step, count)
   local a, b, c, d = zero, zero, zero, zero
   local i = 0
   finish_trace()
   while i + 3 < count do
      a, b = a + data[i * step], b + data[(i + 1) * step]
      c, d = c + data[(i + 2) * step], d + data[(i + 3) * step]
      i = i + 4
   end
   while i < count do
      a = a + data[i * step]
      i = i + 1
   end
   return (a + b) + (c + d)
end]]

-- The type of C of a sum.
function sum_loop.type_of(T) return T.name == 'Long' and 'int64_t' or 'double' end

-- A new function f(data, step in elements, count).
function sum_loop.make(T)
   return template.compile('sum', source, nil, { zero = T.name == 'Long' and (ffi.new('int64_t', 0)) or 0,
      finish_trace = finish_trace })
end

return sum_loop
