-- The functions of pl.tablex: copying, comparing, searching and mapping tables.

local list_of, utils = require('pl.list_class').new, require 'pl.utils'
local function_arg = utils.function_arg

local tablex = {}

-- Makes a table an object of a class of Penlight, by its name: the classes require this module.
local function object_of(class, t) return setmetatable(t, require('pl.' .. class)) end

-- Gives a result the metatable of a table, or else that of a class.
local function like(t, result, class)
   local metatable = getmetatable(t)
   return metatable and setmetatable(result, metatable) or object_of(class, result)
end

function tablex.size(t)
   local n = 0
   for _ in next, t do n = n + 1 end
   return n
end

-- Adds the entries of the second table to the first.
function tablex.update(t, other)
   for key, value in pairs(other) do t[key] = value end
   return t
end

function tablex.copy(t) return tablex.update({}, t) end

local function copy_of(t, made)
   if type(t) ~= 'table' then return t end
   if made[t] then return made[t] end
   local copy = {}
   made[t] = copy
   for key, value in pairs(t) do copy[copy_of(key, made)] = copy_of(value, made) end
   return setmetatable(copy, getmetatable(t))
end

-- Copies a table and all tables in it, with their metatables. A table that occurs twice is copied once.
function tablex.deepcopy(t) return copy_of(t, {}) end

-- `compared` has, for tables whose comparison has begun, those that they are compared with: they count as equal, so
-- that the comparison of a table inside itself ends.
local function same(a, b, ignore_metatables, eps, compared)
   if type(a) ~= type(b) then return false end
   if type(a) ~= 'table' then
      return a == b or type(a) == 'number' and eps ~= nil and math.abs(a - b) < eps
   end
   local metatable = getmetatable(a)
   if not ignore_metatables and type(metatable) == 'table' and metatable.__eq then return a == b end
   compared[a] = compared[a] or {}
   if compared[a][b] then return true end
   compared[a][b] = true
   for key, value in pairs(a) do
      if not same(value, b[key], ignore_metatables, eps, compared) then return false end
   end
   for key in pairs(b) do
      if a[key] == nil then return false end
   end
   return true
end

-- Tells whether two values are equal: tables by their contents, numbers up to eps.
function tablex.deepcompare(a, b, ignore_metatables, eps) return same(a, b, ignore_metatables, eps, {}) end

-- Compares lists element by element, by a function if one is given.
function tablex.compare(a, b, equal)
   if #a ~= #b then return false end
   equal = equal and function_arg(3, equal)
   for i = 1, #a do
      if equal and not equal(a[i], b[i]) or not equal and a[i] ~= b[i] then return false end
   end
   return true
end

-- The same in any order.
function tablex.compare_no_order(a, b, equal)
   if #a ~= #b then return false end
   equal = equal and function_arg(3, equal) or function(x, y) return x == y end
   local rest = {}
   for i = 1, #b do rest[i] = b[i] end
   for i = 1, #a do
      local found
      for j = 1, #rest do
         if equal(a[i], rest[j]) then
            found = j
            break
         end
      end
      if not found then return false end
      table.remove(rest, found)
   end
   return true
end

-- A list of the values of a table at the keys of a list.
function tablex.index_by(t, keys)
   local list = {}
   for i = 1, #keys do list[i] = t[keys[i]] end
   return like(t, list, 'List')
end

-- Copies `count` elements from index `source` of a list on to index `target` of another one, overwriting its elements.
local function copy_elements(to, from, target, source, count)
   target, source = target or 1, source or 1
   count = math.max(math.min(count or #from, #from - source + 1), 0)
   local values = {}
   for i = 1, count do values[i] = from[source + i - 1] end
   for i = 1, count do to[target + i - 1] = values[i] end
   return to, target + count
end

function tablex.move(...) return (copy_elements(...)) end

-- The same; what is after them is removed.
function tablex.icopy(to, from, target, source, count)
   local _, rest = copy_elements(to, from, target, source, count)
   tablex.clear(to, rest)
   return to
end

-- Sets elements of a list, by default all, to a value, or to that of a function of the index.
function tablex.set(list, value, first, last)
   local is_function = utils.is_callable(value)
   for i = first or 1, last or #list do
      if is_function then list[i] = value(i) else list[i] = value end
   end
end

-- An index from the start of a list; negative ones count from its end.
local function positive(list, i) return i < 0 and #list + i + 1 or i end

function tablex.find(list, value, first)
   for i = positive(list, first or 1), #list do
      if list[i] == value then return i end
   end
   return nil
end

function tablex.rfind(list, value, first)
   for i = positive(list, first or #list), 1, -1 do
      if list[i] == value then return i end
   end
   return nil
end

-- Returns a key whose value fulfils a condition, and the condition's answer.
function tablex.find_if(t, condition, argument)
   condition = function_arg(2, condition)
   for key, value in pairs(t) do
      local answer = condition(value, argument)
      if answer then return key, answer end
   end
   return nil
end

-- `visited` has the tables that are not looked into.
local function path_to(value, t, visited)
   for key, there in pairs(t) do
      if there == value then return key end
   end
   for key, inner in pairs(t) do
      if type(inner) == 'table' and not visited[inner] then
         visited[inner] = true
         local rest = path_to(value, inner, visited)
         if rest ~= nil then
            return string.format(type(key) == 'string' and '%s.%s' or '[%s]%s', tostring(key), tostring(rest))
         end
      end
   end
   return nil
end

-- Returns the key of a value in a table, or where it is in the tables inside: 'a.b'. `exclude` lists tables that are
-- left out.
function tablex.search(t, value, exclude)
   local visited = { [t] = true }
   for _, left_out in pairs(exclude or {}) do visited[left_out] = true end
   return path_to(value, t, visited)
end

function tablex.keys(t) return list_of(tablex.pairmap(function(key) return key end, t)) end
function tablex.values(t) return list_of(tablex.pairmap(function(_, value) return value end, t)) end

-- The keys of a table by its values: a list of them where there are several.
function tablex.index_map(t)
   return object_of('Map', tablex.pairmap(function(key, value) return key, value end, t))
end

function tablex.makeset(t)
   return object_of('Set', tablex.pairmap(function(_, value) return true, value end, t))
end

-- Stores f(value, ...) of every entry under its key; imap does so for a list.
function tablex.map(f, t, ...)
   f = function_arg(1, f)
   local result = {}
   for key, value in pairs(t) do result[key] = f(value, ...) end
   return setmetatable(result, getmetatable(t))
end

function tablex.imap(f, t, ...)
   f = function_arg(1, f)
   local result = {}
   for i = 1, #t do result[i] = f(t[i], ...) or false end
   return like(t, result, 'List')
end

function tablex.map_named_method(name, list, ...)
   local result = {}
   for i = 1, #list do result[i] = list[i][name](list[i], ...) end
   return like(list, result, 'List')
end

function tablex.transform(f, t, ...)
   f = function_arg(1, f)
   for key, value in pairs(t) do t[key] = f(value, ...) end
end

function tablex.foreach(t, f, ...)
   f = function_arg(2, f)
   for key, value in pairs(t) do f(value, key, ...) end
end

function tablex.foreachi(t, f, ...)
   f = function_arg(2, f)
   for i = 1, #t do f(t[i], i, ...) end
end

-- Lists f(a[i], b[i]) for two lists; map2 does so for tables with common keys.
function tablex.map2(f, a, b, ...)
   f = function_arg(1, f)
   local result = {}
   for key, value in pairs(a) do result[key] = f(value, b[key], ...) end
   return like(a, result, 'List')
end

function tablex.imap2(f, a, b, ...)
   f = function_arg(1, f)
   local result = {}
   for i = 1, math.min(#a, #b) do result[i] = f(a[i], b[i], ...) end
   return result
end

-- Lists f(a[i], b[i], c[i], ...) for any number of lists.
function tablex.mapn(f, ...)
   f = function_arg(1, f)
   local lists, count = { ... }, nil
   for _, list in ipairs(lists) do count = math.min(count or #list, #list) end
   local result = {}
   for i = 1, count or 0 do
      local values = {}
      for k, list in ipairs(lists) do values[k] = list[i] end
      result[i] = f(unpack(values, 1, #lists))
   end
   return result
end

function tablex.zip(...)
   return tablex.mapn(function(...) return { ... } end, ...)
end

-- f(key, value) returns the value of the result and optionally its key; values of the same key become a list.
function tablex.pairmap(f, t, ...)
   f = function_arg(1, f)
   local result = {}
   for key, value in pairs(t) do
      local made, under = f(key, value, ...)
      local there = under and result[under]
      if not under then
         result[#result + 1] = made
      elseif type(there) == 'table' then
         there[#there + 1] = made
      else
         result[under] = there and { there, made } or made
      end
   end
   return result
end

-- Computes f(f(f(first, t[1]), t[2]), ...); t[1] is the default of `first`.
function tablex.reduce(f, t, first)
   f = function_arg(1, f)
   if #t == 0 then return first end
   local result = first and f(first, t[1]) or t[1]
   for i = 2, #t do result = f(result, t[i]) end
   return result
end

function tablex.filter(t, condition, argument)
   condition = function_arg(2, condition)
   local result = {}
   for i = 1, #t do
      if condition(t[i], argument) then result[#result + 1] = t[i] end
   end
   return like(t, result, 'List')
end

-- How often each element is in a list, or, with a function, those that are equal to it by that.
function tablex.count_map(t, equal)
   local counts, counted = {}, {}
   equal = function_arg(2, equal or '==')
   for i = 1, #t do
      local value = t[i]
      if not counted[value] then
         counted[value], counts[value] = true, 1
         for j = i + 1, #t do
            if equal(value, t[j]) then counts[value], counted[t[j]] = counts[value] + 1, true end
         end
      end
   end
   return object_of('Map', counts)
end

function tablex.range(first, last, step)
   local list = {}
   for value = first, last, step or 1 do list[#list + 1] = value end
   return list_of(list)
end

-- Copies the elements from first to last; negative positions count from the end.
function tablex.sub(list, first, last)
   local part = {}
   for i = positive(list, first or 1), math.min(positive(list, last or -1), #list) do part[#part + 1] = list[i] end
   return like(list, part, 'List')
end

-- Returns the entries of the first table whose keys are in both tables, or with `dup` in either.
function tablex.merge(a, b, dup)
   local result = {}
   for key, value in pairs(a) do
      if dup or b[key] then result[key] = value end
   end
   if dup then tablex.update(result, b) end
   return like(a, result, 'Map')
end

function tablex.union(a, b) return tablex.merge(a, b, true) end
function tablex.intersection(a, b) return tablex.merge(a, b, false) end

-- Returns the entries whose keys are in the first table alone, or, if `symmetric`, in one alone.
function tablex.difference(a, b, symmetric)
   local result = {}
   for _, pair in ipairs { { a, b }, symmetric and { b, a } } do
      for key, value in pairs(pair[1]) do
         if pair[2][key] == nil then result[key] = value end
      end
   end
   return like(a, result, 'Map')
end

function tablex.clear(t, first)
   for _ = first or 1, #t do table.remove(t) end
end

function tablex.insertvalues(t, ...)
   local place, values = ...
   if select('#', ...) == 1 then place, values = #t + 1, place end
   for i = #t, place, -1 do t[i + #values] = t[i] end
   for i = 1, #values do t[place + i - 1] = values[i] end
   return t
end

function tablex.removevalues(t, first, last)
   first = positive(t, first or 1)
   for _ = first, math.min(positive(t, last or #t), #t) do table.remove(t, first) end
   return t
end

function tablex.new(count, value)
   local list = {}
   for i = 1, count do list[i] = type(value) == 'function' and value(i) or value end
   return list
end

-- Iterates over a table in the order of its keys; sortv in that of its values.
local function sorted(t, less, by)
   local keys = tablex.keys(t)
   less = less and function_arg(2, less)
   table.sort(keys, function(a, b)
      if by then a, b = by(a), by(b) end
      if less then return less(a, b) end
      if type(a) ~= type(b) then return type(a) < type(b) end
      return a < b
   end)
   local following = utils.elements(keys)
   return function()
      local key = following()
      return key, t[key]
   end
end

function tablex.sort(t, less) return sorted(t, less) end
function tablex.sortv(t, less) return sorted(t, less, function(key) return t[key] end) end

function tablex.readonly(t)
   return setmetatable({}, {
      __index = t, __metatable = false,
      __newindex = function() error('Attempt to modify read-only table', 2) end,
      __pairs = function() return pairs(t) end, __ipairs = function() return ipairs(t) end,
      __len = function() return #t end,
   })
end

return tablex
