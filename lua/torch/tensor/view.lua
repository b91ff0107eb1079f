-- Views, which alias the memory of their tensor: select, narrow, sub, transpose, unfold. Specialised per type.

return function(T) return function(methods)

local select, type = select, type
local floor, min = math.floor, math.min
local element, errors = require 'torch.loops.element', require 'torch.base.errors'
local geometry = require 'torch.base.geometry'
local buffers = require 'torch.memory.buffers'
local finish_trace = require('torch.jit.trace').finish
local anchor_view = buffers.anchor_view
local tensor_ct = T.tensor_ct
local alias, check_self, dimension, shared_owner = T.alias, T.check_self, T.dimension, T.shared_owner
local MAX_ELEMENTS, shape, set_dim = geometry.MAX_ELEMENTS, geometry.shape, geometry.set_dim
local set_contiguous, vector_layout, FIXED = geometry.set_contiguous, geometry.vector_layout, buffers.FIXED
local matrix_layout, MATRIX, RANK3 = geometry.matrix_layout, geometry.MATRIX, geometry.RANK3
local get = element.getter(T)

-- An integer argument; numbers that are integers take the short way.
local function integer(method, n, value)
   if type(value) == 'number' and value % 1 == 0 then return value end
   return errors.integer(method, n, value)
end

-- A view of t's memory without sizes.
local function new_view(t, offset)
   local v = tensor_ct(0)
   v._size, v._stride = v._inline, v._inline + 4
   anchor_view(v, shared_owner(t))
   v._memory, v._offset = t._memory, offset
   return v
end

-- Row `index` (from 0) of a contiguous matrix.
local function row_view(t, index)
   local v = new_view(t, t._offset + index * t._inline[1])
   local n = t._inline[1]
   v._dim, v._inline[0], v._inline[4], v._layout, v._count = 1, n, 1, n, n
   return v
end

-- A view at `index` of dimension d, both 0-based, without that dimension. Straight-line code: x[i] is the hottest path.
local function select_view(t, d, index)
   local layout = t._layout
   if d == 0 and layout >= MATRIX and layout < RANK3 then return (row_view(t, index)) end
   local v = tensor_ct(0)
   local to_size, to_stride = v._inline, v._inline + 4
   v._size, v._stride = to_size, to_stride
   local dim, size, stride = t._dim, t._size, t._stride
   anchor_view(v, shared_owner(t))
   v._memory, v._offset = t._memory, t._offset + index * stride[d]
   if dim == 2 then
      local n, step = size[1 - d], stride[1 - d]
      v._dim = 1
      to_size[0], to_stride[0] = n, step
      -- A row. Memory that is not exclusively the tensor's has no layouts.
      if step == 1 and t._memory._flags ~= FIXED then v._layout, v._count = vector_layout(n), n end
   elseif d == 0 and dim <= 4 then
      v._dim = dim - 1
      to_size[0], to_size[1], to_size[2] = size[1], size[2], size[3]
      to_stride[0], to_stride[1], to_stride[2] = stride[1], stride[2], stride[3]
      if t._layout > 0 then set_contiguous(v) end
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

-- A view of `count` indices of dimension d from `first` on, all 0-based.
local function narrow_view(t, d, first, count)
   local layout = t._layout
   if d == 0 and layout > 0 and layout < RANK3 then
      local v = new_view(t, t._offset + first * t._inline[4])
      if layout < MATRIX then
         v._dim, v._inline[0], v._inline[4], v._layout, v._count = 1, count, 1, count, count
      else
         local size, columns = v._inline, t._inline[1]
         v._dim, v._layout, v._count = 2, matrix_layout(count, columns), count * columns
         size[0], size[1], size[4], size[5] = count, columns, columns, 1
      end
      return v
   end
   local v = alias(t)
   v._offset = v._offset + first * v._stride[d]
   v._size[d] = count
   if d == 0 and layout > 0 then set_contiguous(v) end
   return v
end
T.narrow_view = narrow_view

-- x:narrow(dim, index, size): indices index .. index+size-1 of dimension dim.
function methods.narrow(t, dim, first, count)
   check_self(t, 'narrow')
   local d = dimension(t, 'narrow', dim)
   first, count = integer('narrow', 2, first), integer('narrow', 3, count)
   local size = t._size[d]
   if first < 1 or first > size then
      errors.raise('narrow: index %.0f out of range 1 to %.0f of dimension %.0f of tensor [%s]', first, size, d + 1,
         shape(t))
   end
   if count < 1 or first + count - 1 > size then
      errors.raise('narrow: size %.0f from index %.0f out of range: dimension %.0f of tensor [%s] has %.0f', count,
         first, d + 1, shape(t), size)
   end
   return narrow_view(t, d, first - 1, count)
end

local function sub(t, ...)
   local given = select('#', ...)
   while given > 2 and type((select(given, ...))) == 'nil' do given = given - 1 end
   local v = alias(t)
   finish_trace()
   for k = 0, floor((given + 1) / 2) - 1 do
      local first, last = select(2 * k + 1, ...)
      if k >= t._dim then
         errors.raise('sub: range %d given for tensor [%s] of %.0f dimensions', k + 1, shape(t), t._dim)
      end
      first, last = integer('sub', 2 * k + 1, first), integer('sub', 2 * k + 2, last)
      local size = t._size[k]
      local low = first < 0 and first + size + 1 or first
      local high = last < 0 and last + size + 1 or last
      if low < 1 or low > size then
         errors.raise('sub: start %.0f out of range of dimension %d of tensor [%s]', first, k + 1, shape(t))
      end
      if high < 1 or high > size then
         errors.raise('sub: end %.0f out of range of dimension %d of tensor [%s]', last, k + 1, shape(t))
      end
      if high < low then errors.raise('sub: end %.0f is before start %.0f', last, first) end
      v._offset = v._offset + (low - 1) * v._stride[k]
      v._size[k] = high - low + 1
   end
   if given == 0 then errors.argument('sub', 1, 'must be a number (got nil)') end
   return v
end

-- The indices first to last of a dimension of `size`: the first, 0-based, and their number; nil if out of range.
local function range(first, last, size)
   if type(first) ~= 'number' or type(last) ~= 'number' or first % 1 ~= 0 or last % 1 ~= 0 then return nil end
   if first < 0 then first = first + size + 1 end
   if last < 0 then last = last + size + 1 end
   if first < 1 or last < first or last > size then return nil end
   return first - 1, last - first + 1
end

-- x:sub(first, last, ...): ranges of the leading dimensions, negative from the end. One or two need no loop.
function methods.sub(t, ...)
   check_self(t, 'sub')
   local given, a, b, c, d = select('#', ...), ...
   if given == 2 and t._dim >= 1 or given == 4 and t._dim >= 2 then
      local row, rows = range(a, b, t._size[0])
      if row and given == 2 then return (narrow_view(t, 0, row, rows)) end
      local column, columns = nil, nil
      if given == 4 then column, columns = range(c, d, t._size[1]) end
      if row and column then return (narrow_view(narrow_view(t, 0, row, rows), 1, column, columns)) end
   end
   return sub(t, ...)
end

-- x:select(dim, index): without dimension dim, at index; a number if x has one dimension, whatever `dim` is.
function methods.select(t, dim, index)
   check_self(t, 'select')
   local d = 0
   if t._dim == 1 then integer('select', 1, dim) else d = dimension(t, 'select', dim) end
   index = integer('select', 2, index)
   local size = t._size[d]
   if index < 1 or index > size then
      errors.raise('select: index %.0f out of range 1 to %.0f of dimension %.0f of tensor [%s]', index, size, d + 1,
         shape(t))
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
   if t._dim ~= 2 then errors.raise("t: self must have 2 dimensions (got %.0fD tensor [%s])", t._dim, shape(t)) end
   local v = new_view(t, t._offset)
   local to, size, stride = v._inline, t._size, t._stride
   v._dim, to[0], to[1], to[4], to[5] = 2, size[1], size[0], stride[1], stride[0]
   return v
end

-- x:permute(d1, d2, ...): dimension k of the result is dimension dk of x.
function methods.permute(t, ...)
   check_self(t, 'permute')
   local dim = select('#', ...)
   while dim > 0 and type((select(dim, ...))) == 'nil' do dim = dim - 1 end
   if dim ~= t._dim then
      errors.raise("permute: invalid permutation: %d dimensions given for tensor [%s] of %.0f", dim, shape(t), t._dim)
   end
   local v, seen, moved = alias(t), {}, false
   for k = 0, dim - 1 do
      local d = select(k + 1, ...)
      if type(d) == 'string' then errors.argument_error('permute', k + 1, 'a number', d) end
      d = integer('permute', k + 1, d)
      if d < 0 then d = geometry.from_last(d, dim) or d end
      moved = moved or d ~= k + 1
      if d < 1 or d > dim or seen[d] then
         errors.raise('permute: invalid permutation: dimension %.0f %s', d, seen[d] and 'given twice' or
            'out of range 1 to ' .. dim)
      end
      seen[d] = true
      v._size[k], v._stride[k] = t._size[d - 1], t._stride[d - 1]
   end
   return moved and v or t
end

-- x:unfold(dim, size, step): all slices of `size` indices of dimension dim, `step` apart, as a last dimension.
function methods.unfold(t, dim, size, step)
   check_self(t, 'unfold')
   if t._dim == 0 then errors.raise('unfold: cannot unfold an empty tensor') end
   local d = dimension(t, 'unfold', dim)
   size, step = integer('unfold', 2, size), integer('unfold', 3, step)
   if size < 1 or size > t._size[d] then
      errors.raise('unfold: size %.0f out of range 1 to %.0f of dimension %.0f of tensor [%s]', size, t._size[d],
         d + 1, shape(t))
   end
   if step < 1 then errors.raise('unfold: the step must be at least 1 (got %.0f)', step) end
   local v = alias(t)
   local last = t._dim
   set_dim(v, last + 1)
   for k = 0, last - 1 do v._size[k], v._stride[k] = t._size[k], t._stride[k] end
   v._size[last], v._stride[last] = size, t._stride[d]
   v._size[d] = floor((t._size[d] - size) / step) + 1
   -- A step beyond the tensor leaves one slice. Products of steps must stay finite.
   v._stride[d] = min(step * t._stride[d], MAX_ELEMENTS)
   return v
end

end end
