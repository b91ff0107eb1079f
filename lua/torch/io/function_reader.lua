-- Reading functions: their bytecode and upvalues. function_reader(read, path_of, guard, s, r, index, tag, trusted)
-- reads one by the functions of object_reader.lua for the records in it and for the path in errors. Bytecode of this
-- process is trusted like the program itself, and loaded at once.

local class_registry = require 'torch.base.class_registry'
local checked_reads = require 'torch.io.checked_reads'
local lazy_functions, object_format = require 'torch.io.lazy_functions', require 'torch.io.object_format'
local raise, here, text = checked_reads.raise, checked_reads.here, checked_reads.text
local globals = _G

-- Sets an upvalue, or joins it with that of an earlier function in the message with the same number.
local function set_upvalue(r, f, i, id, value)
   local numbered = type(id) == 'number' and id == id and debug.getupvalue(f, i) ~= nil
   local shared = numbered and r.upvalues[id]
   if shared then
      debug.upvaluejoin(f, i, shared[1], shared[2])
      return
   end
   debug.setupvalue(f, i, value)
   if numbered then r.upvalues[id] = { f, i } end
end

-- The cell of an upvalue, which is that of an earlier function in the file with the same number.
local function cell_of(r, upvalue)
   local id = upvalue.id
   local numbered = type(id) == 'number' and id == id
   local cell = numbered and r.cells[id] or { name = upvalue.name, value = upvalue.value }
   if numbered then r.cells[id] = cell end
   return cell
end

return function(read, path_of, guard, s, r, index, tag, trusted)
   local at = here(s)
   if s.no_functions then
      raise(s, at, 'there must be no function, as functions = false says, but there is one at %s', path_of(r))
   end
   local code = text(s, 'bytecode of a function')
   local object, record
   if trusted then
      object = loadstring(code, '=loaded')
   else
      object, record = lazy_functions.retain(r, code, s.name, at, guard and guard.no_functions)
   end
   if index then r.objects[index] = object end
   local list_at = here(s)
   local upvalues = read(s, r)
   if type(upvalues) ~= 'table' then
      raise(s, list_at, 'the upvalues of a function must be a table (got %s)', class_registry.type(upvalues))
   end
   for i, upvalue in ipairs(upvalues) do
      if tag ~= object_format.FUNCTION then
         record.cells[i] = { value = upvalue }
      elseif type(upvalue) ~= 'table' then
         raise(s, list_at, 'an upvalue must be a name and a value (got %s)', class_registry.type(upvalue))
      elseif trusted then
         set_upvalue(r, object, i, upvalue.id, upvalue.value)
      elseif upvalue.name == '_ENV' then
         record.cells[i] = { name = '_ENV', value = globals }
      else
         record.cells[i] = cell_of(r, upvalue)
      end
   end
   return object
end
