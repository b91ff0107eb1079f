-- Reading and writing single elements by type.

local pairs, pcall, tonumber, type = pairs, pcall, tonumber, type
local huge, min = math.huge, math.min
local bit, ffi = require 'bit', require 'ffi'
local libc = require 'torch.native.libc'
local int_p = ffi.typeof 'int32_t *'
local half, template = require 'torch.loops.half', require 'torch.jit.template'

local element = {}
local from_half, to_half = half.to_number, half.from_number

-- Code is generated per type, so that each use compiles separately.
local function make(source, upvalues) return template.compile('element', source, nil, upvalues) end

-- LuaJIT keeps every value in 64 bits, and takes a NaN with a payload that the FFI reads for another value: nil, or a
-- string at an address of the payload's choice. Comparing the number with itself would come too late: in the
-- interpreter it is already not a number, and a copy of it stays on the stack for the collector. So the element is
-- copied to a cell as a struct, which is not a Lua value; its upper bits are examined there as an integer, and no NaN
-- is loaded. The memory is read once: another thread or process may write to it meanwhile. Compiled code keeps the copy
-- in a register; since it is a copy of a number, it sees earlier stores of numbers by the same trace.
local fraction_source = [[
-- An infinity or a NaN, whose sign stays.
local function special()
   local high = cell.high
   if band(high, $mantissa) == 0 and $rest then return high < 0 and -huge or huge end
   return high < 0 and negative_nan or positive_nan
end

local function get(data, i)
   cell.copy = cast(copy_p, data)[i]
   if band(cell.high, $exponent) == $exponent then return (special()) end
   return cell.number
end

-- If nothing else writes, the element may be read twice. Storing a copy would make compiled code reload the sizes of
-- tensors, which are numbers as well.
local function get_own(data, i)
   if band(cast(int_p, data + i)[$upper], $exponent) == $exponent then
      -- The bits may be older than what a trace has stored since: after a call of C they are not.
      C.t7_memmove(data, data, 0)
      return (get(data, i))
   end
   return data[i]
end

return get, get_own]]

ffi.cdef [[
typedef struct { double number; } t7_double_copy;
typedef struct { float number; } t7_float_copy;
]]

local bits = {
   Double = { upper = 1, exponent = 0x7ff00000, mantissa = 0x000fffff, rest = 'cell.low == 0',
      copy = 't7_double_copy', cell = 'union { t7_double_copy copy; double number; struct { int32_t low, high; }; }' },
   Float = { upper = 0, exponent = 0x7f800000, mantissa = 0x007fffff, rest = 'true',
      copy = 't7_float_copy', cell = 'union { t7_float_copy copy; float number; int32_t high; }' },
}

-- The sign of 0 / 0 depends on the processor.
local either = ffi.new('double[1]', 0 / 0)
local nan_is_negative = ffi.cast('int32_t *', either)[1] < 0
local positive_nan, negative_nan = nan_is_negative and -(0 / 0) or 0 / 0, nan_is_negative and 0 / 0 or -(0 / 0)

-- get(data, i): the number at index i of a pointer; and the same for memory that nothing else writes to.
function element.getters(T)
   local row = bits[T.name]
   if row then
      -- LuaJIT never frees a ctype.
      row.cell = ffi.typeof(row.cell)
      return template.compile('element', fraction_source, row, { C = libc, band = bit.band, cast = ffi.cast,
         cell = ffi.new(row.cell), copy_p = ffi.typeof('$ *', ffi.typeof(row.copy)), int_p = int_p, huge = huge,
         positive_nan = positive_nan, negative_nan = negative_nan })
   end
   local get
   if T.name == 'Half' then
      get = make('return function(data, i) return (f(data[i])) end', { f = from_half })
   elseif T.name == 'Long' then
      get = make('return function(data, i) return (f(data[i])) end', { f = tonumber })
   else
      get = make('return function(data, i) return data[i] end')
   end
   return get, get
end

function element.getter(T) return (element.getters(T)) end

-- read(data, i): the same, except that 64-bit integers are not converted.
function element.reader(T)
   if T.name == 'Long' then return make('return function(data, i) return data[i] end') end
   return element.getter(T)
end

-- Converts the number that a C function returned, which may be a NaN with a payload as well.
local result = ffi.new 'double[1]'
local get_double

-- Raises an error for the one invalid tag that `type` calls a number.
local function store(value) result[0] = value end

function element.returned(value)
   if type(value) ~= 'number' or not pcall(store, value) then
      value = negative_nan
      -- Overwrites the same stack slots, so that the collector finds no copies there.
      pcall(store, type(value) and value)
   end
   if value == value then return value end
   get_double = get_double or element.getter { name = 'Double' }
   libc.t7_memmove(result, result, 0)
   return (get_double(result, 0))
end

-- Loops that only move elements move them as integers of the same size, which may have any bits: bits(p) is the pointer
-- for them. Afterwards settle(p) makes compiled code reload that memory.
local whole_p = { Double = ffi.typeof 'int64_t *', Float = int_p }

local function same(p) return p end
local function nothing() end
local function settle(p) libc.t7_memmove(p, p, 0) end
local cast_to = {}
for name, pointer_ct in pairs(whole_p) do
   cast_to[name] = template.compile('element', 'return function(p) return (cast(pointer_ct, p)) end', nil,
      { cast = ffi.cast, pointer_ct = pointer_ct })
end

function element.mover(T)
   if not whole_p[T.name] then return same, nothing end
   return cast_to[T.name], settle
end

-- The number whose truncated value an integer of 32 or fewer bits gets. What does not fit is undefined in C; here it
-- is the least integer of 32 bits, as on x86-64. When LuaJIT stores a sum as such an integer, it converts the summands:
-- 3 + -0.5 would become 3 + 0. So the sum itself is not returned.
function element.narrowed(v)
   if v >= -0x1p31 and v < 0x1p31 then return (min(v, huge)) end
   return -0x1p31
end

-- set(data, i, number): truncated towards zero, narrowed by narrow(number).
local function setter(T, narrow)
   if T.name == 'Half' then
      return make('return function(data, i, v) data[i] = f(v) end', { f = to_half })
   elseif T.integer and T.name ~= 'Long' then
      return make('return function(data, i, v) data[i] = f(v) end', { f = narrow })
   end
   return make('return function(data, i, v) data[i] = v end')
end

function element.setter(T) return setter(T, element.narrowed) end

-- What does not fit wraps around: for results of functions of the program, which LuaJIT stores in Torch7, too.
function element.wrapping_setter(T)
   return setter(T, function(v) return (min(v, huge)) end)
end

-- convert(value): the number to store for a value; nil if there is none.
function element.convert(value)
   local kind = type(value)
   if kind == 'number' then return value end
   if kind == 'string' then return (tonumber(value)) end
end

-- The number that text holds for integers: what C's strtol reads at its beginning, 0 where it reads nothing.
function element.integer_of(text) return (tonumber(libc.t7_strtoll(text, nil, 0))) end

-- Rounds a number to a floating-point type, as each step of C's arithmetic in that type does.
function element.rounder(T)
   if T.name ~= 'Float' then return function(number) return number end end
   local single = ffi.new 'float[1]'
   return function(number)
      single[0] = number
      return single[0]
   end
end

-- convert(number): the number that an element has after the number was stored in it. Numbers of operations on integers
-- are converted so; those on floating-point numbers stay.
function element.converter(T)
   if not T.integer then return function(number) return number end end
   local set, get, work = element.setter(T), element.getter(T), ffi.new(T.c .. '[1]')
   return function(number)
      set(work, 0, number)
      return (get(work, 0))
   end
end

return element
