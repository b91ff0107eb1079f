-- tds.Vec: values by their indices from 1.

local getfenv = debug.getfenv
local format, concat, sort = string.format, table.concat, table.sort
local floor, select, tostring, type, unpack = math.floor, select, tostring, type, unpack
local check = require 'torch.base.check'
local class_registry, errors = require 'torch.base.class_registry', require 'torch.base.errors'

-- Lua tables hold no more; loops over all indices would take hours.
local MAX_SIZE = 2 ^ 26

return function(tds)
   local Vec, empty = tds._class('tds.Vec', function() return { values = {}, count = 0 } end)

   local function check_position(name, key, max_index)
      if type(key) ~= 'number' or key < 1 or floor(key) ~= key or key > max_index then
         errors.raise('%s: index must be from 1 to %d (got %s)', name, max_index, tostring(key))
      end
      return key
   end

   -- A vector of the arguments, or of the elements of a table.
   function Vec.new(...)
      local object = empty()
      local state, count, list = getfenv(object), select('#', ...), { ... }
      -- Passed as a size, which it cannot be, rather than as an element, like other numbers.
      if count == 1 and type(list[1]) == 'number' and not (list[1] >= 0) then
         errors.raise('tds.Vec: arguments must be elements (got %s); for a vector of this number write tds.Vec { %s }',
            tostring(list[1]), tostring(list[1]))
      end
      if count == 1 and type(list[1]) == 'table' and not class_registry.typename(list[1]) then
         list = list[1]
         count = #list
      elseif count == 1 and class_registry.typename(list[1]) == 'tds.Vec' then
         local other = getfenv(list[1])
         list, count = other.values, other.count
      end
      for i = 1, count do state.values[i] = tds._kept('tds.Vec', list[i]) end
      state.count = count
      return object
   end

   function Vec:__index__(key)
      if type(key) == 'number' then return getfenv(self).values[key], true end
      return nil, false
   end

   -- An index after the end extends the vector, with nil in between.
   function Vec:__newindex__(key, value)
      local state = getfenv(self)
      check_position('tds.Vec', key, MAX_SIZE)
      state.values[key] = tds._kept('tds.Vec', value)
      if key > state.count then state.count = key end
      return true
   end

   function Vec:__len__() return getfenv(self).count end

   -- Sets the length of the vector; later values are dropped.
   function Vec:resize(count)
      count = check.integer('Vec:resize', 'the size', count, 0, MAX_SIZE)
      local state = getfenv(self)
      for i = count + 1, state.count do state.values[i] = nil end
      state.count = count
      return self
   end

   -- Inserts a value at the end, or before the element at an index.
   function Vec:insert(...)
      local state = getfenv(self)
      local at, value = ...
      if select('#', ...) < 2 then at, value = state.count + 1, at end
      check_position('insert', at, state.count + 1)
      value = tds._kept('insert', value)
      -- With nil inside, table.insert would not know the length.
      for i = state.count, at, -1 do state.values[i + 1] = state.values[i] end
      state.values[at] = value
      state.count = state.count + 1
   end

   -- Removes the last element, or the one at an index, if there is one.
   function Vec:remove(at)
      local state = getfenv(self)
      if at == nil then at = state.count end
      if state.count == 0 or type(at) == 'number' and at > state.count then return nil end
      at = check_position('remove', at, state.count)
      local value = state.values[at]
      for i = at, state.count do state.values[i] = state.values[i + 1] end
      state.count = state.count - 1
      return value
   end

   function Vec:concat(separator, first, last)
      local state = getfenv(self)
      if separator and type(separator) ~= 'number' then
         check.kind('Vec:concat', 'the separator', separator, 'string')
      end
      first = check.integer('Vec:concat', 'the first check_position', first or 1)
      last = check.integer('Vec:concat', 'the last check_position', last or state.count)
      local words = {}
      for i = first, last do words[#words + 1] = tostring(state.values[i]) end
      return concat(words, separator or '')
   end

   function Vec:sort(compare)
      if compare ~= nil then check.kind('Vec:sort', 'the order', compare, 'function') end
      local elements, state = tds._plain(self), getfenv(self)
      sort(elements, compare)
      if state.address then
         for i = 1, state.count do state.values[i] = elements[i] end
      end
   end

   function Vec:unpack()
      local state = getfenv(self)
      return unpack(tds._plain(self), 1, state.count)
   end

   function Vec:__tostring__()
      local state = getfenv(self)
      return tds._text('tds.Vec', state.count, function(i) return format('%5d', i), state.values[i] end)
   end


   local function following(state, i)
      i = i + 1
      if i <= state.count then return i, state.values[i] end
   end

   -- Iterates over indices and values.
   function tds._each(object) return following, getfenv(object), 0 end

   tds._filed(Vec, 'tds.Vec', function(object) return getfenv(object).count, tds._each(object) end,
      function(object, i, value)
         local state = getfenv(object)
         state.count, state.values[i] = i, tds._kept('tds.Vec', value)
      end)
end
