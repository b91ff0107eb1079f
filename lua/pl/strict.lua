-- pl.strict: to read a global variable that was never assigned, or to create one within a function, is an error.

local is_library = require('torch.base.errors').is_library

local strict = {}

local declared = {}
local metatable = getmetatable(_G) or {}
local inherited = metatable.__index

-- Whether the program's own function accesses a variable; files may create them.
local function is_in_program(but_files)
   local frame = debug.getinfo(3, 'S')
   return frame and frame.what ~= 'C' and not (but_files and frame.what == 'main') and not is_library(frame.source)
end

function metatable.__newindex(globals, name, value)
   if not declared[name] and is_in_program(true) then
      error(string.format("assign to undeclared variable '%s'", tostring(name)), 2)
   end
   declared[name] = true
   rawset(globals, name, value)
end

function metatable.__index(globals, name)
   local value
   if type(inherited) == 'function' then
      value = inherited(globals, name)
   elseif inherited then
      value = inherited[name]
   end
   if value == nil and not declared[name] and is_in_program() then
      error(string.format("variable '%s' is not declared", tostring(name)), 2)
   end
   return value
end

setmetatable(_G, metatable)

return strict
