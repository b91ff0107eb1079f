-- Reads of single values from files that are not trusted: errors give the position in the file and the bytes there.

local ffi = require 'ffi'
local element_io, object_format = require 'torch.io.element_io', require 'torch.io.object_format'
local progress, stream = require 'torch.base.progress', require 'torch.io.stream'
local get_double, get_int, get_long, read_string =
   element_io.get_double, element_io.get_int, element_io.get_long, stream.read_string

local cast, ffi_string, int_p = ffi.cast, ffi.string, ffi.typeof 'int32_t *'

local MANY = 1000           -- sizes up to this are not compared with the size of the file

local function raise(s, at, message, ...)
   object_format.raise('%s: at byte %.0f: ' .. message, s.name, at, ...)
end

local function here(s) return s.base + s.pos + 1 end

local function found(s)
   local left = s.limit - s.pos
   if left <= 0 then return 'the end of the file' end
   local shown = {}
   for i = 0, (left < 8 and left or 8) - 1 do
      local b = s.data[s.pos + i]
      shown[#shown + 1] = b >= 33 and b < 127 and string.char(b) or string.format('\\%d', b)
   end
   return table.concat(shown, ' ')
end

-- The next number, by one of the functions of element_io.lua.
local function number(s, get, what)
   local at = here(s)
   local value = get(s)
   if value == nil then raise(s, at, 'cannot read the %s (got %s)', what, found(s)) end
   return value
end

local function int(s, what)
   local stop = s.pos + 4
   if stop <= s.limit and s.binary and not s.swap then
      s.pos = stop
      return (tonumber(cast(int_p, s.data + stop - 4)[0]))
   end
   return number(s, get_int, what)
end
local function long(s, what) return number(s, get_long, what) end
local function double(s, what) return number(s, get_double, what) end

-- Raises an error unless the rest of the file can hold `count` items, `least` bytes in all at the minimum.
local function check_remaining(s, at, count, least, what)
   if not (count >= 0) then raise(s, at, '%s must be a number of at least 0 (got %.0f)', what, count) end
   if count <= MANY then return end
   local left = s.backend.left(s)
   if left and least > left then
      raise(s, at, '%s: read %.0f, but the remaining %.0f bytes cannot hold that many', what, count, left)
   end
end

local function text(s, what)
   local at = here(s)
   local length = int(s, 'length of ' .. what)
   if length < 0 then raise(s, at, 'the length of %s must be at least 0 (got %.0f)', what, length) end
   local pos = s.pos
   local value
   if pos + length <= s.limit then
      value, s.pos = ffi_string(s.data + pos, length), pos + length
   else
      value = read_string(s, length)
   end
   if not value then raise(s, at, 'cannot read a %s of %.0f bytes: the file ends before', what, length) end
   if length > 0 and not s.binary and s.spacing then stream.skip_newline(s) end
   return value
end

local function check_count(s, T, got, count, at)
   if got < count then
      raise(s, at, 'cannot read %.0f elements of %s (got %.0f, then %s)', count, T.storage_name, got, found(s))
   end
end

local OFTEN = 2 ^ 16        -- bytes after which progress is reported

-- Reports reading progress for files of known size.
local function tell(s)
   if not s.total or s.base + s.pos < (s.told or 0) then return end
   s.told = s.base + s.pos + OFTEN
   progress.step('loading', s.name, (s.base + s.pos) / s.total)
end

local function read_elements(s, T, count, at, what)
   check_remaining(s, at, count, element_io.min_bytes(s, T, count), what)
   local storage, got = element_io.read_storage(s, T, count)
   check_count(s, T, got, count, at)
   tell(s)
   return storage
end

return {
   raise = raise, here = here, found = found, tell = tell, check_remaining = check_remaining, check_count = check_count,
   int = int, long = long, double = double, text = text, elements = read_elements,
}
