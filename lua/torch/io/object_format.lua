-- The object format of .t7 files: tags, single values, and errors. No file is trusted: sizes are compared with the rest
-- of the file before memory is allocated, and errors give the position, the bytes found and the expectation.

local ffi = require 'ffi'
local element_io, errors = require 'torch.io.element_io', require 'torch.base.errors'
local file_formats, progress = require 'torch.io.file_formats', require 'torch.base.progress'
local stream, types = require 'torch.io.stream', require 'torch.base.types'
local band = require('bit').band
local cast, copy, ffi_string, tonumber = ffi.cast, ffi.copy, ffi.string, tonumber
local read, write, write_bytes = element_io.read, element_io.write, stream.write_bytes
local Int, Long, Double = types.by_name.Int, types.by_name.Long, types.by_name.Double

local object_format = {}
for _, row in ipairs(file_formats.records) do object_format[row.name] = row.tag end

-- Faults are raised as objects, so that the message can blame the line of the program that called.
local fault = {}
fault.__index = fault
function fault.__tostring(object) return object.message end

local function raise(message, ...)
   error(setmetatable({ message = errors.plain(string.format(message, ...)) }, fault), 0)
end
object_format.raise = raise

-- Raises a fault at a position of a file that is being read.
local function raise_at(s, at, message, ...) raise('%s: at byte %.0f: ' .. message, s.name, at, ...) end
object_format.raise_at = raise_at

-- The same where the file did not have what was to be read, which hasError() tells.
local function unreadable(s, at, message, ...)
   s.failed = true
   raise_at(s, at, message, ...)
end
object_format.unreadable = unreadable

-- Raises again an error that `attempt` caught; a fault becomes an error at the program's line.
function object_format.rethrow(caught)
   if getmetatable(caught) == fault then errors.raise('%s', caught.message) end
   error(caught, 0)
end

-- Returns the result of an attempt, or re-raises the error that it caught.
function object_format.settled(ok, result)
   if not ok then object_format.rethrow(result) end
   return result
end

-- Calls f(s, context, ...) for a file object as pcall does. Read and write methods of classes re-enter it: inner errors
-- propagate to the outermost call.
function object_format.attempt(context, object_file, f, s, ...)
   if context.active then return true, f(s, context, ...) end
   -- A context must not keep its file alive, or no file would ever be collected.
   context.active, context.file = true, object_file
   local ok, result = pcall(f, s, context, ...)
   context.active, context.file = false, nil
   return ok, result
end

-- Objects may be nested this deep. Lua's stack is far shallower: a new coroutine continues at regular depths.
object_format.MAX_DEPTH, object_format.STEP = 100000, 500

function object_format.on_new_stack(f, ...)
   local ok, result = coroutine.resume(coroutine.create(f), ...)
   if not ok then error(result, 0) end
   return result
end

-- Writing and reading single numbers: without conversion where their bytes in the stream equal those in memory.
local int_p, long_p, double_p = ffi.typeof 'int32_t *', ffi.typeof 'int64_t *', ffi.typeof 'double *'
local one_int, one_long, one_double = ffi.new 'int32_t[1]', ffi.new 'int64_t[1]', ffi.new 'double[1]'
local EXPONENT = 0x7FF00000         -- of infinities and NaNs, in the upper half of a double

-- A pointer to the next `n` bytes, which are about to be written; moves past them.
local function claim(s, n)
   if s.pos + n > s.write_limit then s.backend.reserve(s, n) end
   local pos = s.pos + n
   s.pos = pos
   if pos > s.limit then s.limit = pos end
   return s.data + (pos - n)
end

-- A pointer to the next `n` bytes, nil if the stream ends before; moves past them.
local function take(s, n)
   if s.pos + n > s.limit and not s.backend.fill(s, n) then return nil end
   local pos = s.pos
   s.pos = pos + n
   return s.data + pos
end

local function put_int(s, value)
   if s.binary and not s.swap then
      cast(int_p, claim(s, 4))[0] = value
   else
      one_int[0] = value
      write(s, Int, one_int, 1)
   end
end
object_format.put_int = put_int

function object_format.put_long(s, value)
   if s.binary and not s.swap and s.long_size ~= 4 then
      cast(long_p, claim(s, 8))[0] = value
   else
      one_long[0] = value
      write(s, Long, one_long, 1)
   end
end

function object_format.put_double(s, value)
   if s.binary and not s.swap then
      cast(double_p, claim(s, 8))[0] = value
   else
      one_double[0] = value
      write(s, Double, one_double, 1)
   end
end

-- Writes the length of a string and its bytes: at once if it fits into the window of a binary file, as nearly all do.
function object_format.put_string(s, text)
   local length = #text
   if s.binary and not s.swap and s.pos + 4 + length <= s.write_limit then
      local start = claim(s, 4 + length)
      cast(int_p, start)[0] = length
      copy(start + 4, text, length)
      return
   end
   put_int(s, length)
   write_bytes(s, text, length)
   if not s.binary and s.spacing and length > 0 then write_bytes(s, '\n', 1) end
end

-- The next number; nil at the end of the stream.
local function get_int(s)
   if s.binary and not s.swap then
      local start = take(s, 4)
      return start and tonumber(cast(int_p, start)[0])
   end
   return read(s, Int, one_int, 1) == 1 and tonumber(one_int[0]) or nil
end
object_format.get_int = get_int

local function get_long(s)
   if s.binary and not s.swap and s.long_size ~= 4 then
      local start = take(s, 8)
      return start and tonumber(cast(long_p, start)[0])
   end
   return read(s, Long, one_long, 1) == 1 and tonumber(one_long[0]) or nil
end

-- Leaves NaNs to `read`, which replaces their payloads.
local function get_double(s)
   if s.binary and not s.swap and s.pos + 8 <= s.limit then
      local start = s.data + s.pos
      if band(cast(int_p, start)[1], EXPONENT) ~= EXPONENT then
         s.pos = s.pos + 8
         return cast(double_p, start)[0]
      end
   end
   return read(s, Double, one_double, 1) == 1 and one_double[0] or nil
end
object_format.get_double = get_double

-- The position of the next byte, counted from 1.
local function here(s) return s.base + s.pos + 1 end
object_format.here = here

-- The next bytes for messages.
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
object_format.found = found

-- Reads a number with `get`; raises at the end of the file. `what` is for messages.
local function number(s, get, what)
   local at = here(s)
   local value = get(s)
   if value == nil then unreadable(s, at, 'cannot read the %s (got %s)', what, found(s)) end
   return value
end

local function int(s, what) return number(s, get_int, what) end
object_format.int = int
function object_format.long(s, what) return number(s, get_long, what) end
function object_format.double(s, what) return number(s, get_double, what) end

-- Reads a string.
function object_format.text(s, what)
   local at = here(s)
   local length = int(s, 'length of ' .. what)
   if length < 0 then raise_at(s, at, 'the length of %s must be at least 0 (got %.0f)', what, length) end
   local pos = s.pos
   local value
   if pos + length <= s.limit then
      value, s.pos = ffi_string(s.data + pos, length), pos + length
   else
      value = stream.read_string(s, length)
   end
   if not value then unreadable(s, at, 'cannot read a %s of %.0f bytes: the file ends before', what, length) end
   if length > 0 and not s.binary and s.spacing then stream.skip_newline(s) end
   return value
end

local UNCHECKED = 1000      -- sizes up to this are not compared with the size of the file

-- Raises an error unless the rest of the file can hold `count` items that take at least `min_bytes` bytes in all.
function object_format.check_remaining(s, at, count, min_bytes, what)
   if not (count >= 0) then raise_at(s, at, '%s must be a number of at least 0 (got %.0f)', what, count) end
   if count <= UNCHECKED then return end
   local left = s.backend.left(s)
   if left and min_bytes > left then
      raise_at(s, at, '%s: read %.0f, but the remaining %.0f bytes cannot hold that many', what, count, left)
   end
end

local OFTEN = 2 ^ 16        -- bytes after which progress is reported

-- Reports reading progress for files of known size.
function object_format.report(s)
   if not s.total or s.base + s.pos < (s.reported or 0) then return end
   s.reported = s.base + s.pos + OFTEN
   progress.step('loading', s.name, (s.base + s.pos) / s.total)
end

return object_format
