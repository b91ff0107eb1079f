-- The backend of streams for files and pipes: a window over a descriptor of the operating system. While reading, the
-- descriptor is at base + limit; while writing, at base, and the window holds the bytes not written yet.

local ffi = require 'ffi'
local stream = require 'torch.io.stream'
local libc = require 'torch.native.libc'
local cast, copy, errno, ffi_string = ffi.cast, ffi.copy, ffi.errno, ffi.string
local fail = stream.fail

local descriptor = {}

local WINDOW = 65536
local MAX_BYTES = 2 ^ 30           -- bytes that one call of the operating system reads or writes
local INTERRUPTED = 4              -- errno after a signal: the call is made again
local SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2

local byte_p, window_ct = ffi.typeof 'uint8_t *', ffi.typeof 'uint8_t[?]'
local READ, WRITE, BOTH, CREATE, TRUNCATE, BINARY

if jit.os == 'Windows' then
   READ, WRITE, BOTH, CREATE, TRUNCATE, BINARY = 0, 1, 2, 0x100, 0x200, 0x8000
else
   READ, WRITE, BOTH, BINARY = 0, 1, 2, 0
   CREATE, TRUNCATE = 0x40, 0x200
   if jit.os ~= 'Linux' then CREATE, TRUNCATE = 0x200, 0x400 end
end

local os_open, os_read, os_write, os_seek = libc.t7_open, libc.t7_read, libc.t7_write, libc.t7_lseek
local os_close = libc.t7_close
local os_pipe, os_end_pipe, os_number = libc.t7_popen, libc.t7_pclose, libc.t7_fileno

-- Streams that are open for writing: they are flushed when the program ends.
local writing = setmetatable({}, { __mode = 'k' })

local function reason() return ffi_string(libc.t7_strerror(errno())) end

local function attach(file, name, readable, writable)
   local s = stream.new(descriptor, name, readable, writable)
   s.file, s.capacity = file, WINDOW
   s.window = window_ct(WINDOW + 1)
   s.data = cast(byte_p, s.window)
   local start = tonumber(os_seek(file, 0, SEEK_CUR))
   s.seekable = start >= 0
   if s.seekable then s.base = start end
   if writable then writing[s] = true end
   return s
end

-- Opens a file in mode 'r', 'w' or 'rw'; nil and the reason when that fails.
function descriptor.open(path, mode)
   local flags = READ
   if mode == 'w' then flags = WRITE + CREATE + TRUNCATE elseif mode == 'rw' then flags = BOTH + CREATE end
   local file = os_open(path, flags + BINARY, ffi.new('int', 438))      -- 0666 in octal, less the umask
   if file < 0 then return nil, reason() end
   return attach(file, path, mode ~= 'w', mode ~= 'r')
end

function descriptor.pipe(command, mode)
   local pipe = os_pipe(command, mode)
   if pipe == nil then return nil, reason() end
   local s = attach(os_number(pipe), command, mode == 'r', mode == 'w')
   s.pipe = pipe
   return s
end

-- Reads up to n bytes from the descriptor; 0 at the end of the file.
local function receive(s, pointer, n)
   while true do
      local got = tonumber(os_read(s.file, pointer, math.min(n, MAX_BYTES)))
      if got >= 0 then return got end
      if errno() ~= INTERRUPTED then
         fail(s, 'cannot read: %s', reason())
         return 0
      end
   end
end

local function send(s, pointer, n)
   local sent = 0
   while sent < n do
      local took = tonumber(os_write(s.file, pointer + sent, math.min(n - sent, MAX_BYTES)))
      if took >= 0 then
         sent = sent + took
      elseif errno() ~= INTERRUPTED then
         fail(s, 'cannot write: %s', reason())
         return sent
      end
   end
   return sent
end

function descriptor.flush(s)
   if s.write_limit == 0 or s.pos == 0 then return end
   local n = s.pos
   s.base, s.pos, s.limit = s.base + n, 0, 0
   send(s, s.data, n)
end

local function grow(s, n)
   if n <= s.capacity then return end
   local wider = math.max(n, 2 * s.capacity)
   local window = window_ct(wider + 1)
   copy(window, s.data, math.max(s.pos, s.limit))
   s.window, s.data, s.capacity = window, cast(byte_p, window), wider
end

local function start_reading(s)
   if s.write_limit == 0 then return end
   descriptor.flush(s)
   s.write_limit, s.limit = 0, 0
end

local function start_writing(s)
   if s.write_limit > 0 then return end
   if s.seekable and s.pos ~= s.limit then os_seek(s.file, s.base + s.pos, SEEK_SET) end
   s.base, s.pos, s.limit, s.write_limit = s.base + s.pos, 0, 0, s.capacity
end

function descriptor.fill(s, n)
   start_reading(s)
   local left = s.limit - s.pos
   if s.pos > 0 then
      libc.t7_memmove(s.data, s.data + s.pos, left)
      s.base, s.pos, s.limit = s.base + s.pos, 0, left
   end
   while s.limit < n do
      -- The window grows with the input: `n` may be a corrupt size from a file.
      if s.limit == s.capacity then grow(s, math.min(n, 2 * s.capacity)) end
      local got = receive(s, s.data + s.limit, s.capacity - s.limit)
      if got == 0 then return false end
      s.limit = s.limit + got
   end
   return true
end

function descriptor.reserve(s, n)
   start_writing(s)
   if s.pos + n <= s.write_limit then return end
   descriptor.flush(s)
   grow(s, n)
   s.write_limit = s.capacity
end

function descriptor.read(s, pointer, n)
   start_reading(s)
   local there = math.min(n, s.limit - s.pos)
   copy(pointer, s.data + s.pos, there)
   s.pos = s.pos + there
   while there < n do
      if n - there < s.capacity then
         descriptor.fill(s, 1)
         local more = math.min(n - there, s.limit - s.pos)
         if more == 0 then return there end
         copy(pointer + there, s.data + s.pos, more)
         s.pos, there = s.pos + more, there + more
      else
         local got = receive(s, pointer + there, n - there)
         if got == 0 then return there end
         s.base, s.pos, s.limit, there = s.base + s.pos + got, 0, 0, there + got
      end
   end
   return there
end

function descriptor.write(s, pointer, n)
   start_writing(s)
   if s.pos + n > s.write_limit then descriptor.flush(s) end
   if n > s.write_limit then
      local sent = send(s, cast(byte_p, pointer), n)
      s.base = s.base + sent
      return sent
   end
   copy(s.data + s.pos, pointer, n)
   stream.advance(s, n)
   return n
end

-- How many bytes the file has; nil for pipes and terminals.
function descriptor.size(s)
   if not s.seekable then return nil end
   descriptor.flush(s)
   local here = os_seek(s.file, 0, SEEK_CUR)
   local size = tonumber(os_seek(s.file, 0, SEEK_END))
   os_seek(s.file, here, SEEK_SET)
   return size
end

-- How many bytes can still be read; nil where that cannot be known.
function descriptor.left(s)
   local size = descriptor.size(s)
   return size and math.max(size - s.base - s.pos, 0)
end

function descriptor.seek(s, position)
   if s.seekable and s.write_limit == 0 and position >= s.base and position <= s.base + s.limit then
      s.pos = position - s.base
      return
   end
   descriptor.flush(s)
   if not s.seekable or os_seek(s.file, position, SEEK_SET) < 0 then
      fail(s, 'cannot seek to position %.0f', position + 1)
      return
   end
   s.base, s.pos, s.limit, s.write_limit = position, 0, 0, 0
end

function descriptor.close(s)
   -- The descriptor is released although the last bytes cannot be written.
   local flushed, why = pcall(descriptor.flush, s)
   writing[s] = nil
   if s.pipe then
      os_end_pipe(s.pipe)
   elseif os_close(s.file) ~= 0 then
      fail(s, 'cannot close: %s', reason())
   end
   s.pipe, s.window, s.data, s.pos, s.limit, s.write_limit = nil, nil, nil, 0, 0, 0
   if not flushed then error(why, 0) end
end

function descriptor.refresh() end

-- Tells whether a file of Lua's io library, or a descriptor, is a terminal.
function descriptor.is_terminal(lua_file, number)
   if lua_file then number = os_number(lua_file) end
   return number ~= nil and libc.t7_isatty(number) ~= 0
end

-- Flushes all files, as C's exit does; raises no error.
function descriptor.flush_all()
   for s in next, writing do pcall(descriptor.flush, s) end
end

return descriptor
