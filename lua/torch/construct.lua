-- Kernels that make tensors from numbers, and that join tensors.

local require, select, type = require, select, type
local floor = math.floor
local element, errors, geometry, types = require 'torch.element', require 'torch.errors', require 'torch.geometry', require 'torch.types'
local args, random = require 'torch.args', require 'torch.random'
local shape = geometry.shape

local construct = {}

-- Sizes from position n of the arguments: a LongStorage or numbers; a type's name may follow.
local function read_sizes(name, n, ...)
   local first = (select(n, ...))
   local list = {}
   if types.of_storage(first) == types.by_name.Long then
      for i = 1, #first do list[i] = first[i] end
      return list
   end
   local last = select('#', ...)
   while last >= n and type((select(last, ...))) == 'nil' and type(first) ~= 'nil' do last = last - 1 end
   if last >= n and types.by_typename[(select(last, ...))] then last = last - 1 end
   if last < n or type(first) == 'nil' then
      errors.raise('%s: invalid arguments: %s; expected [tensor] sizes as numbers or a LongStorage', name,
         args.given(select('#', ...), ...))
   end
   for i = n, last do
      local size = select(i, ...)
      if type(size) ~= 'number' and type(size) ~= 'string' then
         errors.raise('%s: invalid arguments: %s; expected [tensor] sizes as numbers or a LongStorage', name,
            args.given(select('#', ...), ...))
      end
      list[#list + 1] = errors.integer(name, i, size)
   end
   return list
end

-- name(sizes), name(result, sizes), result:name(sizes): `set` puts the elements in.
local function sized(set)
   return function(T, _, name)
      return function(...)
         local r, n = (...), 1
         if types.of_tensor(r) == T then n = 2 else r = T.new_tensor() end
         T.resize_to(r, read_sizes(name, n, ...))
         return set(T, r)
      end
   end
end

construct.zeros = sized(function(T, r) return T.fill(r, 0) end)
construct.ones = sized(function(T, r) return T.fill(r, 1) end)
construct.rand = sized(function(T, r) return random.fill_uniform(T, r, 0, 1) end)

-- Puts value_at(i), i from 0, into a vector of n elements.
local function vector(T, r, n, value_at)
   r = r or T.new_tensor()
   local set = element.setter(T)
   local result = r
   T.resize_to(r, { n })
   if not geometry.contiguous(r) then result = T.new_vector(n) end
   local data = result._memory._data + result._offset
   for i = 0, n - 1 do set(data, i, value_at(i)) end
   if result ~= r then T.copy_from(r, T, result) end
   return r
end

function construct.range(_, T)
   return function(r, first, last, step)
      if T.integer then
         first, last = errors.integer('range', 1, first), errors.integer('range', 2, last)
         step = errors.integer('range', 3, step)
      end
      if not (step > 0 or step < 0) then errors.argument('range', 3, 'step other than 0 expected, got %g', step) end
      if not (step > 0 and first <= last or step < 0 and first >= last) then
         errors.argument('range', 2, 'bounds %g and %g do not agree with step %g', first, last, step)
      end
      local n = floor((last - first) / step + 1)
      if not (n < 2 ^ 46) then errors.argument('range', 2, 'too many numbers: %g', n) end
      return vector(T, r, n, function(i) return first + i * step end)
   end
end

function construct.linspace(_, T)
   return function(r, first, last, n)
      n = errors.integer('linspace', 3, n)
      if n < 1 or n == 1 and first ~= last then
         errors.argument('linspace', 3, 'invalid number of points: %.0f from %g to %g', n, first, last)
      end
      local step = n > 1 and (last - first) / (n - 1) or 0
      return vector(T, r, n, function(i) return first + i * step end)
   end
end

function construct.eye(_, T)
   return function(r, n, m)
      n = errors.integer('eye', 1, n)
      m = m and errors.integer('eye', 2, m) or n
      if n < 1 then errors.argument('eye', 1, 'number of rows of at least 1 expected, got %.0f', n) end
      if m < 1 then m = n end
      r = r or T.new_tensor()
      T.resize_to(r, { n, m })
      T.fill(r, 0)
      for i = 1, n < m and n or m do r[i][i] = 1 end
      return r
   end
end

-- Vectors count as having their one size in dimension 1 and 1 in the others; empty tensors are left out.
local function join(T, r, list, dim)
   local parts, most = {}, 0
   for i = 1, #list do
      if types.of_tensor(list[i]) ~= T then
         errors.argument('cat', 1, '%s expected as tensor %d, got %s', T.tensor_name, i, errors.describe(list[i]))
      end
      if list[i]._dim > 0 then parts[#parts + 1] = list[i] end
      if list[i]._dim > most then most = list[i]._dim end
   end
   if #list == 0 then errors.argument('cat', 1, 'table of at least one tensor expected') end
   dim = dim and errors.integer('cat', 3, dim) or most > 0 and most or 1
   if dim < 1 then errors.argument('cat', 3, 'invalid dimension %.0f', dim) end
   if #parts == 0 then return r and T.set_tensor(r, T.new_tensor()) or T.new_tensor() end
   local dims = most > dim and most or dim
   local function size(t, d) return d <= t._dim and t._size[d - 1] or 1 end
   local sizes = {}
   for d = 1, dims do
      sizes[d] = d == dim and 0 or size(parts[1], d)
      for i = 1, #parts do
         if d == dim then sizes[d] = sizes[d] + size(parts[i], d)
         elseif size(parts[i], d) ~= sizes[d] then
            errors.raise('cat: inconsistent tensor sizes along dimension %.0f: [%s] and [%s]', dim, shape(parts[1]),
               shape(parts[i]))
         end
      end
   end
   for i = 1, #parts do
      if r and T.shares(r, parts[i]) then parts[i] = T.clone(parts[i]) end
   end
   r = r or T.new_tensor()
   T.resize_to(r, sizes)
   local at = 0
   for i = 1, #parts do
      local count = size(parts[i], dim)
      T.copy_from(T.narrow_view(r, dim - 1, at, count), T, parts[i])
      at = at + count
   end
   return r
end

function construct.cat_two(_, T)
   return function(r, first, second, dim) return join(T, r, { first, second }, dim) end
end

function construct.cat_list(_, T)
   return function(r, list, dim) return join(T, r, list, dim) end
end

return construct
