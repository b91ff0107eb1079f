-- Kernels that make tensors from numbers, and that join tensors.

local require, select, type = require, select, type
local abs, floor, max, min = math.abs, math.floor, math.max, math.min
local ffi = require 'ffi'
local element, errors = require 'torch.core.element', require 'torch.core.errors'
local copies = require 'torch.worker.copies'
local geometry = require 'torch.core.geometry'
local forms, memory = require 'torch.core.forms', require 'torch.memory.blocks'
local sizes, template = require 'torch.tensor.sizes', require 'torch.core.template'
local types = require 'torch.core.types'
local are_four = sizes.are_four
local contiguous, count_of, shape = geometry.contiguous, geometry.count, geometry.shape

local copy, istype = ffi.copy, ffi.istype

local construct = {}

local function no_sizes(name, ...)
   errors.raise('%s: invalid arguments: %s; expected [tensor] sizes as numbers or a LongStorage', name,
      forms.given(select('#', ...), ...))
end

-- A list of the sizes from position n of the arguments: a LongStorage or numbers; a type's name may follow.
local function read_sizes(name, n, ...)
   local last, first = select('#', ...), (select(n, ...))
   if last >= n and types.by_typename[(select(last, ...))] then last = last - 1 end
   if last < n or type(first) == 'nil' or sizes.is_storage(first) and last > n then no_sizes(name, ...) end
   if sizes.is_storage(first) then return sizes.list(name, n, first) end
   local list = {}
   for i = n, last do
      local size = select(i, ...)
      if type(size) ~= 'number' and type(size) ~= 'string' then no_sizes(name, ...) end
      list[#list + 1] = errors.integer(name, i, size)
   end
   return list
end

-- `r`, resized to the sizes from position n of the arguments, or a new tensor. The one call that all programs make
-- in their loops, with up to four numbers, reads them without a loop.
local function make_sized(T, r, name, n, ...)
   local a, b, c, d, e = select(n, ...)
   -- read_sizes reports an argument that is nil, most likely a variable that is not set.
   if are_four(a, b, c, d, e) and type((select(select('#', ...), ...))) ~= 'nil' then
      return T.sized(r, a, b, c, d)
   end
   return T.resize_to(r or T.new_tensor(), read_sizes(name, n, ...))
end
construct.make_sized = make_sized

-- name(sizes), name(result, sizes), result:name(sizes): a tensor filled with a value.
local function sized(value)
   return function(T, _, name)
      local fill = T.fill
      return function(...)
         local first = ...
         if types.of_tensor(first) == T then return fill(make_sized(T, first, name, 2, ...), value) end
         return fill(make_sized(T, nil, name, 1, ...), value)
      end
   end
end

construct.zeros, construct.ones = sized(0), sized(1)

local vector_source = [[
return function(data, n, first, step, parts)
   for i = 0, n - 1 do set(data, i, $value) end
end]]

-- vector(r, n, first, step, parts): a vector of n elements, or what is given for the result if it has as many of any
-- sizes; `value` is computed from first, step, parts and the position i from 0.
local function make_vector(name, T, value)
   local fill = template.compile(name, vector_source, { value = value }, { set = element.setter(T),
      in_type = element.rounder(T) })
   return function(r, n, first, step, parts)
      if not (r and count_of(r) == n) then r = T.sized(r, n) end
      local work = contiguous(r) and r or T.new_vector(n)
      fill(work._memory._data + work._offset, n, first, step, parts)
      memory.alive(work)
      if work ~= r then T.copy_from(r, T, work) end
      return r
   end
end

function construct.range(name, T)
   local vector = make_vector(name, T, 'first + i * step')
   return function(r, first, last, step)
      if T.integer then
         first, last = errors.integer(name, 1, first), errors.integer(name, 2, last)
         step = errors.integer(name, 3, step)
      end
      if not (step > 0 or step < 0) then errors.argument(name, 3, 'step other than 0 expected, got %g', step) end
      if not (step > 0 and first <= last or step < 0 and first >= last) then
         errors.argument(name, 2, 'bounds %g and %g do not agree with step %g', first, last, step)
      end
      local n = floor((last - first) / step + 1)
      if not (n < memory.MOST_BYTES) then errors.argument(name, 2, 'too many numbers: %g', n) end
      return vector(r, n, first, step)
   end
end

-- n numbers evenly spaced, or powers of ten with such exponents: every step of the arithmetic is rounded to the type,
-- in the order of C.
local function spaced(name, T, value)
   local vector, in_type = make_vector(name, T, value), element.rounder(T)
   return function(r, first, last, n)
      n = errors.integer(name, 3, n)
      if n < 1 or n == 1 and first ~= last then
         errors.argument(name, 3, 'invalid number of points: %.0f from %g to %g', n, first, last)
      end
      first, last = in_type(first), in_type(last)
      return vector(r, n, first, in_type(last - first), max(n - 1, 1))
   end
end

function construct.linspace(name, T) return spaced(name, T, 'first + in_type(in_type(i * step) / parts)') end

function construct.logspace(name, T)
   return spaced(name, T, '10 ^ in_type(first + in_type(in_type(i * step) / parts))')
end

-- The k-th diagonal of a matrix as a view, nil when it is empty.
local function diagonal(T, t, k)
   local rows, columns, row, column = t._size[0], t._size[1], t._stride[0], t._stride[1]
   local below, right = k < 0 and -k or 0, k > 0 and k or 0
   local n = min(rows - below, columns - right)
   if n < 1 then return nil end
   local v = T.alias(t)
   v._offset = t._offset + below * row + right * column
   v._dim, v._size[0], v._stride[0] = 1, n, row + column
   return v
end

function construct.eye(name, T)
   return function(r, n, m)
      n = errors.integer(name, 1, n)
      m = m and errors.integer(name, 2, m) or n
      if n < 1 then errors.argument(name, 1, 'number of rows of at least 1 expected, got %.0f', n) end
      if m < 1 then m = n end
      r = T.sized(r, n, m)
      T.fill(r, 0)
      T.fill(diagonal(T, r, 0), 1)
      return r
   end
end

function construct.diag(name, T)
   return function(r, t, k)
      k = errors.integer(name, 2, k)
      if t._dim ~= 1 and t._dim ~= 2 then
         errors.argument(name, 1, 'vector or matrix expected, got a %.0fD tensor [%s]', t._dim, shape(t))
      end
      if r and T.shares(t, r) then t = T.clone(t) end
      if t._dim == 2 then
         local v = diagonal(T, t, k)
         if not v then return T.set_tensor(r or T.new_tensor(), T.new_tensor()) end
         r = T.sized(r, v._size[0])
         T.copy_from(r, T, v)
      else
         local n = t._size[0] + abs(k)
         r = T.sized(r, n, n)
         T.fill(r, 0)
         T.copy_from(diagonal(T, r, k), T, t)
      end
      return r
   end
end

-- Sets the elements above (lower) or below the k-th diagonal of rows x columns elements to 0.
local function clear(data, rows, columns, k, lower)
   for i = 0, rows - 1 do
      local from, to = 0, min(i + k, columns) - 1
      if lower then from, to = max(i + k + 1, 0), columns - 1 end
      local row = data + i * columns
      for j = from, to do row[j] = 0 end
   end
end

function construct.triangle(name, T, how)
   return function(r, t, k)
      k = errors.integer(name, 2, k)
      if t._dim ~= 2 then errors.argument(name, 1, 'matrix expected, got a %.0fD tensor [%s]', t._dim, shape(t)) end
      local work = T.clone(t)
      clear(work._memory._data + work._offset, t._size[0], t._size[1], k, how.lower)
      if not r then return work end
      T.resize_as(r, t)
      T.copy_from(r, T, work)
      return r
   end
end

-- Vectors count as having their one size in dimension 1 and 1 in the others; empty tensors are left out.
local function size_of(t, d) return d <= t._dim and t._size[d - 1] or 1 end

-- Tells whether two parts have the same sizes but for dimension `dim`. Unrolled for matrices.
local function fits(first, part, dim, dims)
   if dim ~= 1 and size_of(first, 1) ~= size_of(part, 1) then return false end
   if dims == 1 then return true end
   if dim ~= 2 and size_of(first, 2) ~= size_of(part, 2) then return false end
   for d = 3, dims do
      if d ~= dim and size_of(first, d) ~= size_of(part, d) then return false end
   end
   return true
end

-- The sizes of the result of joining parts along `dim`.
local function joined_sizes(parts, dim, dims)
   local first, total = parts[1], 0
   for i = 1, #parts do
      local part = parts[i]
      if not fits(first, part, dim, dims) then
         errors.raise('cat: inconsistent tensor sizes along dimension %.0f: [%s] and [%s]', dim, shape(first),
            shape(part))
      end
      total = total + size_of(part, dim)
   end
   local joined = {}
   for d = 1, dims do joined[d] = d == dim and total or size_of(first, d) end
   return joined
end

-- The tensors of a list that are not empty, copied where they share memory with r, and the most dimensions of one. The
-- list is read once: what reads it may give others a second time.
local function parts_of(T, r, list)
   local tensor_ct, parts, most = T.tensor_ct, {}, 0
   for i = 1, #list do
      local part = list[i]
      if not istype(tensor_ct, part) then
         errors.argument('cat', 1, '%s expected as tensor %d, got %s', T.tensor_name, i, errors.describe(part))
      end
      if part._dim > most then most = part._dim end
      if part._dim > 0 then parts[#parts + 1] = r and T.shares(r, part) and T.clone(part) or part end
   end
   return parts, most
end

-- Puts the parts into r along `dim`, before which there are `before` elements.
local function put_parts(T, r, parts, dim, before)
   local in_order, row, position = contiguous(r), count_of(r) / before, 0
   local inner = row / r._size[dim - 1]
   local data, size = r._memory._data + r._offset, T.size
   for i = 1, #parts do
      local part = parts[i]
      local n = size_of(part, dim)
      if in_order and contiguous(part) then
         local from, to, run = part._memory._data + part._offset, data + position * inner, n * inner
         if before == 1 then
            copy(to, from, run * size)
         else
            copies.matrix(T, to, 1, row, T, from, 1, run, run, before)
         end
      else
         T.copy_from(T.narrow_view(r, dim - 1, position, n), T, part)
      end
      position = position + n
   end
   memory.alive(r)
end

-- Sanity limit.
local MOST_DIMENSIONS = 1000

local function join(T, r, list, dim)
   local parts, most = parts_of(T, r, list)
   if #list == 0 then errors.argument('cat', 1, 'table of at least one tensor expected') end
   dim = dim and dim ~= -1 and errors.integer('cat', 3, dim) or most > 0 and most or 1
   if dim < 0 then dim = geometry.from_last(dim, most) or dim end
   if not (dim >= 1 and dim <= MOST_DIMENSIONS) then errors.argument('cat', 3, 'invalid dimension %.0f', dim) end
   if #parts == 0 then return r or T.new_tensor() end
   local joined = joined_sizes(parts, dim, max(most, dim))
   r = r or T.new_tensor()
   T.resize_to(r, joined)
   local before = 1
   for d = 1, dim - 1 do before = before * joined[d] end
   put_parts(T, r, parts, dim, before)
   return r
end

-- Two tensors of as many dimensions, up to three, without a loop; nil when there is more to it.
local function join_two(T, r, first, second, dim)
   local dims, a, b = first._dim, first._size, second._size
   dim = (dim == nil or dim == -1) and dims or dim
   if dims ~= second._dim or dims > 3 or not (dim == 1 or dim == 2 or dim == 3) or dim > dims
      or dim ~= 1 and a[0] ~= b[0] or dims >= 2 and dim ~= 2 and a[1] ~= b[1] or dims == 3 and dim ~= 3 and a[2] ~= b[2]
      or r and (T.shares(r, first) or T.shares(r, second)) then
      return nil
   end
   local d = dim - 1
   local from, more = a[d], b[d]
   r = T.sized(r, dim == 1 and a[0] + more or a[0], dims >= 2 and (dim == 2 and a[1] + more or a[1]) or nil,
      dims == 3 and (dim == 3 and a[2] + more or a[2]) or nil)
   T.copy_from(T.narrow_view(r, d, 0, from), T, first)
   T.copy_from(T.narrow_view(r, d, from, more), T, second)
   return r
end

function construct.cat_two(_, T)
   return function(r, first, second, dim)
      return join_two(T, r, first, second, dim) or join(T, r, { first, second }, dim)
   end
end

function construct.cat_list(_, T)
   local tensor_ct = T.tensor_ct
   return function(r, list, dim)
      local first, second = list[1], list[2]
      return #list == 2 and istype(tensor_ct, first) and istype(tensor_ct, second)
         and join_two(T, r, first, second, dim) or join(T, r, list, dim)
   end
end

return construct
