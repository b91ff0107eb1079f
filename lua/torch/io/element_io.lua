-- Reading and writing runs of elements of one type. Binary elements have the byte order of memory, or the reverse
-- (`swap`); longs may have 4 bytes. In text, numbers are separated by spaces and a run ends in a newline; bytes and
-- chars are not converted.

local ffi = require 'ffi'
local element, buffers = require 'torch.loops.element', require 'torch.memory.buffers'
local clean = require('torch.loops.nan_payloads').clean
local stream, types = require 'torch.io.stream', require 'torch.base.types'
local new_text = require('string.buffer').new
local lazy_table = require 'torch.jit.lazy_table'
local libc = require 'torch.native.libc'
local cast, copy = ffi.cast, ffi.copy
local floor, huge, min, tonumber = math.floor, math.huge, math.min, tonumber
local need, read_bytes, write_bytes = stream.need, stream.read_bytes, stream.write_bytes

local element_io = {}

local Long = types.by_name.Long
local byte_p, text_p = ffi.typeof 'uint8_t *', ffi.typeof 'const char *'
local int_p = ffi.typeof 'int32_t *'
local CHUNK = 4096
local UNCHECKED = 65536         -- elements for which memory is allocated before the length is known
local MAX_WORD = 1024           -- bytes of the text of a number

local access = lazy_table(function(T)
   return {
      get = element.getter(T), set = element.setter(T), integer = T.integer,
      format = T.integer and '%d' or T.name == 'Double' and '%.17g' or '%.9g',
   }
end)

local scratch = ffi.new 'double[1]'
local scratch_bytes = cast(byte_p, scratch)

-- The text of an infinity or NaN, with its sign, as C prints it.
local function special(v)
   if v == huge then return 'inf' elseif v == -huge then return '-inf' end
   scratch[0] = v
   return scratch_bytes[7] >= 128 and '-nan' or 'nan'
end

local function write_text(s, T, data, n)
   local entry = access[T]
   local get, pattern = entry.get, entry.format
   local is_long = T == Long
   local written = 0
   while written < n do
      local text = new_text()
      local stop = min(written + CHUNK, n)
      for i = written, stop - 1 do
         if i > 0 and s.spacing then text:put(' ') end
         if is_long then
            text:putf('%d', data[i])
         else
            local v = get(data, i)
            if v - v ~= 0 then text:put(special(v)) else text:putf(pattern, v) end
         end
      end
      local block = text:tostring()
      write_bytes(s, block, #block)
      written = stop
   end
end

local function reverse(pointer, size, n)
   local bytes = cast(byte_p, pointer)
   for i = 0, (n - 1) * size, size do
      for k = 0, size / 2 - 1 do
         local a, b = i + k, i + size - 1 - k
         bytes[a], bytes[b] = bytes[b], bytes[a]
      end
   end
end

local bounce = ffi.new('int64_t[?]', CHUNK)
local narrow = cast(int_p, bounce)

local function width(s, T)
   return T == Long and s.binary and s.long_size == 4 and 4 or T.size
end

-- Writes elements whose bytes differ from those in memory, in chunks; returns the number of bytes written.
local function write_converted(s, T, data, n)
   local size = width(s, T)
   local sent = 0
   for first = 0, n - 1, CHUNK do
      local count = min(CHUNK, n - first)
      if size == T.size then
         copy(bounce, data + first, count * size)
      else
         for i = 0, count - 1 do narrow[i] = data[first + i] end
      end
      if s.swap and size > 1 then reverse(bounce, size, count) end
      sent = sent + write_bytes(s, cast(byte_p, bounce), count * size)
   end
   return sent
end

-- Writes n elements from a pointer; returns the number of elements written.
function element_io.write(s, T, data, n)
   if s.binary then
      if s.swap or T == Long and s.long_size == 4 then
         return floor(write_converted(s, T, data, n) / width(s, T))
      end
      return floor(write_bytes(s, cast(byte_p, data), n * T.size) / T.size)
   end
   if n == 0 then return 0 end
   if T.size == 1 then
      write_bytes(s, cast(byte_p, data), n)
   else
      write_text(s, T, data, n)
   end
   if s.spacing then write_bytes(s, '\n', 1) end
   return n
end

-- Moves to the next byte that is not white space; false at the end of the stream.
local function skip_space(s)
   while need(s, 1) do
      local byte = s.data[s.pos]
      if byte ~= 32 and (byte < 9 or byte > 13) then return true end
      s.pos = s.pos + 1
   end
   return false
end

local rest = ffi.new 'char *[1]'

-- The number at `pos`, parsed by a C function; nil if there is none. The window is extended until it holds the whole
-- word, but no further: the rest of a pipe may take long to arrive.
local function scan(s, convert)
   if not skip_space(s) then return nil end
   local length = 0
   repeat
      local data, start, limit = s.data, s.pos, s.limit
      while start + length < limit and data[start + length] > 32 do length = length + 1 end
   until start + length < limit or length > MAX_WORD or not s.backend.fill(s, length + 1)
   if s.data[s.limit] ~= 0 then s.data[s.limit] = 0 end
   local text = s.data + s.pos
   local value = convert(cast(text_p, text))
   local used = tonumber(cast(byte_p, rest[0]) - text)
   if used == 0 then return nil end
   s.pos = s.pos + used
   return value
end

-- A NaN by strtod may have a payload: such a value must not be loaded, see nan_payloads.lua.
local positive_nan, negative_nan = 0 / 0, -(0 / 0)
scratch[0] = positive_nan
if scratch_bytes[7] >= 128 then positive_nan, negative_nan = negative_nan, positive_nan end

local function as_double(text)
   local first = text[0]
   if first == 43 or first == 45 then first = text[1] end
   if first == 110 or first == 78 then
      libc.t7_pass_double(text, rest)
      return text[0] == 45 and negative_nan or positive_nan
   end
   return (libc.t7_strtod(text, rest))
end
local function as_integer(text) return (libc.t7_strtoll(text, rest, 10)) end

local function read_text(s, T, data, n)
   local entry = access[T]
   local set, integer = entry.set, entry.integer
   for i = 0, n - 1 do
      local value = scan(s, integer and as_integer or as_double)
      if value == nil then return i end
      if integer then data[i] = value else set(data, i, value) end
   end
   return n
end

-- Reads n elements to a pointer; returns the number of elements read.
function element_io.read(s, T, data, n)
   local count
   if s.binary then
      local size = width(s, T)
      if s.backend.whole then n = min(n, floor((s.limit - s.pos) / size)) end
      if size == T.size then
         count = floor(read_bytes(s, data, n * size) / size)
         if s.swap and size > 1 then reverse(data, size, count) end
         -- Includes the bytes of an element that the end of the stream cut off.
         if not T.integer then clean(T, data, n) end
         return count
      end
      count = 0
      while count < n do
         local wanted = min(CHUNK, n - count)
         local got = floor(read_bytes(s, bounce, wanted * size) / size)
         if s.swap then reverse(bounce, size, got) end
         for i = 0, got - 1 do data[count + i] = narrow[i] end
         count = count + got
         if got < wanted then break end
      end
      return count
   end
   if T.size == 1 then
      count = read_bytes(s, data, n)
   else
      count = read_text(s, T, data, n)
   end
   if s.spacing and n > 0 then stream.skip_newline(s) end
   return count
end

-- A storage of the next `count` elements, fewer if the stream ends before, and their number. If the length of the
-- stream is unknown, memory grows as elements arrive.
function element_io.read_storage(s, T, count)
   local first = count
   if count > UNCHECKED and not s.backend.left(s) then first = UNCHECKED end
   local storage = T.wrap_storage(buffers.new(T, first))
   local got = element_io.read(s, T, storage._memory._data, first)
   while got == first and got < count do
      first = min(count, 2 * got)
      storage:resize(first)
      got = got + element_io.read(s, T, storage._memory._data + got, first - got)
   end
   if got < first then storage:resize(got) end
   return storage, got
end

-- The least number of bytes that n elements take in a stream.
function element_io.min_bytes(s, T, n)
   if s.binary then return n * width(s, T) end
   return T.size == 1 and n or 2 * n - 1
end

return element_io
