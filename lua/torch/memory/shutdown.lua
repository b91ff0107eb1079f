-- Ends a state. LuaJIT then finalizes all cdata, referenced or not, and after them all userdata, the oldest last; the
-- program's finalizers among them may use tensors, and Python objects are userdata.
--
-- So the finalizer of a cdata begins the end: it leaves foreign memory to the oldest functions of Python. The
-- finalizer of the oldest userdata frees our blocks. A userdata created in between would be finalized after it, and a
-- collection would finalize all objects within the finalizer that started it: both are refused from then on.

local getmetatable, newproxy, next, type = getmetatable, newproxy, next, type
local ffi = require 'ffi'
local cache, finalizers = require 'torch.memory.cache', require 'torch.memory.finalizers'
local host, slots = require 'torch.native.host', require 'torch.memory.slots'

-- Keeps the finalized objects referenced. keepers: the objects that keep foreign memory alive, by owner.
return function(keepers)
   local first = finalizers.gc(ffi.new 'char[1]', function()
      finalizers.finish()
      for _, keeper in next, keepers do
         if type(keeper) == 'userdata' then host.keep(keeper) end
      end
   end)

   local last = newproxy(true)
   getmetatable(last).__gc = function()
      slots.release_all()
      cache.release_doomed()
      cache.drop()
   end

   return { first, last }
end
