-- Errors of LuaJIT in the library's own code, where a field of a module holds what it must not: a function for a
-- number, a table for a tensor. They name neither the module nor, often, the field; this finds both.

local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'
local of_tensor = require('torch.base.types').of_tensor
local check = require 'torch.base.check'
local LIBRARY = errors.library:gsub('^@', '')
local concat, find, gmatch, gsub, match = table.concat, string.find, string.gmatch, string.gsub, string.match
local error, next, pcall, sort, sub, type = error, next, pcall, table.sort, string.sub, type

local field_faults = {}

-- What LuaJIT says of a value of a wrong kind, as patterns for the kind.
local KINDS = {
   'got (%a+)%)', '%(a (%a+) value%)', "cannot convert '(%a+)", 'a (%a+) value$', 'compare (%a+) with', 'with (%a+)$',
   'compare two (%a+) values',
}
local MESSAGES = { '^attempt to ', '^bad argument #%d+ to ', '^cannot convert ', "^'for' ", 'expected, got ' }

-- Fields that hold tensors in every module, where a tensor is right.
local TENSORS = {}
for name in gmatch('weight bias gradWeight gradBias output gradInput running_mean running_var', '%S+') do
   TENSORS[name] = true
end

-- Whether the path of a message is one of the library's; LuaJIT cuts the beginnings of long ones.
local function is_own(path)
   if sub(path, 1, 3) == 't7 ' or sub(path, 1, #LIBRARY) == LIBRARY then return true end
   if sub(path, 1, 3) ~= '...' then return false end
   for i = 2, #LIBRARY - 4 do
      local tail = sub(LIBRARY, i)
      if sub(path, 4, 3 + #tail) == tail then return true end
   end
   return false
end

local function kind_of(value)
   local kind = type(value)
   return kind == 'cdata' and of_tensor(value) and 'tensor' or kind
end

-- The fields that hold a value of a kind, in the order of their names.
local function fields_of(module, kind)
   local found = {}
   for key, value in next, module do
      if type(key) == 'string' and kind_of(value) == kind and not (kind == 'tensor' and TENSORS[key])
         and not (kind == 'table' and (key == 'modules' or class_registry.typename(value))) then
         found[#found + 1] = key
      end
   end
   sort(found)
   return found
end

-- Returns 'name: the field ... holds ...' for a fault of LuaJIT in the library's code; nil for other messages.
function field_faults.explained(module, message)
   if type(module) ~= 'table' or type(message) ~= 'string' then return nil end
   local path, text = match(message, '^([^\n]-):%d+: ([^\n]*)')
   if not path or not is_own(path) then return nil end
   local known
   for i = 1, #MESSAGES do known = known or find(text, MESSAGES[i]) end
   if not known then return nil end
   local field = match(text, "field '([%w_]+)'")
   if field and class_registry.typename(module) then
      return ("%s: the field '%s' must not be %s (%s)"):format(check.name(module), field,
         check.describe(module[field]), text)
   end
   local kind
   for i = 1, #KINDS do kind = kind or match(text, KINDS[i]) end
   -- The value has no methods.
   if find(text, 'call method', 1, true) then kind = 'table' end
   if not kind then return nil end
   if kind == 'cdata' or kind == 'struct' then kind = 'tensor' end
   local names = fields_of(module, kind)
   if #names == 0 then return nil end
   return ("%s: the field '%s' must not be a %s (%s)"):format(check.name(module), concat(names, "' or '"), kind,
      (gsub(text, "'struct %d+'", "a tensor")))
end

-- Calls method(module, ...) of the library, and words such an error of it.
function field_faults.protected(module, method, a, b, c)
   local fine, x, y = pcall(method, module, a, b, c)
   if not fine then
      local text = field_faults.explained(module, x)
      error(text and errors.where() .. text or x, 0)
   end
   if y ~= nil then return x, y end
   return x
end

return field_faults
