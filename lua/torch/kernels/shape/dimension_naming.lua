-- Operations that set and read dimension names, and that order dimensions by name.

local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local dimension_names, types = require 'torch.base.dimension_names', require 'torch.base.types'
local NONE, get, text = dimension_names.NONE, dimension_names.get, dimension_names.text

local dimension_naming = {}

-- The names among the arguments of a method, one by one or in a table.
local function list_of(function_name, ...)
   local first, count, list = (...), select('#', ...), {}
   if type(first) == 'table' and count == 1 then
      for i, name in ipairs(first) do list[i] = name end
      return list
   end
   for i = 1, count do
      local name = select(i, ...)
      if type(name) == 'nil' then errors.argument(function_name, i, 'must be a name (got nil)') end
      list[i] = name
   end
   return list
end

local function check_count(function_name, t, list)
   if #list ~= t._dim then
      errors.raise('%s: each of the %.0f dimensions of tensor [%s] must have a name (got %s)', function_name, t._dim,
         geometry.shape(t), text(list))
   end
end

-- The names for '...' in a list: those of `own` between the given ones before and after it.
local function without_dots(function_name, list, own)
   local at
   for i, name in ipairs(list) do
      if name == '...' then
         if at then errors.raise("%s: '...' cannot stand twice (got %s)", function_name, text(list)) end
         at = i
      end
   end
   if not at then return list end
   local full, after = {}, #list - at
   if #list - 1 > #own then
      errors.raise('%s: more names than dimensions: %s for %s', function_name, text(list), text(own))
   end
   for i = 1, at - 1 do full[i] = list[i] end
   for i = at, #own - after do full[i] = own[i] end
   for i = 1, after do full[#own - after + i] = list[at + i] end
   return full
end

local function own_names(t)
   local list = get(t)
   if list then return list end
   list = {}
   for d = 1, t._dim do list[d] = NONE end
   return list
end

-- The factories of methods: each gets the tensor, checked, and the other arguments.
local function method(f)
   return function(T, _, function_name)
      return function(t, ...)
         T.check_self(t, function_name)
         return f(T, function_name, t, ...)
      end
   end
end

local function view(T, t, list) return dimension_names.set(T.set_tensor(T.new_tensor(), t), list) end

-- x:setNames('rows', 'columns'): x itself, with these names; none takes them away.
dimension_naming.set_names = method(function(_, function_name, t, ...)
   local list = list_of(function_name, ...)
   if #list > 0 then
      list = without_dots(function_name, list, own_names(t))
      check_count(function_name, t, list)
      dimension_names.check(function_name, list)
   end
   return dimension_names.set(t, #list > 0 and list or nil)
end)

-- x:names(): a list of the names, '_' if there is none.
dimension_naming.names = method(function(_, _, t)
   local list = {}
   for d, name in ipairs(own_names(t)) do list[d] = name end
   return list
end)

-- x:refineNames('...', 'rows', 'columns'): names the unnamed dimensions of x; '...' keeps the others.
dimension_naming.refine_names = method(function(T, function_name, t, ...)
   local own = own_names(t)
   local list = without_dots(function_name, list_of(function_name, ...), own)
   check_count(function_name, t, list)
   dimension_names.check(function_name, list)
   for d, name in ipairs(own) do
      if name ~= NONE and list[d] ~= name then
         errors.raise('%s: a name can be given, not changed or taken: %s as %s; rename does that', function_name,
            text(own), text(list))
      end
   end
   return view(T, t, list)
end)

local function renamed(function_name, t, map)
   local list = {}
   for d, name in ipairs(own_names(t)) do list[d] = name end
   for old, new in pairs(map) do
      list[dimension_names.dimension(function_name, t, old)] = new
   end
   return dimension_names.check(function_name, list)
end

-- x:rename{old = 'new'}, x:rename('a', 'b') with new names for all dimensions, x:rename() without names.
dimension_naming.rename = method(function(T, function_name, t, ...)
   local first = ...
   if type(first) == 'table' and #first == 0 then return view(T, t, renamed(function_name, t, first)) end
   local list = list_of(function_name, ...)
   if #list == 0 then return view(T, t, nil) end
   list = without_dots(function_name, list, own_names(t))
   check_count(function_name, t, list)
   return view(T, t, dimension_names.check(function_name, list))
end)

local function missing(own, list)
   local left = {}
   for _, name in ipairs(own) do
      if not dimension_names.position(list, name) then left[#left + 1] = name end
   end
   return left
end

-- A view of t with its dimensions in the order of the list; dimensions that t lacks have size 1.
local function align(T, function_name, t, list)
   if t._dim == 0 then errors.raise('%s: the tensor must not be empty (got [])', function_name) end
   local own = own_names(t)
   for _, name in ipairs(own) do
      if name == NONE then
         errors.raise('%s: each dimension must have a name (got tensor [%s] with %s)', function_name, geometry.shape(t),
            text(own))
      end
   end
   local dots = 0
   for i, name in ipairs(list) do
      if name == '...' then dots = i end
      if name == NONE then errors.raise("%s: names must not be '_' (got %s)", function_name, text(list)) end
   end
   local left = missing(own, list)
   if #left > 0 and dots == 0 then
      errors.raise("%s: no dimension for '%s': %s to %s", function_name, left[1], text(own), text(list))
   end
   local full = {}
   for i, name in ipairs(list) do
      if i == dots then
         for _, other in ipairs(left) do full[#full + 1] = other end
      else
         full[#full + 1] = name
      end
   end
   dimension_names.check(function_name, full)
   local v = T.alias(t)
   geometry.set_dim(v, #full)
   for k, name in ipairs(full) do
      local d = dimension_names.position(own, name)
      v._size[k - 1] = d and t._size[d - 1] or 1
      v._stride[k - 1] = d and t._stride[d - 1] or 1
   end
   return dimension_names.set(v, full)
end

-- x:alignTo('rows', '...'): x with its dimensions in this order; dimensions that it lacks have size 1.
dimension_naming.align_to = method(function(T, function_name, t, ...)
   local list = list_of(function_name, ...)
   local seen = 0
   for _, name in ipairs(list) do
      if name == '...' then seen = seen + 1 end
   end
   if #list == 0 or seen > 1 then
      errors.raise("%s: there must be names, and '...' once (got %s)", function_name, text(list))
   end
   return align(T, function_name, t, list)
end)

-- x:alignAs(y): x with its dimensions in the order of those of y.
dimension_naming.align_as = method(function(T, function_name, t, other)
   if not types.of_tensor(other) then errors.argument_error(function_name, 1, 'a tensor', other) end
   local list = get(other)
   if not list then errors.raise('%s: the tensor must have names (got [%s])', function_name, geometry.shape(other)) end
   return align(T, function_name, t, list)
end)

return dimension_naming
