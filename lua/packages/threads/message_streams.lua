-- Streams for messages between threads. Each has a file, on which the read and write methods of classes are called, and
-- is reused for one message after another: creating them, and the contexts of object_writer and object_reader, takes
-- longer than writing the values of most jobs, and leaves kilobytes of garbage. A stream is discarded after a method of
-- a class had its file, which the program may have kept, and after an error or a large message.

local clear = require 'table.clear'
local file, stream = require 'torch.io.file', require 'torch.io.stream'

local message_streams = {}

-- Nil while in use: values may contain messages themselves.
local idle_writer, idle_reader
local MAX_OBJECTS, MAX_BYTES = 64, 65536

local function with_file(s)
   s.binary, s.held, s.file = true, {}, file.over(s)
   return s
end

-- Ends a stream. Its file would keep itself alive.
function message_streams.discard(s)
   s.file = nil
   if s.writable then return stream.discard(s) end
   s.closed = true
   stream.memory.close(s)
end

-- A stream whose bytes are written, from `data` to `limit`; `held` is a list for the addresses of shared memory.
function message_streams.writer()
   local s = idle_writer
   idle_writer = nil
   return s or with_file(stream.scratch 'message')
end

function message_streams.end_writing(s)
   local w = s.writer
   if s.lent or w.count > MAX_OBJECTS or s.limit > MAX_BYTES then return message_streams.discard(s) end
   if w.count > 0 then
      clear(w.indices)
      clear(w.storages)
      clear(w.path)
      clear(w.upvalues)
      clear(s.held)
      w.count, w.upvalue_count = 0, 0
   end
   s.pos, s.limit, s.tensors, idle_writer = 0, 0, nil, s
end

-- A stream over bytes in memory.
function message_streams.reader(data, length)
   local s = idle_reader
   idle_reader = nil
   s = s or with_file(stream.new(stream.memory, 'message', true, false))
   s.data, s.limit, s.pos = data, length, 0
   return s
end

function message_streams.end_reading(s)
   local r = s.reader
   if s.lent or #r.objects > MAX_OBJECTS then return message_streams.discard(s) end
   if r.objects[1] ~= nil then
      clear(r.objects)
      clear(r.upvalues)
      clear(r.cells)
      clear(r.keys)
   end
   s.data, s.limit, s.tensors, idle_reader = nil, 0, nil, s
end

return message_streams
