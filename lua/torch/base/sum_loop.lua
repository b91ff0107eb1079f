-- The loop of Lua that adds up elements: Floats and integers as doubles, Longs as integers of 64 bits.

local abs = math.abs
local ffi = require 'ffi'
local element, types = require 'torch.base.element', require 'torch.base.types'
local template = require 'torch.jit.template'
local finish_trace = require('torch.jit.trace').finish

local sum_loop = {}

-- Four partial sums hide the latency of additions and round less than a single one.
-- Products of an index and a step are not kept as integers, so neighbors have a loop without them.
local source = [[
return function(data, step, count)
   local a, b, c, d = zero, zero, zero, zero
   local i = 0
   finish_trace()
   if step == 1 then
      local rest = count % 4
      for k = 0, count - rest - 1, 4 do
         a, b = a + get(data, k), b + get(data, k + 1)
         c, d = c + get(data, k + 2), d + get(data, k + 3)
      end
      for k = count - rest, count - 1 do a = a + get(data, k) end
      return (a + b) + (c + d)
   end
   while i + 3 < count do
      a, b = a + get(data, i * step), b + get(data, (i + 1) * step)
      c, d = c + get(data, (i + 2) * step), d + get(data, (i + 3) * step)
      i = i + 4
   end
   while i < count do
      a = a + get(data, i * step)
      i = i + 1
   end
   return (a + b) + (c + d)
end]]

function sum_loop.type_of(T) return T.name == 'Long' and 'int64_t' or 'double' end

-- A new function f(data, step in elements, count); `of_sums` for one that adds up partial sums, `magnitudes` for one
-- that adds up absolute values.
function sum_loop.make(T, of_sums, magnitudes)
   local get = element.reader(of_sums and types.by_name.Long or T)
   if magnitudes then
      local plain = get
      function get(data, i) return (abs(plain(data, i))) end
   end
   return template.compile('sum', source, nil, { zero = T.name == 'Long' and (ffi.new('int64_t', 0)) or 0,
      finish_trace = finish_trace, get = get })
end

return sum_loop
