-- Dimension names in files: a string after the object, which other readers, such as Torch7's torch.load, leave unread.
-- Its lines have the index of a tensor in the file, and its names:
--
--    t7shell.names
--    1 rows,columns

local ffi = require 'ffi'
local element_io, object_format = require 'torch.io.element_io', require 'torch.io.object_format'
local dimension_names, stream = require 'torch.base.dimension_names', require 'torch.io.stream'
local of_tensor = require('torch.base.types').of_tensor

local tensor_names = {}

local HEAD = 't7shell.names\n'
-- Length of a text with one name in ascii, the shortest case.
local MIN_BYTES, SHOWN = #HEAD + 8, #HEAD + 24

-- Records the names of a tensor that the writer w has just numbered.
function tensor_names.note(w, object)
   local list = dimension_names.get(object)
   if not list then return end
   w.names = w.names or {}
   w.names[#w.names + 1] = string.format('%.0f %s\n', w.count, table.concat(list, ','))
end

-- Writes the noted names after the only object of the file.
function tensor_names.write(s)
   local lines = s.writer and s.writer.names
   if not lines then return end
   local text = HEAD .. table.concat(lines)
   element_io.put_int(s, object_format.STRING)
   element_io.put_int(s, #text)
   stream.write_bytes(s, text, #text)
   if not s.binary and s.spacing then stream.write_bytes(s, '\n', 1) end
end

local function is_here(s)
   if not stream.need(s, MIN_BYTES) then return false end
   stream.need(s, SHOWN)
   local left = s.limit - s.pos
   local text = ffi.string(s.data + s.pos, left < SHOWN and left or SHOWN)
   if s.binary then return string.sub(text, 1, 4) == '\2\0\0\0' and string.sub(text, 9, 8 + #HEAD) == HEAD end
   return string.find(text, '^%s*2%s+%d+%s' .. HEAD) ~= nil
end

local function list_of(text)
   local list, seen = {}, {}
   for name in string.gmatch(text, '[^,]+') do
      if not dimension_names.is_name(name) or seen[name] and name ~= dimension_names.NONE then return nil end
      list[#list + 1], seen[name] = name, true
   end
   return list
end

-- Reads the string, if any, and names the tensors that were read. Entries for other objects are ignored.
function tensor_names.read(s)
   if not is_here(s) then return end
   local from = s.pos
   element_io.get_int(s)
   local length = element_io.get_int(s)
   local text = length and length >= 0 and stream.read_string(s, length)
   if not text then
      s.pos = from
      return
   end
   local objects = s.reader.objects
   for line in string.gmatch(string.sub(text, #HEAD + 1), '[^\n]+') do
      local index, given = string.match(line, '^(%d+) (.*)$')
      local t, list = objects[tonumber(index)], given and list_of(given)
      if list and of_tensor(t) then dimension_names.set(t, list) end
   end
end

return tensor_names
