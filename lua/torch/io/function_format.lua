-- Functions in files: bytecode and upvalues. A function that was read is a stub (language/stubs.lua) that loads its
-- bytecode when it is first called. None may be called while its file is read, since read methods of classes run, and
-- may call any field.

local bytecode, class_registry = require 'torch.language.bytecode', require 'torch.base.class_registry'
local errors, key_order = require 'torch.base.errors', require 'torch.base.key_order'
local object_format, stubs = require 'torch.io.object_format', require 'torch.language.stubs'
local here, raise_at, text = object_format.here, object_format.raise_at, object_format.text
local put_int, put_double, put_string = object_format.put_int, object_format.put_double, object_format.put_string
local NUMBER, TABLE, FUNCTION = object_format.NUMBER, object_format.TABLE, object_format.FUNCTION
local globals, loaded, rawequal, type = _G, package.loaded, rawequal, type
local LIBRARY = errors.library

local function_format = {}

-- Tells whether bytecode belongs to a function of the library: a dump starts with the name of its source, after a few
-- bytes. Asking `debug.getinfo` would take as long as writing the function.
function function_format.is_library_code(code)
   local head = string.sub(code, 6, 8 + #LIBRARY)
   return string.find(head, LIBRARY, 1, true) ~= nil or string.find(head, '^..?=t7 ') ~= nil
end

-- Functions of the library have upvalues that cannot be written, such as C functions. Instead of them, functions are
-- written that look them up by name; Torch7 can read those, too. Their sources are compiled like a program's, so that
-- they see its globals wherever they are read.
local METHOD = [[local class, name = ... return function(...) return torch.getmetatable(class)[name](...) end]]
local FIELD = [[local package, name = ... return function(...) return require(package)[name](...) end]]

-- Name of a function in a package, the first of its names; packages of one word and those of Penlight are modules of
-- Torch7, too.
local function field_of(f)
   for package, fields in key_order.sorted(loaded) do
      if type(package) == 'string' and type(fields) == 'table'
            and (not string.find(package, '.', 1, true) or string.find(package, '^pl%.')) then
         for name, value in key_order.sorted(fields) do
            if rawequal(value, f) and type(name) == 'string' then return package, name end
         end
      end
   end
end

-- Returns a function that calls f by name, via a class or a package; nil if it has none.
local function by_name(f)
   local real = class_registry.real(f)
   local class, name = class_registry.name_of_method(real)
   if class then return loadstring(METHOD, '=loaded')(class, name) end
   local package
   package, name = field_of(f)
   if not package then package, name = field_of(real) end
   return package and loadstring(FIELD, '=loaded')(package, name) or nil
end

-- The upvalues of a stub are cells, { name =, value = }, which the functions of a file share. Once one of these
-- functions is loaded, the value is in upvalue `i` of the function `f`.

-- The value of a cell, and the identity of its upvalue.
local function value_of(cell)
   if not cell.f then return cell.value, cell end
   local _, value = debug.getupvalue(cell.f, cell.i)
   return value, debug.upvalueid(cell.f, cell.i)
end

-- Makes string.dump write the constants of tables in one order. An older LuaJIT takes the mode for `strip`.
local MODE = #string.dump(by_name, 'd') == #string.dump(by_name) and 'd' or nil

-- The bytecode of a function, the number of its upvalues, and a function that gives name, value and identity of one.
local function parts_of(object)
   local record = stubs.record(object)
   if record and not record.f then
      local cells = record.cells
      return record.code, #cells, function(i) return cells[i].name or '', value_of(cells[i]) end
   end
   object = stubs.real(object)
   local code = string.dump(object, MODE)
   if function_format.is_library_code(code) then
      object = by_name(object) or object
      code = string.dump(object, MODE)
   end
   local count = 0
   while debug.getupvalue(object, count + 1) do count = count + 1 end
   return code, count, function(i)
      local name, value = debug.getupvalue(object, i)
      return name, value, debug.upvalueid(object, i)
   end
end

-- The number of an upvalue in this file, by which a reader recognizes upvalues that several functions share.
local function upvalue_number(w, identity)
   if not w.upvalues[identity] then
      w.upvalue_count = w.upvalue_count + 1
      w.upvalues[identity] = w.upvalue_count
   end
   return w.upvalues[identity]
end

-- Writes a function: its bytecode and a list of its upvalues, tables with the fields `name`, `id` and `value`.
function function_format.write(s, w, object)
   local code, count, upvalue = parts_of(object)
   put_string(s, code)
   put_int(s, TABLE)
   w.add(s, w, w.indices, {})
   put_int(s, count)
   for i = 1, count do
      local name, value, identity = upvalue(i)
      put_int(s, NUMBER)
      put_double(s, i)
      put_int(s, TABLE)
      w.add(s, w, w.indices, {})
      put_int(s, value == nil and 2 or 3)
      w.write(s, w, 'name')
      w.write(s, w, name)
      w.write(s, w, 'id')
      w.write(s, w, upvalue_number(w, identity))
      if value ~= nil then
         w.write(s, w, 'value')
         w.write_at(s, w, name, value)
      end
   end
end

local function give_upvalues(f, cells)
   for i = 1, #cells do
      local cell = cells[i]
      -- Damaged files have more values than the function has upvalues.
      if debug.getupvalue(f, i) == nil then return end
      if cell.f then
         debug.upvaluejoin(f, i, cell.f, cell.i)
      else
         debug.setupvalue(f, i, cell.value)
         cell.f, cell.i, cell.value = f, i, nil
      end
   end
end

local function load(record)
   local group = record.group
   if not group.released then
      errors.raise('%s: a function from the file is called while its objects are read', record.name)
   end
   local f, reason = nil, record.refused
   if not reason then f, reason = bytecode.load(record.code) end
   if not f then
      local message = string.format('this function was read from %s (byte %.0f) and cannot run: %s', record.name,
         record.at, reason)
      -- Raised at each call, at the place of the call; the rest of the file remains usable.
      error(message, 3)
   end
   record.f = f
   give_upvalues(f, record.cells)
   return f
end

-- Returns a stub for the function with bytecode `code`, at byte `at` of the file, and its record, whose `cells` the
-- caller fills.
local function new_stub(s, r, code, at)
   local group = r.held or { released = false }
   r.held = group
   local record = { group = group, code = code, name = s.name, at = at, refused = r.guard and r.guard.no_functions,
      cells = {}, make = load }
   return stubs.add(function(...)
      local f = record.f or load(record)
      return f(...)
   end), record
end

-- Lets the functions that a reader has read be called.
function function_format.release(r)
   r.held.released = true
   r.held = nil
end

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

-- Reads a function. `trusted` bytecode, from this process, is loaded at once.
function function_format.read(s, r, index, tag, trusted)
   local at = here(s)
   if s.no_functions then
      raise_at(s, at, 'there must be no function, as functions = false says, but there is one at %s', r.path_of(r))
   end
   local code = text(s, 'bytecode of a function')
   local object, record
   if trusted then object = loadstring(code, '=loaded') else object, record = new_stub(s, r, code, at) end
   if index then r.objects[index] = object end
   local list_at = here(s)
   local upvalues = r.read(s, r)
   if type(upvalues) ~= 'table' then
      raise_at(s, list_at, 'the upvalues of a function must be a table (got %s)', class_registry.type(upvalues))
   end
   for i, upvalue in ipairs(upvalues) do
      if tag ~= FUNCTION then
         record.cells[i] = { value = upvalue }
      elseif type(upvalue) ~= 'table' then
         raise_at(s, list_at, 'an upvalue must be a name and a value (got %s)', class_registry.type(upvalue))
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

return function_format
