-- tds.Hash: values by keys.

local getfenv = debug.getfenv
local pairs, rep, max, min = pairs, string.rep, math.max, math.min
local sort, tostring, type = table.sort, tostring, type
local key_order = require 'torch.base.key_order'
local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'

return function(tds)
   local Hash, empty = tds._class('tds.Hash', function() return { values = {}, count = 0 } end)

   local function set(object, key, value)
      local state = getfenv(object)
      local values = state.values
      key, value = tds._key('tds.Hash', key), tds._kept('tds.Hash', value)
      if values[key] == nil and value ~= nil then state.count = state.count + 1 end
      if values[key] ~= nil and value == nil then state.count = state.count - 1 end
      values[key] = value
   end

   -- A hash of the elements of a table.
   function Hash.new(elements)
      local object = empty()
      if elements ~= nil then
         local name = class_registry.typename(elements)
         if type(elements) ~= 'table' and name ~= 'tds.Hash' or type(elements) == 'table' and name then
            errors.argument_error('tds.Hash', 1, 'a table', elements)
         end
         for key, value in pairs(name and tds._plain(elements) or elements) do set(object, key, value) end
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
      for key in pairs(tds._plain(self)) do keys[#keys + 1] = key end
      sort(keys, function(a, b)
         if type(a) == type(b) and type(a) ~= 'boolean' then return a < b end
         return tostring(a) < tostring(b)
      end)
      local values = getfenv(self).values
      local function text(key) return class_registry.typename(key) or tostring(key) end
      for i = 1, min(#keys, tds._SHOWN) do width = max(width, #text(keys[i])) end
      return tds._text('tds.Hash', #keys, function(i)
         local key = keys[i]
         return text(key) .. rep(' ', width - #text(key)), values[key]
      end)
   end

   tds._filed(Hash, 'tds.Hash', function(object)
      return getfenv(object).count, key_order.pairs(tds._plain(object))
   end, set)
end
