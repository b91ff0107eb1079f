-- Replaces NaNs that LuaJIT takes for other values. It keeps all values in 64 bits: a non-number looks like a NaN
-- with its sign and a payload. A number read by FFI is not looked at: bits of a file that are such a NaN became nil,
-- or a string at any address. torch reads elements by element.getter, which does not load them; kernels of other
-- packages do. So of bytes that come from elsewhere every NaN but the two without a payload is replaced before: those
-- that LuaJIT takes for others, and those that become one when their sign is changed or when they are calculated with.
-- See docs/decisions/0011-nan-payloads.md.

local bit = require 'bit'
local ffi = require 'ffi'
local band, cast = bit.band, ffi.cast
local libc = require 'torch.native.libc'
local count_of, tuning = require('torch.base.geometry').count, require 'torch.base.tuning'

local nan_payloads = {}

-- Words are compared as whole numbers; as fractions they must not be read.
local int_p, short_p = ffi.typeof 'int32_t *', ffi.typeof 'uint16_t *'

local function clean_doubles(words, count)
   for i = 1, 2 * count - 1, 2 do
      local low, high = words[i - 1], band(words[i], 0x7fffffff)
      if high >= 0x7ff00000 and (high > 0x7ff00000 or low ~= 0) and (high ~= 0x7ff80000 or low ~= 0) then
         words[i - 1], words[i] = 0, 0x7ff80000
      end
   end
end

local function clean_floats(words, count)
   for i = 0, count - 1 do
      local word = band(words[i], 0x7fffffff)
      if word > 0x7f800000 and word ~= 0x7fc00000 then words[i] = 0x7fc00000 end
   end
end

local function clean_halves(words, count)
   for i = 0, count - 1 do
      local word = band(words[i], 0x7fff)
      if word > 0x7c00 and word ~= 0x7e00 then words[i] = 0x7e00 end
   end
end

-- The sum of many elements tells whether there is any NaN; it may be one that is no number itself, so only its words
-- are looked at. Infinities may look like one. NumPy's loop takes a fifth of the time that comparing takes.
local MANY = tuning.NAN_SUMS
local total = ffi.new 'int32_t[2]'

local function may_hold_nan(T, data, count)
   local native = require 'torch.native.native'
   total[0], total[1] = 0, 0
   native.loop_alone('add', T, T, T)(total, 0, data, T.size, total, 0, count)
   local exponent = T.name == 'Double' and 0x7ff00000 or 0x7f800000
   return band(total[T.name == 'Double' and 1 or 0], exponent) == exponent
end

local function is_odd(T, words, count)
   local step, high, infinite = 1, 0, 0x7f800000
   if T.name == 'Double' then step, high, infinite = 2, 1, 0x7ff00000 end
   for i = 0, count - 1 do
      if band(words[i * step + high], infinite) == infinite then return true end
   end
   return false
end

-- Tells whether there may be such NaNs among `count` elements; infinities may count as some.
function nan_payloads.odd(T, data, count)
   libc.t7_memmove(data, data, 0)
   if count >= MANY then return may_hold_nan(T, data, count) end
   return is_odd(T, cast(int_p, data), count)
end

-- A contiguous tensor without such NaNs: t itself, or a copy in which they became the usual one. For kernels that keep
-- elements in variables of Lua, and tensors that nobody else writes to.
function nan_payloads.plain(T, t)
   if T.integer or T.name == 'Half' then return t end
   local count, data = count_of(t), t._memory._data + t._offset
   if not nan_payloads.odd(T, data, count) then return t end
   t = T.clone(t)
   nan_payloads.clean(T, t._memory._data + t._offset, count)
   return t
end

function nan_payloads.clean(T, data, count)
   if T.integer then return end
   -- After a call of C compiled code looks at memory anew, whatever it wrote or read there as another type.
   libc.t7_memmove(data, data, 0)
   if count >= MANY and T.name ~= 'Half' and not may_hold_nan(T, data, count) then return end
   if T.name == 'Double' then clean_doubles(cast(int_p, data), count)
   elseif T.name == 'Float' then clean_floats(cast(int_p, data), count)
   elseif T.name == 'Half' then clean_halves(cast(short_p, data), count) end
end

return nan_payloads
