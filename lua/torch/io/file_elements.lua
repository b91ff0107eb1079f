-- The methods of torch.File that read and write numbers, storages and strings.

local ffi = require 'ffi'
local element, element_io = require 'torch.loops.element', require 'torch.io.element_io'
local errors, file = require 'torch.base.errors', require 'torch.io.file'
local stream, types = require 'torch.io.stream', require 'torch.base.types'
local keep_alive = require('torch.memory.buffers').keep_alive
local ffi_string = ffi.string

-- Reports that fewer elements were read than wanted.
local function missing(s, T, got, wanted, at)
   s.failed = true
   if s.quiet then return end
   local found = 'the end of the file'
   if s.pos < s.limit then
      found = string.format("'%s'", string.gsub(ffi_string(s.data + s.pos, math.min(s.limit - s.pos, 12)), '%c', '?'))
   end
   stream.fail(s, 'read %.0f of %.0f %s wanted from position %.0f: found %s', got, wanted, T, at, found)
end

-- A storage of n elements from a stream, `one` a place for one. Its size is checked against the rest of the file.
local function read_storage(s, T, n, one)
   local at = stream.position(s)
   local left = s.backend.left(s)
   local count = n
   if left and element_io.min_bytes(s, T, n) > left then
      count = math.min(n, math.floor(left / element_io.min_bytes(s, T, 1)))
   end
   local storage, got = element_io.read_storage(s, T, count)
   if got < n then
      if s.binary then element_io.read(s, T, one, 1) end      -- the part of an element in front of the end of a file
      missing(s, T.name, got, n, at)
   end
   return storage
end

local function add_elements(methods, T)
   local read, write = 'read' .. T.name, 'write' .. T.name
   local get, set = element.getter(T), element.setter(T)
   local one = ffi.new(T.c .. '[1]')

   -- read(): a number; read(n): a storage; read(storage): fills it and returns how many elements there were.
   methods[read] = function(object, what)
      local s = file.readable(object, read)
      if what == nil then
         local at = stream.position(s)
         if element_io.read(s, T, one, 1) == 1 then return get(one, 0) end
         missing(s, T.name, 0, 1, at)
         return 0
      end
      local count = tonumber(what)
      if count then
         count = errors.integer(read, 1, count)
         if count < 0 then errors.argument(read, 1, 'must be a number of elements (got %.0f)', count) end
         -- A file without other references must not be collected, and closed, during the read.
         local storage = read_storage(s, T, count, one)
         keep_alive(object)
         return storage
      end
      if not ffi.istype(T.storage_ct, what) then
         errors.argument_error(read, 1, 'left out, a number or a ' .. T.storage_name, what)
      end
      local n, at = what._memory._size, stream.position(s)
      local got = element_io.read(s, T, what._memory._data, n)
      if got < n then missing(s, T.name, got, n, at) end
      keep_alive(object)
      return got
   end

   -- write(number); write(storage) returns how many elements were written.
   methods[write] = function(object, what)
      local s = file.writable(object, write)
      local number = tonumber(what)
      if number and type(what) ~= 'cdata' then
         set(one, 0, number)
         element_io.write(s, T, one, 1)
         file.written(s)
         return
      end
      if not ffi.istype(T.storage_ct, what) then
         errors.argument_error(write, 1, 'a number or a ' .. T.storage_name, what)
      end
      local sent = element_io.write(s, T, what._memory._data, what._memory._size)
      file.written(s)
      keep_alive(object)
      return sent
   end
end

-- The bytes up to the end of the line or of the file, without the newline; nil at the end of the file.
local function read_line(s)
   local length = 0
   if not stream.need(s, 1) then return nil end
   while true do
      local data, start, limit = s.data, s.pos, s.limit
      while start + length < limit and data[start + length] ~= 10 do length = length + 1 end
      if start + length < limit then
         s.pos = start + length + 1
         return ffi_string(data + start, length)
      end
      if not s.backend.fill(s, length + 1) then
         s.pos = s.limit
         return ffi_string(s.data + s.limit - length, length)
      end
   end
end

local function read_all(s)
   local n = math.max(s.limit - s.pos, 1)
   while stream.need(s, n) do n = 2 * n end
   if s.pos >= s.limit then return nil end
   local text = ffi_string(s.data + s.pos, s.limit - s.pos)
   s.pos = s.limit
   return text
end

local function add_strings(methods)
   local reads = { ['*l'] = read_line, ['*a'] = read_all }

   -- '*l': a line without its newline; '*a': the rest of the file. What follows, as in '*line', is not looked at.
   function methods.readString(object, format)
      local s = file.readable(object, 'readString')
      local read = type(format) == 'string' and reads[string.sub(format, 1, 2)]
      if not read then errors.argument_error('readString', 1, "'*a' or '*l'", format) end
      local text = read(s)
      keep_alive(object)
      if text then return text end
      missing(s, 'String', 0, 1, stream.position(s))
      return ''
   end

   -- Returns the number of bytes written.
   function methods.writeString(object, text)
      local s = file.writable(object, 'writeString')
      if type(text) ~= 'string' then errors.argument_error('writeString', 1, 'a string', text) end
      local sent = stream.write_bytes(s, text, #text)
      file.written(s)
      return sent
   end

   function methods.readBool(object) return object:readInt() == 1 end
   function methods.writeBool(object, value) return object:writeInt(value and 1 or 0) end
end

local file_elements = {}

function file_elements.install()
   for _, T in ipairs(types.rows) do add_elements(file.methods, T) end
   add_strings(file.methods)
end

return file_elements
