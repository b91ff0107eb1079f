-- tds: originally tables outside of Lua's memory; here objects over Lua tables, since LuaJIT can address enough memory.
-- An object keeps its elements in its environment.

local getfenv, ipairs, pairs, rawset, require = debug.getfenv, ipairs, pairs, rawset, require
local class_registry = require 'torch.base.class_registry'

local tds = {}

for _, part in ipairs { 'elements', 'hash', 'vec', 'counter' } do require('tds.' .. part)(tds) end

-- The names of the constructors in lower case.
tds.hash, tds.vec, tds.atomic_counter = tds.Hash, tds.Vec, tds.AtomicCounter

-- Lua 5.1 iterates only over tables; programs that use tds also iterate over its objects.
local function elements_of(object)
   local name = class_registry.typename(object)
   return (name == 'tds.Hash' or name == 'tds.Vec') and getfenv(object) or nil
end

local function tds_pairs(object)
   local elements = elements_of(object)
   if elements then
      if class_registry.typename(object) == 'tds.Vec' then return tds._each(object) end
      return tds._each_of_hash(object)
   end
   return pairs(object)
end

local function tds_ipairs(object)
   local elements = elements_of(object)
   if not elements then return ipairs(object) end
   if class_registry.typename(object) == 'tds.Vec' then return tds._each(object) end
   return ipairs(tds._plain(object))
end

rawset(_G, 'pairs', tds_pairs)
rawset(_G, 'ipairs', tds_ipairs)

-- Methods by the names that the original gave them.
for _, Class in ipairs { tds.Hash, tds.Vec, tds.AtomicCounter } do
   Class.__new, Class.__read, Class.__write = Class.new, Class.read, Class.write
end
tds.Hash.__pairs, tds.Vec.__pairs, tds.Vec.__ipairs = tds_pairs, tds_pairs, tds_ipairs

return tds
