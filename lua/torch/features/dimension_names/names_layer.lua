-- Named dimensions: a layer (layers.lua) that is loaded when a program first names one. Arguments may name dimensions,
-- and results of operations, methods and operators get names.

local errors, signatures = require 'torch.base.errors', require 'torch.base.signatures'
local dimension_names = require 'torch.base.dimension_names'
local label = require('torch.dispatch.install').label
local name_methods = require 'torch.features.dimension_names.name_methods'
local name_rules = require 'torch.features.dimension_names.name_rules'
local types = require 'torch.base.types'
local get, list_of, of_tensor, set = dimension_names.get, dimension_names.list_of, types.of_tensor, dimension_names.set

-- Applied outside of broadcasting: names are unified for the operands as given.
local names_layer = { order = 2, method = name_methods.method, operator = name_methods.operator }

-- Sets the names of the results of a kernel; false leaves them as they are.
local function give(list, ...)
   if list ~= false then
      local first, second = ...
      if of_tensor(first) then set(first, list) end
      if of_tensor(second) then set(second, list) end
   end
   return ...
end

local function any_named(value)
   if type(value) ~= 'table' then return false end
   for _, item in ipairs(value) do
      if list_of[item] then return true end
   end
   return false
end

function names_layer.kernel(f, _, row, case)
   local rule, takes_list = name_rules.of(row, case)
   return function(a, b, c, d, e, g, h, i)
      if not (list_of[a] or list_of[b] or list_of[c] or list_of[d] or list_of[e] or list_of[g])
         and not (takes_list and (any_named(a) or any_named(b))) then
         return f(a, b, c, d, e, g, h, i)
      end
      return give(rule(a, b, c, d, e, g), f(a, b, c, d, e, g, h, i))
   end
end

-- The dimension that a string names: that of the nearest preceding tensor with a dimension of this name.
local function dimension(function_name, given, i)
   local name, nearest = given[i], nil
   for k = i - 1, 1, -1 do
      local value = given[k]
      local list = of_tensor(value) and { value } or type(value) == 'table' and value or {}
      for _, t in ipairs(list) do
         if of_tensor(t) then
            nearest = nearest or t
            local found = dimension_names.position(get(t), name)
            if found then return found end
         end
      end
   end
   return nearest and dimension_names.dimension(function_name, nearest, name) or name
end

-- The arguments with names of dimensions as numbers. Other strings are numbers, and a type at the end.
local function translated(function_name, count, ...)
   local given = { ... }
   for i = 2, count do
      local value = given[i]
      if type(value) == 'string' and not tonumber(value) and not types.by_typename[value] then
         given[i] = dimension(function_name, given, i)
      end
   end
   return unpack(given, 1, count)
end

local function takes_dimension(row)
   for i = 2, #row do
      for _, slot in ipairs(signatures.parse(row[i][1])) do
         if slot.letter == 'd' then return true end
      end
   end
   return false
end

-- Operations that read their arguments themselves.
local custom = {}

-- where(mask, x, y), preceded by a result, or as a method; a mask alone gives indices.
function custom.where(f, function_name, call)
   return function(...)
      local count, mask, x, y = select('#', ...), ...
      if count < 3 then return f(...) end
      if count == 4 then
         mask, x, y = select(2, ...)
      elseif call == 'method' then
         mask, x = x, mask
      end
      local tensors = {}
      for _, t in ipairs { x or false, y or false, mask or false } do
         if of_tensor(t) then tensors[#tensors + 1] = t end
      end
      return give(tensors[1] and name_rules.combined(function_name, tensors), f(...))
   end
end

-- The names of labels, which operands have in common; nil if no operand has names, or the equation is wrong.
local function label_names(function_name, equation, terms, operands)
   local found, labels_of, any = {}, {}, false
   for i, t in ipairs(operands) do
      local labels = terms[i] and equation.labels(terms[i], of_tensor(t) and t._dim or 0)
      if not labels then return nil end
      labels_of[i] = labels
      local list = of_tensor(t) and get(t)
      for d, key in ipairs(list and labels or {}) do
         local name = list[d]
         if name ~= dimension_names.NONE then
            if found[key] and found[key] ~= name then
               errors.raise("%s: %s is named '%s' and '%s'", function_name, equation.label(key), found[key], name)
            end
            found[key], any = name, true
         end
      end
   end
   return any and found or nil, labels_of
end

-- einsum([result,] equation, x, y, ...), einsum([result,] equation, list): letters have the names of their dimensions.
function custom.einsum(f, function_name)
   local function output_names(text, ...)
      local operands = type((...)) == 'table' and (...) or { ... }
      if type(text) ~= 'string' or not any_named(operands) then return nil end
      local equation = require 'torch.linalg.einsum.equation'
      local terms, output = equation.parse(function_name, text)
      local found, labels_of = label_names(function_name, equation, terms, operands)
      if not found then return nil end
      local list = {}
      for d, key in ipairs(equation.output(function_name, text, output, labels_of)) do
         list[d] = found[key] or dimension_names.NONE
      end
      return dimension_names.check(function_name, list)
   end
   return function(...)
      local list
      if of_tensor((...)) then list = output_names(select(2, ...)) else list = output_names(...) end
      return give(list, f(...))
   end
end

-- Constructors clear the names of a given result.
local function filled(f)
   return function(...) return give(nil, f(...)) end
end
custom.zeros, custom.ones, custom.full, custom.rand, custom.randn = filled, filled, filled, filled, filled

function names_layer.entry(f, _, row, call)
   local function_name = label(row)
   if row.custom and custom[function_name] then return custom[function_name](f, function_name, call) end
   if not takes_dimension(row) then return f end
   return function(...)
      local _, b, c, d, e, g = ...
      if type(b) == 'string' or type(c) == 'string' or type(d) == 'string' or type(e) == 'string'
         or type(g) == 'string' then
         return f(translated(function_name, select('#', ...), ...))
      end
      return f(...)
   end
end

return names_layer
