-- Reading functions: their bytecode and upvalues. function_reader(read, path_of, guard, s, r, index, tag) reads one by
-- the functions of object_reader.lua for the records in it and for the path in errors.

local class_registry = require 'torch.base.class_registry'
local bytecode, checked_reads = require 'torch.io.bytecode', require 'torch.io.checked_reads'
local held_functions, object_format = require 'torch.io.held_functions', require 'torch.io.object_format'
local raise, here, text = checked_reads.raise, checked_reads.here, checked_reads.text
local globals = _G

-- A function whose bytecode cannot be loaded here raises an error when called; the rest of the file remains usable.
local function unusable(s, at, reason)
   local message = string.format('this function was read from %s (byte %.0f) and cannot run: %s', s.name, at, reason)
   return function() error(message, 2) end
end

-- Sets an upvalue, or joins it with that of an earlier function in the file with the same number.
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

return function(read, path_of, guard, s, r, index, tag)
   local at = here(s)
   if s.no_functions then
      raise(s, at, 'there must be no function, as functions = false says, but there is one at %s', path_of(r))
   end
   local code = text(s, 'bytecode of a function')
   local f, reason, object
   if s.sharing then
      -- Data from this process is trusted like the program itself.
      f = loadstring(code, '=loaded')
      object = f
   else
      reason = guard and guard.no_functions
      if not reason then f, reason = bytecode.load(code) end
      object = f and held_functions.hold(r, f, s.name) or unusable(s, at, reason)
   end
   if index then r.objects[index] = object end
   local list_at = here(s)
   local upvalues = read(s, r)
   if type(upvalues) ~= 'table' then
      raise(s, list_at, 'the upvalues of a function must be a table (got %s)', class_registry.type(upvalues))
   end
   if not f then return object end
   for i, upvalue in ipairs(upvalues) do
      if tag ~= object_format.FUNCTION then
         debug.setupvalue(f, i, upvalue)
      elseif type(upvalue) ~= 'table' then
         raise(s, list_at, 'an upvalue must be a name and a value (got %s)', class_registry.type(upvalue))
      elseif upvalue.name == '_ENV' then
         debug.setupvalue(f, i, globals)
      else
         set_upvalue(r, f, i, upvalue.id, upvalue.value)
      end
   end
   return object
end
