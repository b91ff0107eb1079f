-- Constructors as operations: zeros, ones, full, ranges, eye, diag and triangles.

local rawequal, require, select, type, unpack = rawequal, require, select, type, unpack
local abs, ceil, floor, max, min = math.abs, math.ceil, math.floor, math.max, math.min
local ffi = require 'ffi'
local element, errors = require 'torch.loops.element', require 'torch.base.errors'
local geometry = require 'torch.base.geometry'
local signatures, buffers = require 'torch.base.signatures', require 'torch.memory.buffers'
local number_rows, sizes = require 'torch.kernels.construct.number_rows', require 'torch.tensor.sizes'
local template = require 'torch.jit.template'
local types = require 'torch.base.types'
local are_sizes, from_storage = sizes.are_sizes, sizes.from_storage
local contiguous, numel, shape = geometry.contiguous, geometry.numel, geometry.shape

local create = {}

local function no_sizes(name, ...)
   errors.raise('%s: invalid arguments: %s; expected [tensor] sizes as numbers or a LongStorage', name,
      signatures.given(select('#', ...), ...))
end

-- A list of the sizes from argument n on: a LongStorage or numbers; a type's name may follow.
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

local function resize_and_fill(T, fill, r, a, b, c, d, x, y, z) return (fill(T.resized(r, a, b, c, d), x, y, z)) end

-- Returns fill(t, x, y, z), where t is `r`, resized to the sizes from argument n on, or a new tensor. Up to four sizes,
-- the common case in the loops of programs, are read without a loop; a trace that begins in an allocation cannot return
-- to a vararg function, so that this is a tail call.
function create.fill_sized(T, fill, x, y, z, r, name, n, ...)
   local a, b, c, d, e = select(n, ...)
   if type(a) == 'cdata' and select('#', ...) == n then a, b, c, d = from_storage(a) end
   -- read_sizes reports an argument that is nil, most likely a variable that is not set.
   if are_sizes(a, b, c, d, e) and type((select(select('#', ...), ...))) ~= 'nil' then
      return resize_and_fill(T, fill, r, a, b, c, d, x, y, z)
   end
   return fill(T.resize_to(r or T.new_tensor(), read_sizes(name, n, ...)), x, y, z)
end

-- name(sizes), name(result, sizes), result:name(sizes): a tensor filled with a value.
local function sized(value)
   return function(T, _, name)
      local fill = T.fill
      return function(...)
         local first = ...
         if types.of_tensor(first) == T then
            return create.fill_sized(T, fill, value, nil, nil, first, name, 2, ...)
         end
         return create.fill_sized(T, fill, value, nil, nil, nil, name, 1, ...)
      end
   end
end

create.zeros, create.ones = sized(0), sized(1)

-- full(sizes, value), full(result, sizes, value): sizes as numbers, a table or a LongStorage.
function create.full(T, _, name)
   return function(...)
      local given, count = { ... }, select('#', ...)
      if count > 0 and types.by_typename[given[count]] then count = count - 1 end
      local first = types.of_tensor(given[1]) == T and 2 or 1
      local list, value = given[first], given[count]
      if count <= first or type(value) ~= 'number' then
         errors.raise('%s: invalid arguments: %s; expected [tensor] sizes as numbers, a table or a LongStorage, then a '
            .. 'number', name, signatures.given(select('#', ...), ...))
      end
      local r = first == 2 and given[1] or nil
      if type(list) == 'table' and count == first + 1 then
         return create.fill_sized(T, T.fill, value, nil, nil, r, name, 1, unpack(list))
      end
      return create.fill_sized(T, T.fill, value, nil, nil, r, name, 1, unpack(given, first, count - 1))
   end
end

local vector_source = [[
return function(data, n, first, step, parts)
   for i = 0, n - 1 do set(data, i, $value) end
end]]

-- vector(r, n, first, step, parts): n elements `value`, of first, step, parts and i from 0, in r if it has n elements.
-- `program` computes many of them, see number_rows.lua.
local function make_vector(name, T, value, program)
   local fill = template.compile(name, vector_source, { value = value }, { set = element.setter(T),
      in_type = element.rounder(T) })
   local many = program and number_rows(name, T, program)
   return function(r, n, first, step, parts)
      if not (r and numel(r) == n) then r = T.resized(r, n) end
      local work = contiguous(r) and r or T.new_vector(n)
      if not (many and many(work._memory._data + work._offset, n, first, step, parts)) then
         fill(work._memory._data + work._offset, n, first, step, parts)
      end
      buffers.keep_alive(work)
      if work ~= r then T.copy_from(r, T, work) end
      return r
   end
end

local function checked_range(name, T, first, last, step)
   if T.integer then
      first, last = errors.integer(name, 1, first), errors.integer(name, 2, last)
      step = errors.integer(name, 3, step)
   end
   if not (step > 0 or step < 0) then errors.raise('%s: the step must not be 0 (got %g)', name, step) end
   if not (step > 0 and first <= last or step < 0 and first >= last) then
      errors.raise('%s: the bounds %g and %g do not agree with the step %g', name, first, last, step)
   end
   local steps = (last - first) / step
   if not (steps + 1 < buffers.MAX_BYTES) then errors.raise('%s: too many numbers (got %g)', name, steps + 1) end
   return first, step, steps
end

function create.range(name, T)
   local vector = make_vector(name, T, 'first + i * step', number_rows.RANGE)
   return function(r, first, last, step)
      local steps
      first, step, steps = checked_range(name, T, first, last, step)
      return vector(r, floor(steps + 1), first, step)
   end
end

-- The numbers before `last`; options: { first = where to begin } if the signature has no first number.
function create.arange(name, T, options)
   local vector = make_vector(name, T, 'first + i * step', number_rows.RANGE)
   local function arange(r, first, last, step)
      local steps
      first, step, steps = checked_range(name, T, first, last, step)
      if steps == 0 then return T.set_tensor(r or T.new_tensor(), T.new_tensor()) end
      return vector(r, ceil(steps), first, step)
   end
   if options.first then return function(r, last) return arange(r, options.first, last, 1) end end
   return arange
end

-- n numbers evenly spaced, or powers of ten: each step of the arithmetic is rounded to the type, in the order of C.
local function spaced(name, T, value, program)
   local vector, in_type = make_vector(name, T, value, program), element.rounder(T)
   return function(r, first, last, n)
      n = errors.integer(name, 3, n)
      if n < 1 or n == 1 and first ~= last then
         errors.raise('%s: the number of points is invalid (got %.0f from %g to %g)', name, n, first, last)
      end
      first, last = in_type(first), in_type(last)
      return vector(r, n, first, in_type(last - first), max(n - 1, 1))
   end
end

function create.linspace(name, T)
   return spaced(name, T, 'first + in_type(in_type(i * step) / parts)', number_rows.EVEN)
end

function create.logspace(name, T)
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

function create.eye(name, T)
   return function(r, n, m)
      n = errors.integer(name, 1, n)
      m = m and errors.integer(name, 2, m) or n
      if n < 1 then errors.raise('%s: the number of rows must be at least 1 (got %.0f)', name, n) end
      if m < 1 then m = n end
      r = T.resized(r, n, m)
      T.fill(r, 0)
      T.fill(diagonal(T, r, 0), 1)
      return r
   end
end

function create.diag(name, T)
   return function(r, t, k)
      k = errors.integer(name, 2, k)
      if t._dim ~= 1 and t._dim ~= 2 then
         errors.argument(name, 1, 'must be a vector or matrix (got a %.0fD tensor [%s])', t._dim, shape(t))
      end
      if r and T.shares(t, r) then t = T.clone(t) end
      if t._dim == 2 then
         local v = diagonal(T, t, k)
         if not v then errors.argument(name, 2, 'must be that of a diagonal (got %.0f for [%s])', k, shape(t)) end
         r = T.resized(r, v._size[0])
         T.copy_from(r, T, v)
      else
         local n = t._size[0] + abs(k)
         r = T.resized(r, n, n)
         T.fill(r, 0)
         T.copy_from(diagonal(T, r, k), T, t)
      end
      return r
   end
end

-- Sets the elements above (lower) or below the k-th diagonal of rows x columns elements of some bytes to 0.
local function clear(data, size, rows, columns, k, lower)
   for i = 0, rows - 1 do
      local from, to = 0, min(i + k, columns)
      if lower then from, to = max(i + k + 1, 0), columns end
      if from < to then ffi.fill(data + (i * columns + from), (to - from) * size) end
   end
end

function create.triangle(name, T, options)
   return function(r, t, k)
      k = errors.integer(name, 2, k)
      if t._dim ~= 2 then errors.argument(name, 1, 'must be a matrix (got a %.0fD tensor [%s])', t._dim, shape(t)) end
      local work = r
      if r and not T.shares(r, t) then T.resize_as(r, t) end
      if r and contiguous(r) and not T.shares(r, t) then T.copy_from(r, T, t) else work = T.clone(t) end
      clear(work._memory._data + work._offset, T.size, t._size[0], t._size[1], k, options.lower)
      buffers.keep_alive(work)
      return rawequal(work, r) and r or T.result(r, work)
   end
end

return create
