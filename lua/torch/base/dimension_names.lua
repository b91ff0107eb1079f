-- Dimension names of tensors. A list has a name for each dimension, '_' for none; lists are shared by tensors and
-- never changed. The table is weak: a tensor at the address of a collected one has no names. See
-- docs/decisions/0020-names.md.

local concat, find, ipairs, setmetatable, type = table.concat, string.find, ipairs, setmetatable, type
local errors = require 'torch.base.errors'

local dimension_names = {}

local NONE = '_'
dimension_names.NONE = NONE

local list_of = setmetatable({}, { __mode = 'k' })
-- A hash of the sizes that a tensor had when it got its list: it loses its names when other code changes its sizes.
local sizes_of = setmetatable({}, { __mode = 'k' })
-- Tells without a function call that a value has no names, as most values have none.
dimension_names.list_of = list_of

local begin

-- Lets begin() be called before the first tensor gets names.
function dimension_names.watch(f) begin = f end

local function sizes_number(t)
   local number = t._dim
   for d = 0, t._dim - 1 do number = (number * 1048583 + t._size[d]) % 4294967291 end
   return number
end

local function forget(t)
   list_of[t], sizes_of[t] = nil, nil
end

function dimension_names.get(t)
   local list = list_of[t]
   if list then
      if #list == t._dim and sizes_of[t] == sizes_number(t) then return list end
      forget(t)
   end
end
local get = dimension_names.get

local function has_names(list)
   for _, name in ipairs(list) do
      if name ~= NONE then return true end
   end
   return false
end

-- Gives a tensor a list of names; nil, or a list of the wrong length, removes its names.
function dimension_names.set(t, list)
   if list and (#list ~= t._dim or not has_names(list)) then list = nil end
   if list and begin then
      local f = begin
      begin = nil
      f()
   end
   if list then
      list_of[t], sizes_of[t] = list, sizes_number(t)
   elseif list_of[t] then
      forget(t)
   end
   return t
end

-- Gives a tensor the names of another one; while the program uses no names, this looks into an empty table.
function dimension_names.take(t, from) return dimension_names.set(t, get(from)) end

-- The names as messages show them.
function dimension_names.text(list)
   local words = {}
   for i, name in ipairs(list or { 'no names' }) do
      words[i] = type(name) == 'string' and name or errors.describe(name)
   end
   return '[' .. concat(words, ', ') .. ']'
end

function dimension_names.position(list, name)
   for d = 1, list and #list or 0 do
      if list[d] == name and name ~= NONE then return d end
   end
end
local position = dimension_names.position

function dimension_names.is_name(value) return type(value) == 'string' and find(value, '^[%a_][%w_]*$') ~= nil end

-- Raises unless all are names, and no two the same.
function dimension_names.check(function_name, list)
   local seen = {}
   for i, name in ipairs(list) do
      if not dimension_names.is_name(name) then
         errors.raise("%s: names must be letters, digits and _, or '_' for none (got %s)", function_name,
            type(name) == 'string' and "'" .. name .. "'" or errors.describe(name))
      end
      if seen[name] and name ~= NONE then
         errors.raise("%s: '%s' names dimensions %d and %d: %s; rename one", function_name, name, seen[name], i,
            dimension_names.text(list))
      end
      seen[name] = i
   end
   return list
end

function dimension_names.dimension(function_name, t, name)
   local found = position(get(t), name)
   if not found then
      errors.raise("%s: no dimension is named '%s' (got tensor with %s)", function_name,
         type(name) == 'string' and name or errors.describe(name), dimension_names.text(get(t)))
   end
   return found
end

local function disagree(function_name, a, b)
   errors.raise('%s: names do not agree: %s and %s', function_name, dimension_names.text(a), dimension_names.text(b))
end
dimension_names.disagree = disagree

-- The names of two tensors combined, aligned at the last dimension: they must agree where both have one, and differ
-- from each other.
function dimension_names.unite(function_name, a, b)
   if not a or not b or a == b then return a or b end
   local long, short = a, b
   if #b > #a then long, short = b, a end
   local list, shift = {}, #long - #short
   for d, name in ipairs(long) do
      local other = short[d - shift] or NONE
      if name ~= NONE and other ~= NONE and name ~= other then disagree(function_name, a, b) end
      list[d] = name == NONE and other or name
   end
   for d, name in ipairs(list) do
      if position(list, name) ~= d and name ~= NONE then disagree(function_name, a, b) end
   end
   return list
end

return dimension_names
