-- The scheme in which tensors share their memory, as a module: save(value) gives a CharStorage for load, in any thread
-- and once. It holds the address of a message.

local ffi = require 'ffi'
local check, host = require 'torch.base.check', require('torch.native.host').of 'threads'
local message, types = require 'threads.message', require 'torch.base.types'
local Char = types.by_name.Char

local KIND = 'message'

local function save(value)
   local m = message.pack('threads.sharedserialize', { n = 1, value })
   local address = message.address(m)
   host.register(KIND, address)
   return Char.storage_methods.new(0):string(tostring(address))
end

local function load(storage)
   local address = types.of_storage(storage) == Char and tonumber(storage:string())
   if not address or not host.retain(KIND, address) then
      check.argument_error('sharedserialize.load', 'the argument',
         'a storage that save has given, and load has not taken', storage)
   end
   host.release(KIND, address)
   host.release(KIND, address)
   return message.unpack(ffi.cast(message.pointer_ct, ffi.cast('intptr_t', address)))[1]
end

return { save = save, load = load }
