-- tds.Hash: values by keys.

local getfenv = debug.getfenv
local pairs, rep, max, min = pairs, string.rep, math.max, math.min
local tostring, type = tostring, type
local key_order, key_places = require 'torch.base.key_order', require 'tds.key_places'
local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'

-- Marks in the list of changes: a removal, whose key follows, and that there were other values for old keys.
local REMOVED, CHANGED = {}, {}

return function(tds)
   -- `changes` lists keys that were added and removed since `places` was brought up to date.
   local Hash, empty = tds._class('tds.Hash', function()
      return { values = {}, count = 0, changes = {}, changed = 0, places = key_places.new() }
   end)

   local function note(state, key)
      local n = state.changed + 1
      state.changes[n], state.changed = key, n
   end

   local function set(object, key, value)
      local state = getfenv(object)
      local values = state.values
      key, value = tds._key('tds.Hash', key, state.address), tds._kept('tds.Hash', value)
      if values[key] == nil and value ~= nil then
         state.count = state.count + 1
         if not state.address then note(state, key) end
      elseif values[key] ~= nil and value == nil then
         state.count = state.count - 1
         if not state.address then
            note(state, REMOVED)
            note(state, key)
         end
      elseif value ~= nil and not state.address and state.changes[state.changed] ~= CHANGED then
         note(state, CHANGED)
      end
      values[key] = value
   end

   local function up_to_date(state)
      local places, changes, i = state.places, state.changes, 1
      while i <= state.changed do
         if changes[i] == CHANGED then
            key_places.reserve(places)
         elseif changes[i] == REMOVED then
            i = i + 1
            key_places.remove(places, changes[i])
         else
            key_places.add(places, changes[i])
         end
         i = i + 1
      end
      state.changes, state.changed = {}, 0
      key_places.reserve(places)
      return places
   end

   -- Iterates over keys and values in the order of the original; over those of a hash that threads share, in that of
   -- their table.
   function tds._each_of_hash(object)
      local state = getfenv(object)
      if state.address then return key_order.pairs(tds._plain(object)) end
      local places, values, i = up_to_date(state), state.values, -1
      return function()
         while i < places.places - 1 do
            i = i + 1
            local key = places.keys[i]
            if places.used[i] and values[key] ~= nil then return key, values[key] end
         end
      end
   end

   -- A hash of the elements of a table.
   function Hash.new(elements)
      local object = empty()
      if elements ~= nil then
         local name = class_registry.typename(elements)
         if type(elements) ~= 'table' and name ~= 'tds.Hash' or type(elements) == 'table' and name then
            errors.argument_error('tds.Hash', 1, 'a table', elements)
         end
         local each = name and tds._each_of_hash or pairs
         for key, value in each(elements) do set(object, key, value) end
      end
      return object
   end

   function Hash:__index__(key)
      if key == nil then return nil, true end
      -- Methods are not elements.
      return getfenv(self).values[key], true
   end

   function Hash:__newindex__(key, value)
      set(self, key, value)
      return true
   end

   function Hash:__len__() return getfenv(self).count end

   function Hash:__tostring__()
      local keys, width = {}, 0
      for key in tds._each_of_hash(self) do keys[#keys + 1] = key end
      local values = getfenv(self).values
      local function text(key) return class_registry.typename(key) or tostring(key) end
      for i = 1, min(#keys, tds._SHOWN) do width = max(width, #text(keys[i])) end
      return tds._text('tds.Hash', #keys, function(i)
         local key = keys[i]
         return text(key) .. rep(' ', width - #text(key)), values[key]
      end)
   end

   tds._filed(Hash, 'tds.Hash', function(object)
      return getfenv(object).count, tds._each_of_hash(object)
   end, set)
end
