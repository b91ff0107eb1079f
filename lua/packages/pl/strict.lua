-- pl.strict: reading a global variable that was never assigned, or creating one within a function, is an error.

local is_library = require('torch.base.errors').is_library

local strict = {}

local declared = {}
local metatable = getmetatable(_G) or {}
local inherited = metatable.__index

-- Whether a function of the program itself accesses a variable. With `except_chunks`, main chunks do not count, since
-- they may create variables.
local function is_in_program(except_chunks)
   local frame = debug.getinfo(3, 'S')
   return frame and frame.what ~= 'C' and not (except_chunks and frame.what == 'main') and not is_library(frame.source)
end

function metatable.__newindex(globals, name, value)
   if not declared[name] and is_in_program(true) then
      error(string.format("assign to undeclared global '%s'", tostring(name)), 2)
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

-- Makes reading a field of a table that was never assigned an error, except for those in the set `predeclared`. Returns
-- the table, by default a new one; nothing if it was strict already.
function strict.module(name, t, predeclared)
   t = type(t) == 'table' and t or {}
   local own = getmetatable(t) or {}
   if rawget(own, '__declared') then return end
   local index, newindex, known = own.__index, own.__newindex, predeclared or {}
   own.__declared = known

   function own.__newindex(object, field, value)
      if newindex then
         newindex(object, field, value)
         if rawget(object, field) ~= nil then return end
      end
      known[field] = true
      rawset(object, field, value)
   end

   function own.__index(object, field)
      local value
      if type(index) == 'table' then value = index[field] elseif index then value = index(object, field) end
      if value ~= nil or known[field] then return value end
      local frame = debug.getinfo(2, 'S')
      if frame and frame.what == 'C' then return nil end
      local where = name and string.format(" in '%s'", tostring(name)) or ''
      error(string.format("variable '%s' is not declared%s", tostring(field), where), 2)
   end
   return setmetatable(t, own)
end

-- Makes all tables that are fields of a table strict.
function strict.make_all_strict(t)
   for name, value in pairs(t) do
      if type(value) == 'table' and value ~= t then strict.module(name, value) end
   end
end

-- Returns a strict table, which receives everything that is assigned to `t` from now on.
function strict.closed_module(t, name)
   local inner, own = {}, getmetatable(t or {}) or {}
   own.__newindex = function(_, field, value) inner[field] = value end
   setmetatable(t or {}, own)
   return strict.module(name, inner)
end

return strict
