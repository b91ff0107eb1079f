-- The Lua loop that sums elements, or terms of them, as doubles.

local abs = math.abs
local ffi = require 'ffi'
local element, nan_search = require 'torch.base.element', require 'torch.base.nan_search'
local template, tuning = require 'torch.jit.template', require 'torch.base.tuning'
local finish_trace = require('torch.jit.trace').finish

local sum_loop = {}

-- Four partial sums hide the latency of additions and round less than a single one.
-- LuaJIT does not keep products of an index and a step as integers, so contiguous elements have a loop without them.
local source = [[
return function(data, step, count)
   local a, b, c, d = 0, 0, 0, 0
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

-- Terms by the numbers of sum_loop.TERMS: elements, magnitudes, squares, or squared differences from `shift`.
local terms = {
   [0] = 'return get',
   'return function(data, i) return (abs(get(data, i))) end',
   'return function(data, i) local value = get(data, i) return value * value end',
   'return function(data, i) local value = get(data, i) - shift[0] return value * value end',
}
sum_loop.TERMS = { elements = 0, magnitudes = 1, squares = 2, deviations = 3 }
sum_loop.shift = ffi.new 'double[1]'

local function make(get, term)
   local of = template.compile('term', terms[term], nil, { get = get, abs = abs, shift = sum_loop.shift })
   return template.compile('sum', source, nil, { finish_trace = finish_trace, get = of })
end

-- Contiguous elements among which there is no NaN are read without individual checks.
local searched_source = [[
return function(data, step, count, own)
   if own and step == 1 and (own == 'plain' or count >= LEAST and not has_nan(data, count)) then
      return (plain(data, 1, count))
   end
   return (checked(data, step, count))
end]]

-- A new function f(data, step in elements, count, own) for all types but Long. `own` promises that nothing else writes
-- to the memory; 'plain', that there is no NaN either. `maximum` is NumPy's loop for Floats and Doubles.
function sum_loop.make(T, term, maximum)
   local checked = make(element.reader(T), term)
   if not maximum then return checked end
   local plain = make(template.compile('element', 'return function(data, i) return data[i] end'), term)
   return template.compile('sum', searched_source, nil, { checked = checked, plain = plain, LEAST = tuning.NAN_SEARCH,
      has_nan = nan_search.make(T, maximum) })
end

return sum_loop
