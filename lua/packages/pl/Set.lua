-- pl.Set: sets of values, with the operators + union, * intersection, - difference, ^ symmetric difference.

local Map, class, tablex = require 'pl.Map', require 'pl.class', require 'pl.tablex'
local utils = require 'pl.utils'

local Set = class(Map)
Set._name = 'Set'

-- Set(values) has the values of a list, or those of another set or the keys of a map.
function Set:_init(values)
   if Map.class_of(Map, values) then
      for value in pairs(values) do self[value] = true end
   else
      for _, value in ipairs(values or {}) do self[value] = true end
   end
end

-- The operand of a function as a set. As in the original the keys of any table count, and not the elements of a list; a
-- value that is not a table becomes a set of one element.
local function operand(value)
   if type(value) ~= 'table' then return Set { value } end
   local set = Set()
   for key in pairs(value) do set[key] = true end
   return set
end

-- The operand of + and -: a table that is neither a set nor a map is one element.
local function element_or_set(value) return Map.class_of(Map, value) and value or Set { value } end

function Set.values(set) return tablex.keys(set) end
function Set.len(set) return tablex.size(set) end
Set.__len = Set.len
function Set.isempty(set) return next(set) == nil end
function Set.union(a, b) return tablex.merge(a, operand(b), true) end
function Set.intersection(a, b) return tablex.merge(a, operand(b), false) end
function Set.difference(a, b) return tablex.difference(a, operand(b)) end
function Set.symmetric_difference(a, b) return tablex.difference(a, operand(b), true) end

function Set.issubset(a, b)
   for value in pairs(a) do
      if not b[value] then return false end
   end
   return true
end

function Set.isdisjoint(a, b) return Set.isempty(Set.intersection(a, b)) end

function Set.map(set, f, ...)
   f = utils.function_arg(1, f)
   local result = setmetatable({}, Set)
   for value in pairs(set) do result[f(value, ...)] = true end
   return result
end

function Set.__add(a, b) return Set.union(a, element_or_set(b)) end
function Set.__sub(a, b) return Set.difference(a, element_or_set(b)) end
Set.__mul, Set.__pow = Set.intersection, Set.symmetric_difference
Set.__lt = Set.issubset
function Set.__eq(a, b) return Set.issubset(a, b) and Set.issubset(b, a) end

function Set.__tostring(set) return '[' .. Set.values(set):join ',' .. ']' end

return Set
