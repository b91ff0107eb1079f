-- Single elements: reading and writing them by type.

local tonumber, type = tonumber, type
local huge, min = math.huge, math.min
local ffi = require 'ffi'
local half, template = require 'torch.core.half', require 'torch.core.template'

local element = {}
local from_half, to_half = half.to_number, half.from_number

-- Code is made per type, so that each place of use compiles on its own.
local function make(source, upvalues) return template.compile('element', source, nil, upvalues) end

-- get(data, i): the number at position i of a pointer.
function element.getter(T)
   if T.name == 'Half' then
      return make('return function(data, i) return (f(data[i])) end', { f = from_half })
   elseif T.name == 'Long' then
      return make('return function(data, i) return (f(data[i])) end', { f = tonumber })
   end
   return make('return function(data, i) return data[i] end')
end

-- set(data, i, number): C's conversion: truncated towards zero, wrapped to the width. Of a sum that is stored as an
-- int32_t or less, LuaJIT converts the summands: 3 + -0.5 would become 3 + 0. So what is stored is no sum.
function element.setter(T)
   if T.name == 'Half' then
      return make('return function(data, i, v) data[i] = f(v) end', { f = to_half })
   elseif T.integer and T.name ~= 'Long' then
      return make('return function(data, i, v) data[i] = min(v, huge) end', { min = min, huge = huge })
   end
   return make('return function(data, i, v) data[i] = v end')
end

-- convert(value): the number to store for a Lua value, nil when there is none. Integer types take any
-- string, as Torch7's did: what does not read as a number is 0.
function element.converter(T)
   if T.integer then
      return function(value)
         local kind = type(value)
         if kind == 'number' then return value end
         if kind == 'string' then return tonumber(value) or 0 end
      end
   end
   return function(value)
      local kind = type(value)
      if kind == 'number' then return value end
      if kind == 'string' then return (tonumber(value)) end
   end
end

-- Rounds a number to a fractional type: the result of a step of C's arithmetic in that type.
function element.rounder(T)
   if T.name ~= 'Float' then return function(number) return number end end
   local single = ffi.new 'float[1]'
   return function(number)
      single[0] = number
      return single[0]
   end
end

return element
