-- Dimension names in methods and operators without rows. Each rule wraps a method; see names_layer.lua.

local dialect, same_size = require 'torch.base.dialect', require('torch.base.geometry').same_size
local dimension_names, types = require 'torch.base.dimension_names', require 'torch.base.types'
local NONE, get, list_of = dimension_names.NONE, dimension_names.get, dimension_names.list_of
local set, take = dimension_names.set, dimension_names.take
local of_tensor, sizes_of_tensor = types.of_tensor, require('torch.tensor.sizes').of_tensor

local name_methods, methods = {}, {}

local function numbered(function_name, t, d)
   if type(d) == 'string' and not tonumber(d) and of_tensor(t) then
      return dimension_names.dimension(function_name, t, d)
   end
   return d
end

-- The index in a list, from 1, of a dimension that a method has accepted.
local function index_of(list, d)
   d = tonumber(d)
   d = d < 0 and -((-d) - (-d) % 1) or d - d % 1
   return d < 0 and d + #list + 1 or d
end

local function copied(list)
   return { unpack(list) }
end

-- Methods that take dimensions as their first arguments; `change`, if given, makes the names of the result.
local function by_dimensions(count, change)
   return function(f, function_name)
      return function(t, first, second, ...)
         first = numbered(function_name, t, first)
         if count > 1 then second = numbered(function_name, t, second) end
         local list = list_of[t] and get(t)
         if not list then return f(t, first, second, ...) end
         local made = f(t, first, second, ...)
         if of_tensor(made) and change then set(made, change(list, first, second)) end
         return made
      end
   end
end

local function same(list) return list end

methods.size, methods.stride = by_dimensions(1), by_dimensions(1)
methods.narrow, methods.sub = by_dimensions(1, same), by_dimensions(0, same)

methods.select = by_dimensions(1, function(list, d)
   list = copied(list)
   table.remove(list, index_of(list, d))
   return list
end)

methods.transpose = by_dimensions(2, function(list, a, b)
   a, b = index_of(list, a), index_of(list, b)
   list = copied(list)
   list[a], list[b] = list[b], list[a]
   return list
end)

methods.t = by_dimensions(0, function(list) return { list[2], list[1] } end)

methods.unfold = by_dimensions(1, function(list)
   list = copied(list)
   list[#list + 1] = NONE
   return list
end)

methods.unsqueeze = by_dimensions(0, function(list, d)
   local full = copied(list)
   full[#full + 1] = NONE
   d = index_of(full, d)
   for k = #full, d + 1, -1 do full[k] = full[k - 1] end
   full[d] = NONE
   return full
end)

function methods.permute(f, function_name)
   return function(t, ...)
      local count, given, list = select('#', ...), { ... }, list_of[t] and get(t)
      for i = 1, count do given[i] = numbered(function_name, t, given[i]) end
      local v = f(t, unpack(given, 1, count))
      if list and not rawequal(v, t) then
         local permuted = {}
         for i = 1, count do permuted[i] = list[index_of(list, given[i])] end
         set(v, permuted)
      end
      return v
   end
end

-- The arguments [r,] x, ... of methods whose result is self if a tensor follows.
local function source(first, second)
   if of_tensor(second) then return second end
   return first
end

function methods.squeeze(f, function_name)
   return function(first, second, third)
      local t = source(first, second)
      local list, left = list_of[t] and get(t), {}
      if rawequal(t, first) then
         second = numbered(function_name, t, second) else third = numbered(function_name, t, third)
      end
      local dim = second
      if not rawequal(t, first) then dim = third end
      if list then
         local one = type(dim) ~= 'nil' and tonumber(dim) and index_of(list, dim)
         for d, name in ipairs(list) do
            if t._size[d - 1] ~= 1 or one and d ~= one then left[#left + 1] = name end
         end
      end
      local v = f(first, second, third)
      if not of_tensor(v) or not list and not list_of[v] then return v end
      return set(v, list and left)
   end
end

-- The names of the last dimensions of a result that has more before them.
local function after_new_dimensions(list, _, v)
   local full = {}
   for _ = 1, v._dim - #list do full[#full + 1] = NONE end
   for _, name in ipairs(list) do full[#full + 1] = name end
   return full
end

local function has_sizes(t, sizes)
   if t._dim ~= #sizes then return false end
   for d = 1, t._dim do
      if t._size[d - 1] ~= sizes[d] then return false end
   end
   return true
end

local function with_sizes(list, sizes, v) return has_sizes(v, sizes) and list or nil end

-- Methods that repeat elements or change sizes; `like_other` for those that end with another tensor.
local function resized(change, like_other)
   return function(f)
      return function(first, second, third, ...)
         local t = source(first, second)
         if like_other and type(third) == 'nil' then t = first end
         local list = list_of[t] and get(t)
         if not list and not list_of[first] then return f(first, second, third, ...) end
         local sizes = list and sizes_of_tensor(t)
         local v = f(first, second, third, ...)
         if rawequal(v, t) and not rawequal(v, first) then return v end
         return set(v, list and change(list, sizes, v))
      end
   end
end

methods.expand, methods.expandAs = resized(after_new_dimensions), resized(after_new_dimensions, true)
methods.repeatTensor = resized(after_new_dimensions)
methods.view, methods.viewAs, methods.reshape = resized(with_sizes), resized(with_sizes, true), resized(with_sizes)

-- Methods that change the sizes of self: names stay with the sizes.
local function in_place(f)
   return function(t, ...)
      local list = list_of[t] and get(t)
      if not list then return f(t, ...) end
      local sizes = sizes_of_tensor(t)
      local made = f(t, ...)
      set(t, has_sizes(t, sizes) and list or nil)
      return made
   end
end
methods.resize, methods.resizeAs = in_place, in_place

function methods.set(f)
   return function(t, ...)
      local other = ...
      local list = of_tensor(other) and get(other)
      local made = f(t, ...)
      if list or list_of[t] then set(t, list or nil) end
      return made
   end
end

function methods.read(f)
   return function(t, ...)
      f(t, ...)
      if of_tensor(t) then set(t, nil) end
   end
end

-- Methods whose result has the names of the first tensor.
local function kept(f)
   return function(t, ...)
      local list, made = list_of[t], f(t, ...)
      if list and of_tensor(made) and not rawequal(made, t) then take(made, t) end
      return made
   end
end
for _, name in ipairs { 'new', 'clone', 'contiguous', 'type', 'typeAs', 'real', 'cuda', 'cudaDouble', 'cudaHalf',
   'cudaLong', 'cudaInt', 'cudaShort', 'cudaChar', 'cudaByte' } do
   methods[name] = kept
end
for _, T in ipairs(types.rows) do methods[string.lower(T.name)] = kept end

-- Names are copied as well if both have the same sizes, or the source is broadcast.
function methods.copy(f, function_name)
   return function(t, given)
      if not list_of[given] or not of_tensor(t) then return f(t, given) end
      local list, other = get(t), get(given)
      if other and (same_size(t, given) or dialect.name == 'modern' and given._dim <= t._dim) then
         list = dimension_names.unite(function_name, list, other)
      end
      return set(f(t, given), list)
   end
end

-- split and chunk: [list,] x, number, [dim].
local function in_pieces(f, function_name)
   return function(first, second, third, fourth)
      local t, dim = first, third
      if type(first) == 'table' then t, dim = second, fourth end
      dim = numbered(function_name, t, dim)
      local list = list_of[t] and get(t)
      local chunks
      if type(first) == 'table' then chunks = f(first, second, third, dim) else chunks = f(first, second, dim) end
      if list then
         for _, chunk in ipairs(chunks) do set(chunk, list) end
      end
      return chunks
   end
end
methods.split, methods.chunk = in_pieces, in_pieces

-- The names of x[{...}]: numbers drop their dimension, ranges keep it.
local function of_list(list, key)
   local left, d, given = {}, 1, 0
   for _, index in ipairs(key) do
      if index ~= '...' then given = given + 1 end
   end
   for _, index in ipairs(key) do
      if index == '...' then
         for _ = 1, #list - given do
            left[#left + 1] = list[d]
            d = d + 1
         end
      else
         if type(index) == 'table' then left[#left + 1] = list[d] end
         d = d + 1
      end
   end
   for k = d, #list do left[#left + 1] = list[k] end
   return left
end

local function indexed(f)
   return function(t, key)
      if type(key) == 'string' or not list_of[t] then return f(t, key) end
      local v, list = f(t, key), get(t)
      if not list or not of_tensor(v) then return v end
      if type(key) == 'number' then return set(v, { unpack(list, 2) }) end
      if type(key) == 'table' then return set(v, of_list(list, key)) end
      return v
   end
end

-- A number minus a tensor is computed in a copy.
local function subtracted(f)
   return function(a, b)
      local made = f(a, b)
      if not of_tensor(a) and list_of[b] then take(made, b) end
      return made
   end
end

--- Parts of the layer, see layers.lua.
function name_methods.method(f, _, name)
   return methods[name] and methods[name](f, name) or f
end

function name_methods.operator(f, _, event)
   if event == '__index' then return indexed(f) end
   if event == '__sub' then return subtracted(f) end
   return f
end

return name_methods
