-- The keys of tables in an order that follows from the keys. The order of `next` over strings may differ from process
-- to process, and so would everything written, printed or summed in it.

local ffi = require 'ffi'
local floor, sort = math.floor, table.sort
local next, rawget, type = next, rawget, type

local key_order = {}

-- Whether strings are numbered by their content, which lies three words in front of the characters: then `next` has
-- one order of all keys but objects, that of Torch7 (t7shell/engine/string_ids.py).
local native = ffi.cast('const uint32_t *', ffi.cast('const char *', 'content'))[-3] == 2235491554
key_order.native = native

-- The number that orders an object among keys: its value, or its field `id`.
local function rank_of(t, key)
   local value = rawget(t, key)
   if type(value) ~= 'number' then value = type(key) == 'table' and rawget(key, 'id') end
   return type(value) == 'number' and value
end

-- Sorts objects by their ranks; leaves them as they are where one has none.
local function sort_objects(t, objects)
   local ranks = {}
   for i = 1, #objects do
      local rank = rank_of(t, objects[i])
      if not rank or rank ~= rank then return end
      ranks[objects[i]] = rank
   end
   sort(objects, function(a, b) return ranks[a] < ranks[b] end)
end

local SHORT = 12      -- strings that are sorted in compiled code

local function sort_strings(strings, n)
   if n > SHORT then return sort(strings) end
   for i = 2, n do
      local key, j = strings[i], i - 1
      while j > 0 and key < strings[j] do
         strings[j + 1] = strings[j]
         j = j - 1
      end
      strings[j + 1] = key
   end
end

-- Returns the keys in order: those of the list 1, 2, ..., other numbers, strings, false and true, objects.
local function all_in_order(t, strings)
   local keys, n = {}, 0
   local function add(list)
      for i = 1, #list do keys[n + i] = list[i] end
      n = n + #list
   end
   while rawget(t, n + 1) ~= nil do
      n = n + 1
      keys[n] = n
   end
   local numbers, booleans, objects, length = {}, {}, {}, n
   for key in next, t do
      local kind = type(key)
      if kind == 'number' then
         if key < 1 or key > length or floor(key) ~= key then numbers[#numbers + 1] = key end
      elseif kind ~= 'string' and kind ~= 'boolean' then
         objects[#objects + 1] = key
      end
   end
   if rawget(t, false) ~= nil then booleans[1] = false end
   if rawget(t, true) ~= nil then booleans[#booleans + 1] = true end
   sort(numbers)
   sort_objects(t, objects)
   add(numbers)
   add(strings)
   add(booleans)
   add(objects)
   return keys
end

-- Returns the number of entries and a list of the keys in order, for readers if `sorted`. Where all are numbers there
-- is no list: the order of `next` serves.
function key_order.of(t, sorted)
   local count, n, strings, plain, objects = 0, 0, nil, true, false
   for key in next, t do
      count = count + 1
      local kind = type(key)
      if kind == 'string' then
         strings = strings or {}
         n = n + 1
         strings[n] = key
      elseif kind ~= 'number' then
         plain = false
         objects = objects or kind ~= 'boolean'
      end
   end
   if n == 0 and plain then return count end
   if native and not sorted and not objects then
      if n == count then return count, strings end
      local keys = {}
      count = 0
      for key in next, t do
         count = count + 1
         keys[count] = key
      end
      return count, keys
   end
   strings = strings or {}
   sort_strings(strings, n)
   return count, n == count and strings or all_in_order(t, strings)
end

-- Iterates over keys and values in that order.
function key_order.pairs(t, sorted)
   local count, keys = key_order.of(t, sorted)
   if not keys then return next, t, nil end
   local i = 0
   return function()
      while i < count do
         i = i + 1
         local value = rawget(t, keys[i])
         if value ~= nil then return keys[i], value end
      end
   end
end

-- The same: numbers first, then strings by their letters, also where programs see another order.
function key_order.sorted(t) return key_order.pairs(t, true) end

return key_order
