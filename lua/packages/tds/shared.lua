-- Objects of tds shared by several threads. Their elements move to a Python store when they first cross by reference;
-- from then on the object's tables stand in for it.

local getfenv, next, pcall, rawset, setmetatable, type = debug.getfenv, next, pcall, rawset, setmetatable, type
local error = error
local class_registry, uninterruptible = require 'torch.base.class_registry', require 'torch.base.uninterruptible'
local host, locks = require('torch.native.host').of 'threads', require 'torch.base.locks'
local message, shared = require 'threads.message', require 'torch.memory.shared'

local SCHEME = 'threads.sharedserialize'
local PLAIN = { number = true, string = true, boolean = true, ['nil'] = true }

-- One mutex for the messages of all stores: none is freed while another thread reads it.
local block, address_of_block = locks.memory(locks.BYTES)
locks.init(block)
local mutex = locks.at(host.store_mutex(address_of_block))

local function guarded(f, ...)
   locks.lock(mutex)
   local ok, value = pcall(f, ...)
   locks.unlock(mutex)
   if not ok then error(value, 0) end
   return value
end

local function get(number, key)
   local value, is_message = host.store_get(number, key)
   if not is_message then return value end
   return message.peek(message.at(value))[1]
end

local function free(address)
   if address then message.free(message.at(address)) end
end

local function set(number, key, value)
   if PLAIN[type(value)] then return free(host.store_set(number, key, value, false)) end
   free(host.store_set(number, key, message.address((message.pack(SCHEME, { n = 1, value }))), true))
end

return function(tds)
   -- Objects of this state by the addresses of their stores.
   local objects = setmetatable({}, { __mode = 'v' })

   -- Makes an object a stub for a store.
   local function become(object, address)
      local state, number = getfenv(object), shared.kept_number(address)
      state.count, state.number, state.address, state.owner = nil, number, address, shared.handle(address)
      state.values = setmetatable({}, {
         __index = function(_, key) return (guarded(get, number, key)) end,
         __newindex = function(_, key, value) guarded(set, number, key, value) end,
      })
      setmetatable(state, {
         __index = function(_, field) return field == 'count' and host.store_count(number) or nil end,
         __newindex = function(_, field, value)
            if field == 'count' then host.store_set_count(number, value) else rawset(state, field, value) end
         end,
      })
      objects[address] = object
   end

   local function move(object)
      local state = getfenv(object)
      for key in next, state.values or {} do tds._key('tds.Hash', key, true) end
      local number = host.store_new(class_registry.typename(object) == 'tds.Hash' and -1 or state.count)
      local address = shared.keep(number)
      for key, value in next, state.values or {} do set(number, key, value) end
      become(object, address)
      shared.release(address)
      return address
   end

   -- The address of the store of an object, which is shared from now on.
   function tds._share(object) return getfenv(object).address or uninterruptible.call(move, object) end

   -- The object of a class for the store at an address.
   function tds._shared(name, address)
      local object = objects[address]
      if not object then
         object = class_registry.factory(name)()
         become(object, address)
      end
      return object
   end

   -- Adds to the count of a shared object, and returns the old one.
   function tds._add(state, step) return (host.store_add(state.number, step)) end

   -- The elements of a shared object as a table.
   function tds._elements(state)
      local item, count = host.store_keys(state.number)
      local elements = {}
      for i = 0, count - 1 do
         local key = host.store_item(item, i)
         elements[key] = state.values[key]
      end
      return elements
   end
end
