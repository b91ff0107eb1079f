-- Streams: bytes with a position, which all torch files use. A stream has a window of its bytes:
--
--   data         pointer to the window; the byte at `limit` may be set to 0 as an end mark
--   base         position of the window in the stream, 0 for memory
--   pos          where the next byte is read or written, counted from the window's start
--   limit        how many bytes of the window can be read
--   write_limit  how many bytes of the window can be written; 0 while a file is being read
--
-- When `pos` reaches `limit` or `write_limit`, the backend's `fill` or `reserve` extends the window. This file has the
-- backend for memory, whose window is the whole stream; descriptor.lua has the one for files.

local ffi = require 'ffi'
local buffers, errors, types = require 'torch.memory.buffers', require 'torch.base.errors', require 'torch.base.types'
local parallel_copy = require 'torch.parallel.parallel_copy'
local MIN_BYTES = parallel_copy.MIN_BYTES
local copy, ffi_string, cast = ffi.copy, ffi.string, ffi.cast
local floor, max, min = math.floor, math.max, math.min

local stream = {}

local byte_p = ffi.typeof 'uint8_t *'

-- Fields of all streams; `name` is for messages.
function stream.new(backend, name, readable, writable)
   return {
      backend = backend, name = name, readable = readable, writable = writable,
      data = cast(byte_p, 0), base = 0, pos = 0, limit = 0, write_limit = 0,
      binary = false, swap = false, long_size = 0, spacing = true,
      quiet = false, failed = false, closed = false,
   }
end

-- Reports a failure: sets the flag, and raises an error unless the stream is quiet.
function stream.fail(s, message, ...)
   s.failed = true
   if s.quiet then return end
   errors.raise('%s: ' .. message, s.name, ...)
end
local fail = stream.fail

function stream.position(s) return s.base + s.pos + 1 end

-- Makes sure that `n` bytes can be read at `pos`; false when the stream ends before.
function stream.need(s, n)
   return s.pos + n <= s.limit or s.backend.fill(s, n)
end

-- Moves past `n` bytes that were just written at `pos`.
function stream.advance(s, n)
   local pos = s.pos + n
   s.pos = pos
   if pos > s.limit then s.limit = pos end
end

-- Copies `n` bytes from a pointer or a string, many of them in parallel.
local function move(to, from, n)
   if n < MIN_BYTES then copy(to, from, n) else parallel_copy.move(to, from, n) end
end

-- Reads `n` bytes to a pointer; returns the number of bytes read.
function stream.read_bytes(s, pointer, n)
   if s.pos + n <= s.limit then
      move(pointer, s.data + s.pos, n)
      s.pos = s.pos + n
      return n
   end
   return s.backend.read(s, cast(byte_p, pointer), n)
end

-- Writes `n` bytes from a pointer or a string; the number of bytes written.
function stream.write_bytes(s, pointer, n)
   if s.pos + n <= s.write_limit then
      move(s.data + s.pos, pointer, n)
      stream.advance(s, n)
      return n
   end
   return s.backend.write(s, pointer, n)
end

-- A string of `n` bytes; nil, without reading anything, if the stream is shorter.
function stream.read_string(s, n)
   if s.pos + n > s.limit then
      -- Sizes are read from files: a corrupt one must not allocate memory before it is detected.
      local left = n > 65536 and s.backend.left(s)
      if left and n > left or not s.backend.fill(s, n) then return nil end
   end
   local text = ffi_string(s.data + s.pos, n)
   s.pos = s.pos + n
   return text
end

-- Skips the newline that follows an element in ascii.
function stream.skip_newline(s)
   if (s.pos < s.limit or s.backend.fill(s, 1)) and s.data[s.pos] == 10 then s.pos = s.pos + 1 end
end

local memory = {}
stream.memory = memory

-- The storage is one byte larger than the stream, for a terminating NUL.
local function look(s)
   local inner = s.storage._memory
   -- Keeps the memory while it is read or written: the program may resize the storage meanwhile.
   if s.shared then buffers.expose(inner) end
   s.data, s.write_limit = cast(byte_p, inner._data), s.writable and max(inner._size - 1, 0) or 0
   s.limit = min(s.limit, max(inner._size - 1, 0))
   s.pos = min(s.pos, s.limit)
end

-- A stream over a CharStorage; without one, over new memory.
function stream.over_storage(storage, name, readable, writable)
   local s = stream.new(memory, name, readable, writable)
   if storage then
      s.storage, s.shared = storage, true
      s.limit = storage._memory._size - 1
   else
      s.storage = types.by_name.Char.storage_methods.new(256)
   end
   look(s)
   return s
end

-- The memory of a discarded stream, reused by the next one: the first access to new memory is slow.
local spare
local LARGEST_SPARE = 16 * 2 ^ 20

-- A stream for writing, whose bytes are taken from `data` before `stream.discard`.
function stream.scratch(name)
   local s = stream.new(memory, name, true, true)
   s.storage, spare = spare or types.by_name.Char.storage_methods.new(256), nil
   look(s)
   return s
end

-- Ends such a stream. If a program asked for its storage meanwhile, the storage belongs to the program.
function stream.discard(s)
   if not s.shared and s.storage._memory._size <= LARGEST_SPARE then spare = s.storage end
   s.closed = true
   memory.close(s)
end

function stream.over_string(text, name)
   local s = stream.new(memory, name, true, false)
   s.keeper = text
   s.data, s.limit = cast(byte_p, cast('const char *', text)), #text
   return s
end

-- The program may have resized the storage since the last access.
function memory.refresh(s)
   if s.storage then look(s) end
end

function memory.fill() return false end

function memory.reserve(s, n)
   local needed = s.pos + n + 1
   local capacity = s.storage._memory._size
   if needed > capacity then
      local wider = max(needed, floor(capacity * 2))
      if s.shared then
         s.storage:resize(wider)
      else
         -- No other object refers to the storage: it is replaced by one whose bytes are not zeroed.
         local Char = types.by_name.Char
         local storage = Char.wrap_storage(buffers.new(Char, wider))
         copy(storage._memory._data, s.data, s.limit)
         s.storage = storage
      end
   end
   look(s)
end

memory.whole = true      -- of an element at the end that is cut off, nothing is read

function memory.read(s, pointer, n)
   local there = min(n, max(s.limit - s.pos, 0))
   move(pointer, s.data + s.pos, there)
   s.pos = s.pos + there
   return there
end

function memory.write(s, pointer, n)
   memory.reserve(s, n)
   move(s.data + s.pos, pointer, n)
   stream.advance(s, n)
   return n
end

function memory.left(s) return s.limit - s.pos end

function memory.size(s) return s.limit end

function memory.seek(s, position)
   if position > s.limit then
      fail(s, 'cannot seek to position %.0f: there are %.0f bytes', position + 1, s.limit)
   else
      s.pos = position
   end
end

function memory.flush() end

function memory.close(s) s.storage, s.keeper, s.data, s.limit = nil, nil, nil, 0 end

-- The storage with the written bytes and a NUL.
function stream.storage(s)
   if not s.storage then s.storage = types.by_name.Char.storage_methods.new(0):string(s.keeper .. '\0') end
   s.storage:resize(s.limit + 1)
   s.shared = true
   look(s)
   s.data[s.limit] = 0
   return s.storage
end

return stream
