-- Replaces NaNs that LuaJIT takes for other values, such as strings at arbitrary addresses. The FFI does not check the
-- numbers that it reads: torch reads elements by element.getter, but kernels of other packages load them directly. So
-- every NaN with a payload is replaced in data from elsewhere. See docs/decisions/0011-nan-payloads.md.

local bit = require 'bit'
local ffi = require 'ffi'
local band, cast = bit.band, ffi.cast
local libc, nan_search = require 'torch.native.libc', require 'torch.base.nan_search'
local tuning = require 'torch.base.tuning'

local nan_payloads = {}

-- Words are compared as integers; they must not be read as fractions.
local int_p, short_p = ffi.typeof 'int32_t *', ffi.typeof 'uint16_t *'

local function clean_doubles(words, count)
   for i = 1, 2 * count - 1, 2 do
      local low, high = words[i - 1], band(words[i], 0x7fffffff)
      if high >= 0x7ff00000 and (high > 0x7ff00000 or low ~= 0) and (high ~= 0x7ff80000 or low ~= 0) then
         words[i - 1], words[i] = 0, 0x7ff80000
      end
   end
end

local function clean_words(words, count, magnitude, infinity, nan)
   for i = 0, count - 1 do
      local word = band(words[i], magnitude)
      if word > infinity and word ~= nan then words[i] = nan end
   end
end

-- NumPy's loop searches at least this number of elements.
local MANY = tuning.NAN_SEARCH
local searches = {}

local function may_hold_nan(T, data, count)
   searches[T] = searches[T]
      or nan_search.make(T, require('torch.native.native').loop_alone('maximum', T, T, T))
   return searches[T](data, count)
end

local function is_odd(T, words, count)
   local step, high, infinite = 1, 0, 0x7f800000
   if T.name == 'Double' then step, high, infinite = 2, 1, 0x7ff00000 end
   for i = 0, count - 1 do
      if band(words[i * step + high], infinite) == infinite then return true end
   end
   return false
end

-- Tells whether there may be such NaNs among `count` elements; may report infinities as well.
function nan_payloads.odd(T, data, count)
   libc.t7_memmove(data, data, 0)
   if count >= MANY then return may_hold_nan(T, data, count) end
   return is_odd(T, cast(int_p, data), count)
end

function nan_payloads.clean(T, data, count)
   if T.integer then return end
   -- A C call makes compiled code reload memory, regardless of the types by which it was accessed.
   libc.t7_memmove(data, data, 0)
   if count >= MANY and T.name ~= 'Half' and not may_hold_nan(T, data, count) then return end
   if T.name == 'Double' then clean_doubles(cast(int_p, data), count)
   elseif T.name == 'Float' then clean_words(cast(int_p, data), count, 0x7fffffff, 0x7f800000, 0x7fc00000)
   elseif T.name == 'Half' then clean_words(cast(short_p, data), count, 0x7fff, 0x7c00, 0x7e00) end
end

return nan_payloads
