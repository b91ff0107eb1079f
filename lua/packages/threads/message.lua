-- Messages between threads: Lua values as bytes in memory that belongs to no state. A sharing message refers to the
-- memory of tensors and storages, and the reader gets tensors sharing memory; others contain copies of the
-- elements.

local error, pcall, require, tostring, type = error, pcall, require, tostring, type
local ffi = require 'ffi'
-- Loads the parts of torch.save and torch.load.
require('torch').serialize(0)
local libc, host = require 'torch.native.libc', require('torch.native.host').of 'threads'
local message_streams, object_format = require 'threads.message_streams', require 'torch.io.object_format'
local errors, shared = require 'torch.base.errors', require 'torch.memory.shared'
local object_reader, object_writer = require 'torch.io.object_reader', require 'torch.io.object_writer'
local message_values, references = require 'threads.message_values', require 'threads.references'
local types = require 'torch.base.types'
local cast, copy = ffi.cast, ffi.copy
local put_int, get_int, of_storage = object_format.put_int, object_format.get_int, types.of_storage

local message = {}

-- `lane` is 0 for any taker, otherwise its number; `id` is the job's number, `status` its outcome; the addresses of
-- `references` shared buffers follow, then `length` bytes.
ffi.cdef [[
typedef struct t7_Message {
   struct t7_Message *next; double lane, id, status, sender, references, length;
} t7_Message;
]]
message.pointer_ct = ffi.typeof 't7_Message *'
local HEADER = ffi.sizeof 't7_Message'
local pointer_ct, byte_p, double_p = message.pointer_ct, ffi.typeof 'uint8_t *', ffi.typeof 'double *'

-- Other schemes are modules with functions save(values), which returns a string or a CharStorage, and load(that).
local function saved(scheme, values)
   local bytes = require(scheme).save(values)
   if of_storage(bytes) == types.by_name.Char then bytes = bytes:string() end
   if type(bytes) ~= 'string' then
      errors.raise('threads.serialization: %s.save must return a string or a CharStorage (got %s)', scheme,
         errors.describe(bytes))
   end
   return { n = 3, bytes, scheme, values.n }
end

local function loaded(values)
   local result = require(values[2]).load(values[1])
   result.n = values[3]
   return result
end

local BY_NAME = {}
for name, mode in pairs { serialize = 'copied', serialization = 'copied', sharedserialize = 'shared' } do
   BY_NAME['threads.' .. name] = message_values[mode]
end
function message.is_scheme(name) return BY_NAME[name] ~= nil end

local function release_all(held)
   for i = 1, #held do shared.release(held[i]) end
end

local function allocate(s)
   local bytes, held = s.limit, s.held
   local m = cast(pointer_ct, libc.t7_malloc(HEADER + 8 * #held + bytes))
   if cast('intptr_t', m) == 0 then errors.raise('threads: out of memory: cannot allocate %.0f bytes', bytes) end
   m.lane, m.id, m.status, m.sender, m.references, m.length = 0, 0, 0, 0, #held, bytes
   local addresses = cast(double_p, cast(byte_p, m) + HEADER)
   for i = 1, #held do addresses[i - 1] = held[i] end
   copy(addresses + #held, s.data, bytes)
   return m
end

-- Returns a message of values, { n = count, ... }, by a scheme, and a list of the tensors in it that share.
function message.pack(scheme, values)
   references.refresh()
   local mode = BY_NAME[scheme]
   if not mode then
      values = saved(scheme, values)
      mode = message_values.copied
   end
   local s, tensors = message_streams.writer(), {}
   s.sharing, s.tensors = mode, tensors
   put_int(s, BY_NAME[scheme] and 0 or 1)
   local ok, caught = pcall(object_writer.write_list, s.file, s, values)
   local m
   if ok then ok, m = pcall(allocate, s) end
   if not ok then
      local held = s.held
      message_streams.discard(s)
      release_all(held)
      error(caught or m, 0)
   end
   message_streams.end_writing(s)
   return m, tensors
end

-- Frees a message.
function message.free(m)
   local addresses = cast(double_p, cast(byte_p, m) + HEADER)
   for i = 0, m.references - 1 do shared.release(addresses[i]) end
   libc.t7_free(m)
end

message.address = require('torch.native.native').address_of

function message.at(address) return cast(pointer_ct, cast('intptr_t', address)) end

-- Frees a message, and the contents of a store with it.
function shared.drop(number)
   local item, count = host.store_drop(number)
   for i = 0, count - 1 do message.free(message.at(host.store_item(item, i))) end
end

-- Returns the values of a message, { n = count, ... }, and a list of the tensors in it that share; or false and the
-- error.
local function values_of(m)
   local s, tensors = message_streams.reader(cast(byte_p, m) + HEADER + 8 * m.references, m.length), {}
   s.sharing, s.tensors = message_values.shared, tensors
   local is_saved = get_int(s) == 1
   local ok, values = pcall(object_reader.read_list, s.file, s)
   if not ok then
      message_streams.discard(s)
      return false, values
   end
   message_streams.end_reading(s)
   return is_saved and loaded(values) or values, tensors
end

-- The values of a message, which is kept.
function message.peek(m)
   local values, reason = values_of(m)
   if not values then error(reason, 0) end
   return values
end

-- The values of a message, and the list of tensors that share. Frees the message.
function message.unpack(m)
   local values, tensors = values_of(m)
   message.free(m)
   if not values then error(tensors, 0) end
   return values, tensors
end

-- The text of a failure, as the handler of shell.traceback describes it: the message and where it came from.
function message.of_failure(record)
   if type(record) ~= 'table' then return tostring(record) end
   local trace = record.traceback
   return tostring(record.message) .. (trace and trace ~= '' and '\nstack traceback:\n' .. trace or '')
end

-- Programs create messages by the million, like tensors.
require('torch.memory.collector').start()

return message
