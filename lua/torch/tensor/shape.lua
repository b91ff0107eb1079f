-- Views with other sizes: squeeze, unsqueeze, expand, view, split and chunk. Specialised per type.

return function(T) return function(methods)

local type = type
local ceil, concat = math.ceil, table.concat
local ffi = require 'ffi'
local element, errors = require 'torch.loops.element', require 'torch.base.errors'
local geometry = require 'torch.base.geometry'
local sizes, types = require 'torch.tensor.sizes', require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local istype = ffi.istype
local are_sizes, tensor_ct = sizes.are_sizes, T.tensor_ct
local alias, check_self, dimension, narrow_view = T.alias, T.check_self, T.dimension, T.narrow_view
local numel, shape, set_dim = geometry.numel, geometry.shape, geometry.set_dim
local MAX_ELEMENTS = geometry.MAX_ELEMENTS
local integer, raise = errors.integer, errors.raise
local get = element.getter(T)

-- Copies dimension k of t to dimension `dim` of v, unless it is dropped; returns the next dimension of v.
local function keep(v, dim, t, k, one)
   local size = t._size[k]
   if size == 1 and (not one or k == one) then return dim end
   v._size[dim], v._stride[dim] = size, t._stride[k]
   return dim + 1
end

-- Drops dimension `one`, or all, of size 1 from v, which has the sizes of t and may be t. Four of them are unrolled: a
-- loop would keep the loop around it from being compiled as one trace.
local function drop(v, t, one)
   local from = t._dim
   if from > 4 then
      finish_trace()
      -- With a separate buffer: v may replace its own.
      local list, strides = {}, {}
      for k = 0, from - 1 do
         if t._size[k] ~= 1 or one and k ~= one then
            list[#list + 1], strides[#strides + 1] = t._size[k], t._stride[k]
         end
      end
      set_dim(v, #list)
      for k = 1, #list do v._size[k - 1], v._stride[k - 1] = list[k], strides[k] end
      return
   end
   local dim = keep(v, 0, t, 0, one)
   if from >= 2 then dim = keep(v, dim, t, 1, one) end
   if from >= 3 then dim = keep(v, dim, t, 2, one) end
   if from >= 4 then dim = keep(v, dim, t, 3, one) end
   local is_contiguous = t._layout > 0
   v._dim, v._layout = dim, 0
   if is_contiguous then geometry.set_strides(v) end
end

-- x:squeeze([dim]): without the dimensions of size 1; a number when one element is left.
function methods.squeeze(first, second, third, fourth)
   check_self(first, 'squeeze')
   local given = istype(tensor_ct, second)
   local t = given and second or first
   local dim, beyond = second, third
   if given then dim, beyond = third, fourth end
   if type(beyond) ~= 'nil' then errors.argument_error('squeeze', given and 3 or 2, 'absent', beyond) end
   local one = type(dim) ~= 'nil' and dimension(t, 'squeeze', dim) or nil
   local is_number = numel(t) == 1 and (not one or t._dim == 1)
   local number = is_number and get(t._memory._data, t._offset)
   if is_number and not given then return number end
   local v = given and T.set_tensor(first, t) or alias(t)
   if is_number then
      local stride = one and t._stride[0] or 1
      set_dim(v, 1)
      v._size[0], v._stride[0] = 1, stride
      return number
   end
   if one then
      if t._size[one] == 1 and t._dim > 1 then drop(v, t, one) end
   elseif t._dim > 0 then
      drop(v, t)
   end
   return v
end

-- x:unsqueeze(dim): inserts a dimension of size 1 at dim; -1 appends it.
function methods.unsqueeze(t, dim)
   check_self(t, 'unsqueeze')
   local at = integer('unsqueeze', 1, dim)
   if at < 0 then at = geometry.from_last(at, t._dim + 1) or at end
   if at < 1 or at > t._dim + 1 or t._dim == 0 then
      errors.raise('unsqueeze: position %.0f out of range 1 to %.0f for tensor [%s]', at, t._dim + 1, shape(t))
   end
   local v = alias(t)
   set_dim(v, t._dim + 1)
   for k = 0, t._dim do
      local from = k < at - 1 and k or k - 1
      if k == at - 1 then
         v._size[k] = 1
         v._stride[k] = k < t._dim and t._size[k] * t._stride[k] or 1
      else
         v._size[k], v._stride[k] = t._size[from], t._stride[from]
      end
   end
   return v
end

local function is_wide(t, k, size) return size == t._size[k] or t._size[k] == 1 and size >= 1 end

-- A dimension of size 1 gets stride 0, whatever its new size.
local function widen(v, k, size)
   if v._size[k] == 1 then v._size[k], v._stride[k], v._layout = size, 0, 0 end
end

-- Whether t is an empty tensor, but one of some memory, of which there can be views.
local function is_emptied(t) return t._dim == 0 and t._memory ~= nil end

local function expand_to(result, t, list)
   if #list ~= t._dim or #list == 0 and not is_emptied(t) then
      raise('expand: sizes must be as many as the dimensions of tensor [%s] (got %d)', shape(t), #list)
   end
   local count = 1
   for k = 1, #list do
      local size = t._size[k - 1]
      count = count * list[k]
      if list[k] ~= size and (size ~= 1 or list[k] < 1) then
         raise('expand: dimension %d of tensor [%s] cannot become %.0f: only size 1 can be expanded', k, shape(t),
            list[k])
      end
   end
   if count > MAX_ELEMENTS then raise('expand: there can be at most 2^53 elements (got %g)', count) end
   local v = result and T.set_tensor(result, t) or alias(t)
   for k = 1, #list do
      widen(v, k - 1, list[k])
   end
   return v
end

-- `t` expanded to up to four sizes, without a loop; nil when it cannot be.
local function expand_four(t, a, b, c, d)
   local dim = d and 4 or c and 3 or b and 2 or 1
   if dim ~= t._dim or not is_wide(t, 0, a) or b and not is_wide(t, 1, b) or c and not is_wide(t, 2, c)
      or d and not is_wide(t, 3, d) or a * (b or 1) * (c or 1) * (d or 1) > MAX_ELEMENTS then
      return nil
   end
   local v = alias(t)
   widen(v, 0, a)
   if b then widen(v, 1, b) end
   if c then widen(v, 2, c) end
   if d then widen(v, 3, d) end
   return v
end

-- x:expand(sizes), r:expand(x, sizes): dimensions of size 1 repeated without new memory.
function methods.expand(first, second, ...)
   check_self(first, 'expand')
   local b, c, d, e = ...
   local v = are_sizes(second, b, c, d, e) and expand_four(first, second, b, c, d)
   if v then return v end
   sizes.reject_strings('expand', 1, second, ...)
   if istype(tensor_ct, second) then return expand_to(first, second, sizes.list('expand', 2, ...)) end
   return expand_to(nil, first, sizes.list('expand', 1, second, ...))
end

local function sizes_like(method, n, like)
   if not types.of_tensor(like) then errors.argument_error(method, n, 'a tensor', like) end
   return sizes.of_tensor(like)
end

-- x:f(other), r:f(x, other): with the sizes of another tensor of any type.
local function sized_as(method, act)
   return function(first, second, third)
      check_self(first, method)
      if type(third) == 'nil' then return act(nil, first, sizes_like(method, 1, second)) end
      if not istype(tensor_ct, second) then errors.argument_error(method, 1, 'a ' .. T.tensor_name, second) end
      return act(first, second, sizes_like(method, 2, third))
   end
end

local expand_as = sized_as('expandAs', expand_to)

-- x:expandAs(other), r:expandAs(x, other): expanded to the sizes of another tensor.
function methods.expandAs(first, second, third)
   local v
   if istype(tensor_ct, first) and istype(tensor_ct, second) and type(third) == 'nil' then
      local dim, size = second._dim, second._size
      if dim >= 1 and dim <= 4 then
         v = expand_four(first, size[0], dim >= 2 and size[1] or nil, dim >= 3 and size[2] or nil,
            dim >= 4 and size[3] or nil)
      end
   end
   return v or expand_as(first, second, third)
end

local function view_as(result, t, list)
   if not geometry.is_contiguous(t) then
      raise('view: self must be contiguous (got a tensor [%s] that is not)', shape(t))
   end
   local n = numel(t)
   if is_emptied(t) and (#list == 0 or #list == 1 and (list[1] == 0 or list[1] == -1)) then
      return result and T.set_tensor(result, t) or alias(t)
   end
   local total = sizes.complete('view', list, n)
   if total ~= n or n == 0 or #list == 0 then
      raise('view: wrong size: tensor [%s] of %.0f elements as [%s]', shape(t), n, concat(list, 'x'))
   end
   local v = alias(t)
   set_dim(v, #list)
   for k = 1, #list do v._size[k - 1] = list[k] end
   geometry.set_strides(v)
   return result and T.set_tensor(result, v) or v
end

-- A view with up to four sizes, one of them maybe -1, without a loop; nil for errors.
local function view_four(t, a, b, c, d)
   if type(a) ~= 'number' or type(b) ~= 'nil' and type(b) ~= 'number' or type(c) ~= 'nil' and type(c) ~= 'number'
      or type(d) ~= 'nil' and type(d) ~= 'number' then
      return nil
   end
   local n = numel(t)
   local p, q, r = b or 1, c or 1, d or 1
   -- The size for -1, if one is given.
   local open = n / -(a * p * q * r)
   if a == -1 then a = open
   elseif b == -1 then b, p = open, open
   elseif c == -1 then c, q = open, open
   elseif d == -1 then d, r = open, open end
   if not are_sizes(a, b, c, d) or a * p * q * r ~= n or not geometry.is_contiguous(t) then return nil end
   local v = alias(t)
   set_dim(v, d and 4 or c and 3 or b and 2 or 1)
   local size = v._size
   size[0], size[1], size[2], size[3] = a, p, q, r
   geometry.set_strides(v)
   return v
end

-- x:view(sizes), r:view(x, sizes): the same elements of a contiguous tensor with other sizes, one of which may be -1.
function methods.view(first, second, third, ...)
   check_self(first, 'view')
   local c, d, e = ...
   local v = type(e) == 'nil' and view_four(first, second, third, c, d)
   if v then return v end
   sizes.reject_strings('view', 1, second, third, ...)
   if istype(tensor_ct, second) then return view_as(first, second, sizes.sole_list('view', 2, third, ...)) end
   return view_as(nil, first, sizes.sole_list('view', 1, second, third, ...))
end

methods.viewAs = sized_as('viewAs', view_as)

-- A number with its fraction, of those that errors.integer accepts.
local function finite(method, n, value)
   integer(method, n, value)
   return errors.number(method, n, value)
end

-- The arguments of split and chunk: [table,] tensor, number, [dim].
local function pieces_arguments(method, number_of, first, second, third, fourth)
   local list, t, number, dim = {}, first, second, third
   if type(first) == 'table' then
      list, t, number, dim = first, second, third, fourth
      for i = #list, 1, -1 do list[i] = nil end
   end
   check_self(t, method)
   number = number_of(method, 1, number)
   if number < 1 then errors.argument(method, 1, 'must be at least 1 (got %.0f)', number) end
   return list, t, number, dimension(t, method, type(dim) == 'nil' and 1 or dim, 2)
end

local function chunks(list, t, length, d)
   local size = t._size[d]
   for first = 0, size - 1, length do
      list[#list + 1] = narrow_view(t, d, first, first + length > size and size - first or length)
   end
   return list
end

-- x:split(size, [dim]): narrowed views of `size` indices each; the last may be shorter.
function methods.split(...)
   local list, t, size, d = pieces_arguments('split', integer, ...)
   return chunks(list, t, size, d)
end

-- x:chunk(n, [dim]): about n narrowed views of equal size; n may have a fraction.
function methods.chunk(...)
   local list, t, n, d = pieces_arguments('chunk', finite, ...)
   return chunks(list, t, ceil(t._size[d] / n), d)
end

end end
