-- Ends a state. LuaJIT then finalizes all cdata, and after them all userdata, the oldest last; the program's finalizers
-- may use tensors, and Python objects are userdata. So the finalizer of a cdata starts the shutdown: it runs those of
-- the program and leaves foreign memory to the oldest functions of Python. That of the oldest userdata frees our
-- blocks. From the start on new userdata, and collections, which would run finalizers within the finalizer,
-- are rejected.

local ffi = require 'ffi'
local cache, finalizers = require 'torch.memory.cache', require 'torch.memory.finalizers'
local host, slots = require 'torch.native.host', require 'torch.memory.slots'

-- Keeps the finalized objects reachable. keepers: the objects that keep foreign memory alive, by owner.
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
