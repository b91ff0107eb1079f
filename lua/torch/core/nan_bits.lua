-- Replaces NaNs that LuaJIT takes for other values. It keeps all values in 64 bits: a non-number looks like a NaN
-- with its sign and a payload. A number read by FFI is not looked at: bits of a file that are such a NaN became nil,
-- or a string at any address. Nothing can check each read, as compiled code keeps the bits as they are. So memory of
-- Double, Float and Half tensors never holds them, nor what becomes one when its sign is changed or when it is
-- calculated with: of bytes that come from elsewhere every NaN but the two without a payload is replaced before an
-- element is read.

local bit = require 'bit'
local ffi = require 'ffi'
local band, cast = bit.band, ffi.cast
local C = require 'torch.core.cdef'
local tuning = require 'torch.core.tuning'

local nan = {}

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
   local native = require 'torch.core.native'
   total[0], total[1] = 0, 0
   native.loop_alone('add', T, T, T)(total, 0, data, T.size, total, 0, count)
   local exponent = T.name == 'Double' and 0x7ff00000 or 0x7f800000
   return band(total[T.name == 'Double' and 1 or 0], exponent) == exponent
end

-- Makes what lies at `data`, `count` elements of type T, numbers; a NaN that is none becomes the usual one.
function nan.clean(T, data, count)
   if T.integer then return end
   -- After a call of C compiled code looks at memory anew, whatever it wrote or read there as another type.
   C.t7_memmove(data, data, 0)
   if count >= MANY and T.name ~= 'Half' and not may_hold_nan(T, data, count) then return end
   if T.name == 'Double' then clean_doubles(cast(int_p, data), count)
   elseif T.name == 'Float' then clean_floats(cast(int_p, data), count)
   elseif T.name == 'Half' then clean_halves(cast(short_p, data), count) end
end

return nan
