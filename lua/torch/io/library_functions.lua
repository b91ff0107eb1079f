-- Functions of the library in files. Serialized directly they would include the library's upvalues, some of which are C
-- functions. A function that looks them up by name is written instead; Torch7 can read it, too.

local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'
local key_order = require 'torch.base.key_order'
local loaded, rawequal, type = package.loaded, rawequal, type
local LIBRARY = errors.library

local library_functions = {}

-- Tells whether bytecode belongs to a function of the library: a dump starts with the name of its source, after a few
-- bytes. Asking `debug.getinfo` would take as long as writing the function.
function library_functions.is_code(code)
   local head = string.sub(code, 6, 8 + #LIBRARY)
   return string.find(head, LIBRARY, 1, true) ~= nil or string.find(head, '^..?=t7 ') ~= nil
end

-- The sources are compiled like a program's, so that the functions see its globals wherever they are read.
local METHOD = [[local class, name = ... return function(...) return torch.getmetatable(class)[name](...) end]]
local FIELD = [[local package, name = ... return function(...) return require(package)[name](...) end]]

-- Name of a function in a package, the first of its names; packages of one word and those of Penlight are modules of
-- Torch7, too.
local function field_of(f)
   for package, fields in key_order.pairs(loaded) do
      if type(package) == 'string' and type(fields) == 'table'
            and (not string.find(package, '.', 1, true) or string.find(package, '^pl%.')) then
         for name, value in key_order.pairs(fields) do
            if rawequal(value, f) and type(name) == 'string' then return package, name end
         end
      end
   end
end

-- Returns a function that calls f by name, via a class or a package; nil if it has none.
function library_functions.by_name(f)
   local real = class_registry.real(f)
   local class, name = class_registry.name_of_method(real)
   if class then return loadstring(METHOD, '=loaded')(class, name) end
   local package
   package, name = field_of(f)
   if not package then package, name = field_of(real) end
   return package and loadstring(FIELD, '=loaded')(package, name) or nil
end

return library_functions
