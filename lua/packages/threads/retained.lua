-- Tensors that cross between threads as plain numbers: x:retain() in one of them, and torch.pushudata(torch.pointer(x),
-- 'torch.FloatTensor') in another one, which consumes that reference; x:free() takes it back. Since the original
-- counted references, a tensor that is retained once can be pushed once.

local ffi = require 'ffi'
local host = require('torch.native.host').of 'threads'
local message, th_struct = require 'threads.message', require 'torch.tensor.th_struct'
local address_of, buffers = require('torch.native.native').address_of, require 'torch.memory.buffers'
local cast = ffi.cast

local SCHEME = 'threads.sharedserialize'

-- Retained tensors, by number, whose addresses must stay unique; and the numbers of tensors from other threads.
local kept, numbers = {}, setmetatable({}, { __mode = 'k' })

local function number_of(t) return numbers[t] or address_of(cast('void *', t)) end

-- Stores an object for the owner of the number; `owner` keeps the address from being reused.
local function put(number, object, owner)
   for other in next, kept do
      if host.retained_count(other) == 0 then kept[other] = nil end
   end
   host.retained_put(number, message.address((message.pack(SCHEME, { n = 1, object }))))
   kept[number] = owner
end

function th_struct.retain(t) put(number_of(t), t, t) end

function th_struct.free(t)
   local address = host.retained_take(number_of(t))
   if address then message.free(message.at(address)) end
end

-- x:cdata().storage = nil, after the program has saved torch.pointer(x:storage()): x then has no elements, and the
-- memory goes to the tensor whose cdata().storage is set to that number as a pointer.
function th_struct.give_storage(t)
   local storage = t:storage()
   if storage == nil then return end
   local owner = buffers.anchor[storage]
   put(address_of(storage._memory), storage, owner)
   t:set()
end

function th_struct.taken_storage(number)
   local address = host.retained_take(number)
   return address and message.unpack(message.at(address))[1]
end

local in_this_thread = th_struct.at

function th_struct.at(number)
   local address = host.retained_take(number)
   if not address then return in_this_thread(number) end
   local own = kept[number]
   if own then
      message.free(message.at(address))
      return own
   end
   local t = message.unpack(message.at(address))[1]
   numbers[t] = number
   return t
end
