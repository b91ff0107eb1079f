-- Views: other ways of looking at the same memory. Nothing here copies an element. Specialised per type.

return function(T) return function(methods)

local select, type = select, type
local concat, floor = table.concat, math.floor
local ffi = require 'ffi'
local element, errors, geometry = require 'torch.element', require 'torch.errors', require 'torch.geometry'
local memory, types = require 'torch.memory', require 'torch.types'
local anchor = memory.anchor
local istype = ffi.istype
local tensor_ct, sizes_ct = T.tensor_ct, types.by_name.Long.storage_ct
local alias, check_self, dimension = T.alias, T.check_self, T.dimension
local contiguous, count_of, shape, set_dim = geometry.contiguous, geometry.count, geometry.shape, geometry.set_dim
local argument, describe, integer = errors.argument, errors.describe, errors.integer
local get = element.getter(T)

-- An integer argument; whole numbers pass at once.
local function whole(method, n, value)
   if type(value) == 'number' and value % 1 == 0 then return value end
   return integer(method, n, value)
end

-- A view without dimension d (from 0), at position `index` (from 0) of it. Straight code: x[i] is the hottest
-- path of all.
local function select_view(t, d, index)
   local v = tensor_ct(0)
   local to_size, to_stride = v._inline, v._inline + 4
   v._size, v._stride = to_size, to_stride
   local dim, size, stride = t._dim, t._size, t._stride
   v._memory, v._offset = t._memory, t._offset + index * stride[d]
   anchor[v] = anchor[t] or t
   if dim == 2 then
      v._dim = 1
      to_size[0], to_stride[0] = size[1 - d], stride[1 - d]
   elseif d == 0 and dim <= 4 then
      v._dim = dim - 1
      to_size[0], to_size[1], to_size[2] = size[1], size[2], size[3]
      to_stride[0], to_stride[1], to_stride[2] = stride[1], stride[2], stride[3]
   else
      set_dim(v, dim - 1)
      for k = 0, dim - 2 do
         local from = k < d and k or k + 1
         v._size[k], v._stride[k] = size[from], stride[from]
      end
   end
   return v
end
T.select_view = select_view

-- A view of `count` positions of dimension d (from 0), starting at `first` (from 0).
local function narrow_view(t, d, first, count)
   local v = alias(t)
   v._offset = v._offset + first * v._stride[d]
   v._size[d] = count
   return v
end
T.narrow_view = narrow_view

-- x:narrow(dim, index, size): positions index .. index+size-1 of dimension dim.
function methods.narrow(t, dim, first, count)
   check_self(t, 'narrow')
   local d = dimension(t, 'narrow', dim)
   first, count = whole('narrow', 2, first), whole('narrow', 3, count)
   local size = t._size[d]
   if first < 1 or first > size then
      argument('narrow', 2, 'index %.0f out of range 1 to %.0f of dimension %.0f of tensor [%s]', first, size, d + 1, shape(t))
   end
   if count < 1 or first + count - 1 > size then
      argument('narrow', 3, 'size %.0f from index %.0f out of range: dimension %.0f of tensor [%s] has %.0f', count, first,
         d + 1, shape(t), size)
   end
   return narrow_view(t, d, first - 1, count)
end

-- x:sub(first, last, first, last, ...): ranges of the leading dimensions; negative ones count from the end.
function methods.sub(t, ...)
   check_self(t, 'sub')
   local given = select('#', ...)
   while given > 2 and type((select(given, ...))) == 'nil' do given = given - 1 end
   local v = alias(t)
   for k = 0, floor((given + 1) / 2) - 1 do
      local first, last = select(2 * k + 1, ...)
      if k >= t._dim then
         argument('sub', 2 * k + 1, 'range %d given for tensor [%s] of %.0f dimensions', k + 1, shape(t), t._dim)
      end
      first, last = whole('sub', 2 * k + 1, first), whole('sub', 2 * k + 2, last)
      local size = t._size[k]
      local low = first < 0 and first + size + 1 or first
      local high = last < 0 and last + size + 1 or last
      if low < 1 or low > size then
         argument('sub', 2 * k + 1, 'start %.0f out of range of dimension %d of tensor [%s]', first, k + 1, shape(t))
      end
      if high < 1 or high > size then
         argument('sub', 2 * k + 2, 'end %.0f out of range of dimension %d of tensor [%s]', last, k + 1, shape(t))
      end
      if high < low then
         argument('sub', 2 * k + 2, 'end %.0f smaller than beginning %.0f', last, first)
      end
      v._offset = v._offset + (low - 1) * v._stride[k]
      v._size[k] = high - low + 1
   end
   if given == 0 then argument('sub', 1, 'number expected, got no value') end
   return v
end

-- x:select(dim, index): without dimension dim, at index; a number when x has one dimension.
function methods.select(t, dim, index)
   check_self(t, 'select')
   local d = dimension(t, 'select', dim)
   index = whole('select', 2, index)
   local size = t._size[d]
   if index < 1 or index > size then
      argument('select', 2, 'index %.0f out of range 1 to %.0f of dimension %.0f of tensor [%s]', index, size, d + 1, shape(t))
   end
   if t._dim == 1 then
      return get(t._memory._data, t._offset + (index - 1) * t._stride[0])
   end
   return select_view(t, d, index - 1)
end

local function swapped(t, a, b)
   local v = alias(t)
   local size, stride = v._size, v._stride
   size[a], size[b], stride[a], stride[b] = size[b], size[a], stride[b], stride[a]
   return v
end
T.swapped = swapped

function methods.transpose(t, first, second)
   check_self(t, 'transpose')
   return swapped(t, dimension(t, 'transpose', first, 1), dimension(t, 'transpose', second, 2))
end

function methods.t(t)
   check_self(t, 't')
   if t._dim ~= 2 then
      errors.raise("calling 't' on bad self (tensor of 2 dimensions expected, got %.0fD [%s])", t._dim, shape(t))
   end
   return swapped(t, 0, 1)
end

-- x:permute(d1, d2, ...): dimension k of the result is dimension dk of x.
function methods.permute(t, ...)
   check_self(t, 'permute')
   local dim = select('#', ...)
   if dim ~= t._dim then
      errors.raise("permute: invalid permutation: %d dimensions given for tensor [%s] of %.0f", dim, shape(t), t._dim)
   end
   local v, seen = alias(t), {}
   for k = 0, dim - 1 do
      local d = integer('permute', k + 1, (select(k + 1, ...)))
      if d < 1 or d > dim or seen[d] then
         argument('permute', k + 1, 'invalid permutation: dimension %.0f %s', d, seen[d] and 'given twice' or
            'out of range 1 to ' .. dim)
      end
      seen[d] = true
      v._size[k], v._stride[k] = t._size[d - 1], t._stride[d - 1]
   end
   return v
end

-- x:unfold(dim, size, step): all slices of `size` positions of dimension dim, `step` apart, as a last dimension.
function methods.unfold(t, dim, size, step)
   check_self(t, 'unfold')
   if t._dim == 0 then errors.raise("calling 'unfold' on bad self (cannot unfold an empty tensor)") end
   local d = dimension(t, 'unfold', dim)
   size, step = whole('unfold', 2, size), whole('unfold', 3, step)
   if size < 1 or size > t._size[d] then
      argument('unfold', 2, 'size %.0f out of range 1 to %.0f of dimension %.0f of tensor [%s]', size, t._size[d], d + 1,
         shape(t))
   end
   if step < 1 then argument('unfold', 3, 'step of at least 1 expected, got %.0f', step) end
   local v = alias(t)
   local last = t._dim
   set_dim(v, last + 1)
   for k = 0, last - 1 do v._size[k], v._stride[k] = t._size[k], t._stride[k] end
   v._size[last], v._stride[last] = size, t._stride[d]
   v._size[d] = floor((t._size[d] - size) / step) + 1
   v._stride[d] = step * t._stride[d]
   return v
end

local function drop(v, t, keep)
   local dim = 0
   for k = 0, t._dim - 1 do
      if keep(k) then dim = dim + 1 end
   end
   local sizes, strides = {}, {}
   for k = 0, t._dim - 1 do
      if keep(k) then sizes[#sizes + 1], strides[#strides + 1] = t._size[k], t._stride[k] end
   end
   set_dim(v, dim)
   for k = 1, dim do v._size[k - 1], v._stride[k - 1] = sizes[k], strides[k] end
end

-- x:squeeze([dim]): without the dimensions of size 1; a number when one element is left.
function methods.squeeze(first, second, third)
   check_self(first, 'squeeze')
   local given = istype(tensor_ct, second)
   local t = given and second or first
   local dim = second
   if given then dim = third end
   local one = type(dim) ~= 'nil' and dimension(t, 'squeeze', dim) or nil
   if not given and count_of(t) == 1 and (not one or t._dim == 1) then
      return get(t._memory._data, t._offset)
   end
   local v = given and T.set_tensor(first, t) or alias(t)
   if one then
      if t._size[one] == 1 and t._dim > 1 then drop(v, t, function(k) return k ~= one end) end
   else
      local all_one = count_of(t) == 1
      drop(v, t, function(k) return t._size[k] ~= 1 or all_one and k == 0 end)
   end
   return v
end

-- x:unsqueeze(dim): with a dimension of size 1 put in at dim.
function methods.unsqueeze(t, dim)
   check_self(t, 'unsqueeze')
   local at = whole('unsqueeze', 1, dim)
   if at < 1 or at > t._dim + 1 or t._dim == 0 then
      argument('unsqueeze', 1, 'position %.0f out of range 1 to %.0f for tensor [%s]', at, t._dim + 1, shape(t))
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

-- Sizes given as a LongStorage or as numbers, from argument n on.
local function sizes_of(method, n, ...)
   local first = ...
   local list = {}
   if istype(sizes_ct, first) then
      for i = 1, #first do list[i] = first[i] end
      return list
   end
   local given = select('#', ...)
   while given > 0 and type((select(given, ...))) == 'nil' do given = given - 1 end
   if given == 0 then argument(method, n, 'sizes expected: numbers or a torch.LongStorage, got no value') end
   for i = 1, given do list[i] = integer(method, n + i - 1, (select(i, ...))) end
   return list
end
T.sizes_of = sizes_of

local function expand_to(result, t, sizes)
   if #sizes ~= t._dim or #sizes == 0 then
      errors.raise('expand: as many sizes as dimensions expected: tensor [%s] has %.0f, got %d', shape(t), t._dim, #sizes)
   end
   for k = 1, #sizes do
      local size = t._size[k - 1]
      if sizes[k] ~= size and (size ~= 1 or sizes[k] < 1) then
         errors.raise('expand: dimension %d of tensor [%s] cannot become %.0f: only size 1 can be expanded', k, shape(t),
            sizes[k])
      end
   end
   local v = result and T.set_tensor(result, t) or alias(t)
   for k = 1, #sizes do
      if sizes[k] ~= v._size[k - 1] then v._size[k - 1], v._stride[k - 1] = sizes[k], 0 end
   end
   return v
end

-- x:expand(sizes), r:expand(x, sizes): dimensions of size 1 repeated without memory of their own.
function methods.expand(first, second, ...)
   check_self(first, 'expand')
   if istype(tensor_ct, second) then return expand_to(first, second, sizes_of('expand', 2, ...)) end
   return expand_to(nil, first, sizes_of('expand', 1, second, ...))
end

local function sizes_like(method, n, like)
   if not types.of_tensor(like) then argument(method, n, 'tensor expected, got %s', describe(like)) end
   local list = {}
   for k = 1, like._dim do list[k] = like._size[k - 1] end
   return list
end

function methods.expandAs(first, second, third)
   check_self(first, 'expandAs')
   if type(third) ~= 'nil' then
      if not istype(tensor_ct, second) then
         argument('expandAs', 1, '%s expected, got %s', T.tensor_name, describe(second))
      end
      return expand_to(first, second, sizes_like('expandAs', 2, third))
   end
   return expand_to(nil, first, sizes_like('expandAs', 1, second))
end

local function view_as(result, t, sizes)
   if not contiguous(t) then
      errors.raise('view: contiguous tensor expected, got one of sizes [%s] that is not', shape(t))
   end
   local total, open = 1, nil
   for k = 1, #sizes do
      if sizes[k] == -1 then
         if open then errors.raise('view: only one size can be -1') end
         open = k
      else
         if sizes[k] < 1 then errors.raise('view: size %.0f is not allowed', sizes[k]) end
         total = total * sizes[k]
      end
   end
   local n = count_of(t)
   if open and n % total == 0 and n > 0 then
      sizes[open] = n / total
      total = n
   end
   if total ~= n or n == 0 then
      errors.raise('view: wrong size: tensor [%s] of %.0f elements as [%s]', shape(t), n, concat(sizes, 'x'))
   end
   local v = alias(t)
   set_dim(v, #sizes)
   for k = 1, #sizes do v._size[k - 1] = sizes[k] end
   geometry.set_contiguous(v)
   return result and T.set_tensor(result, v) or v
end

-- x:view(sizes), r:view(x, sizes): the same elements of a contiguous tensor in other sizes, one of them maybe -1.
function methods.view(first, second, third, ...)
   check_self(first, 'view')
   local result, t, n = nil, first, 1
   local sizes
   if istype(tensor_ct, second) then
      result, t, n = first, second, 2
      sizes = { third, ... }
   else
      sizes = { second, third, ... }
   end
   if istype(sizes_ct, sizes[1]) then
      sizes = sizes_of('view', n, sizes[1])
   else
      if #sizes == 0 then argument('view', n, 'sizes expected: numbers or a torch.LongStorage, got no value') end
      for k = 1, #sizes do
         if type(sizes[k]) ~= 'number' then argument('view', n + k - 1, 'number expected, got %s', describe(sizes[k])) end
         sizes[k] = integer('view', n + k - 1, sizes[k])
      end
   end
   return view_as(result, t, sizes)
end

function methods.viewAs(first, second, third)
   check_self(first, 'viewAs')
   if type(third) ~= 'nil' then
      if not istype(tensor_ct, second) then
         argument('viewAs', 1, '%s expected, got %s', T.tensor_name, describe(second))
      end
      return view_as(first, second, sizes_like('viewAs', 2, third))
   end
   return view_as(nil, first, sizes_like('viewAs', 1, second))
end

-- The arguments of split and chunk: [table,] tensor, number, [dim].
local function pieces_arguments(method, first, second, third, fourth)
   local list, t, number, dim = {}, first, second, third
   if type(first) == 'table' then
      list, t, number, dim = first, second, third, fourth
      for i = #list, 1, -1 do list[i] = nil end
   end
   check_self(t, method)
   number = integer(method, 1, number)
   if number < 1 then argument(method, 1, 'number of at least 1 expected, got %.0f', number) end
   return list, t, number, dimension(t, method, type(dim) == 'nil' and 1 or dim, 2)
end

local function pieces(list, t, length, d)
   local size = t._size[d]
   for first = 0, size - 1, length do
      list[#list + 1] = narrow_view(t, d, first, first + length > size and size - first or length)
   end
   return list
end

-- x:split(size, [dim]): narrowed views of `size` positions each, the last maybe shorter.
function methods.split(...)
   local list, t, size, d = pieces_arguments('split', ...)
   return pieces(list, t, size, d)
end

-- x:chunk(n, [dim]): about n narrowed views of equal size.
function methods.chunk(...)
   local list, t, n, d = pieces_arguments('chunk', ...)
   return pieces(list, t, floor((t._size[d] + n - 1) / n), d)
end

end end
