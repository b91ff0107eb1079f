-- Ends a state. LuaJIT finalizes all cdata then, referenced or not, and after them all userdata, the
-- oldest last, among them what programs finalize, which may use tensors; what belongs to Python goes as userdata.
--
-- So the finalizer of a cdata begins the end: it leaves memory of others to the oldest functions of Python. That of the
-- oldest userdata frees our blocks. A userdata made in between would be finalized after it, and a collection would
-- finalize all within the finalizer that asked for it: both are refused from then on.

local getmetatable, newproxy, next, type = getmetatable, newproxy, next, type
local ffi = require 'ffi'
local cache, finalizers = require 'torch.memory.cache', require 'torch.memory.finalizers'
local host, places = require 'torch.core.host', require 'torch.memory.places'

-- The objects that are finalized, for somebody to refer to. keepers: what keeps foreign memory alive, by its owner.
return function(keepers)
   local first = finalizers.gc(ffi.new 'char[1]', function()
      finalizers.finish()
      for _, keeper in next, keepers do
         if type(keeper) == 'userdata' then host.keep(keeper) end
      end
   end)

   local last = newproxy(true)
   getmetatable(last).__gc = function()
      places.release_all()
      cache.release_doomed()
      cache.drop()
   end

   return { first, last }
end
