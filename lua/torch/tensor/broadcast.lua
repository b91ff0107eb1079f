-- Broadcasting as in NumPy: the last dimensions are aligned, missing ones have size 1, and size 1 is repeated, with
-- stride 0 in a view. A tensor without elements has one dimension of size 0 here.

local max, select = math.max, select
local concat, format = table.concat, string.format
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local finish_trace = require('torch.jit.trace').finish

local broadcast = {}

local function dimensions_text(n) return format(n == 1 and '%d dimension' or '%d dimensions', n) end

-- The number of dimensions, and a size by its distance from the last dimension.
local function dimensions(t) return t._dim == 0 and 1 or t._dim end

local function size_from_end(t, k)
   local d = t._dim - 1 - k
   if d >= 0 then return t._size[d] end
   return t._dim == 0 and k == 0 and 0 or 1
end

-- The combined size of two, -1 if they do not fit.
local function joined(a, b)
   if a == b or b == 1 then return a end
   return a == 1 and b or -1
end

local function shape(t) return t._dim == 0 and '0' or geometry.shape(t) end
broadcast.shape_text = shape

-- The combined sizes of tensors, as a list; nil, the dimension and the two sizes if they do not fit.
function broadcast.sizes(...)
   finish_trace()
   local count, dim, list = select('#', ...), 0, {}
   for i = 1, count do dim = max(dim, dimensions((select(i, ...)))) end
   for k = 0, dim - 1 do
      local size = 1
      for i = 1, count do
         local other = size_from_end(select(i, ...), k)
         local both = joined(size, other)
         if both < 0 then return nil, dim - k, size, other end
         size = both
      end
      list[dim - k] = size
   end
   return list
end

-- Tells whether tensors fit and, if `into` is given, have its sizes when combined.
function broadcast.fit(into, ...)
   local list = broadcast.sizes(...)
   if not list or not into then return list ~= nil end
   if #list ~= dimensions(into) then return false end
   for d = 1, #list do
      if list[d] ~= size_from_end(into, #list - d) then return false end
   end
   return true
end

-- The hint for an error about numbers of elements if the dialect modern would broadcast the operands, into `into`.
function broadcast.hint(into, ...)
   return broadcast.fit(into, ...) and "; the dialect 'modern' would broadcast them" or ''
end

function broadcast.reject(name, ...)
   finish_trace()
   local shapes, count = {}, select('#', ...)
   for i = 1, count do shapes[i] = shape((select(i, ...))) end
   local _, d, a, b = broadcast.sizes(...)
   local text = concat(shapes, ', ', 1, count - 1) .. ' and ' .. shapes[count]
   errors.raise('%s: shapes %s do not broadcast: dimension %d is %.0f and %.0f', name, text, d, a, b)
end

-- Raises an error for a result tensor that does not have the required sizes, a list.
local function reject_result(name, t, sizes)
   finish_trace()
   local texts = {}
   for d = 1, #sizes do texts[d] = format('%.0f', sizes[d]) end
   local why
   if #sizes == dimensions(t) then
      for d = #sizes, 1, -1 do
         local own = size_from_end(t, #sizes - d)
         if own ~= sizes[d] then why = format('dimension %d is %.0f and %.0f', d, own, sizes[d]) end
      end
   else
      why = format('it has %s, the result %d', dimensions_text(dimensions(t)), #sizes)
   end
   errors.raise('%s: shape %s cannot take a result of shape %s: %s', name, shape(t), concat(texts, 'x'), why)
end

function broadcast.reject_result(name, t, ...) reject_result(name, t, broadcast.sizes(...)) end

-- Raises an error for a tensor that cannot be broadcast to the sizes of t.
function broadcast.reject_source(name, t, source, what)
   finish_trace()
   local why = format('it has %s, the other %d', dimensions_text(dimensions(t)), dimensions(source))
   for k = 0, dimensions(source) - 1 do
      local own, given = size_from_end(t, k), size_from_end(source, k)
      if k < dimensions(t) and given ~= own and given ~= 1 then
         why = format('dimension %d is %.0f and %.0f', dimensions(t) - k, own, given)
         break
      end
   end
   errors.raise('%s: shape %s cannot take %s of shape %s: %s', name, shape(t), what or 'a tensor', shape(source), why)
end

-- Fills in dimension d of v, a view of t with `shift` additional dimensions, for a size that fits.
local function set_dimension(v, t, d, shift, size)
   v._size[d] = size
   local from = d - shift
   v._stride[d] = from >= 0 and t._size[from] == size and t._stride[from] or 0
end

-- t with `dim` dimensions of the sizes a, b, c, d, counted from the last, which fit; t itself if it has them.
local function widened_four(T, t, dim, a, b, c, d)
   if t._dim == dim and t._size[dim - 1] == a and (dim < 2 or t._size[dim - 2] == b)
      and (dim < 3 or t._size[dim - 3] == c) and (dim < 4 or t._size[0] == d) then
      return t
   end
   local v = T.alias(t)
   geometry.set_dim(v, dim)
   local shift = dim - t._dim
   set_dimension(v, t, dim - 1, shift, a)
   if dim > 1 then set_dimension(v, t, dim - 2, shift, b) end
   if dim > 2 then set_dimension(v, t, dim - 3, shift, c) end
   if dim > 3 then set_dimension(v, t, 0, shift, d) end
   return v
end

-- t, of type T, as a view with a list of sizes, which fit; without elements if one of them is 0.
local function widened(T, t, sizes)
   finish_trace()
   local dim, same = #sizes, t._dim == #sizes
   for d = 1, dim do
      if sizes[d] == 0 then return t._dim == 0 and t or T.new_tensor() end
      same = same and t._size[d - 1] == sizes[d]
   end
   if same then return t end
   local v = T.alias(t)
   geometry.set_dim(v, dim)
   for d = 0, dim - 1 do set_dimension(v, t, d, dim - t._dim, sizes[d + 1]) end
   return v
end

local function widened_all(T, S, name, x, y, w)
   local sizes
   if w then sizes = broadcast.sizes(x, y, w) else sizes = broadcast.sizes(x, y) end
   if not sizes then
      if w then broadcast.reject(name, x, y, w) end
      broadcast.reject(name, x, y)
   end
   local count = 1
   for d = 1, #sizes do count = count * sizes[d] end
   if count > geometry.MAX_ELEMENTS then
      errors.raise('%s: there can be at most 2^53 elements (got %g)', name, count)
   end
   return widened(T, x, sizes), widened(S, y, sizes), w and widened(T, w, sizes)
end

-- Two or three tensors, of type T and the second of type S, as views with the same sizes. Two tensors of up to four
-- dimensions need no loop, which would keep the caller's from being compiled.
function broadcast.together(T, S, name, x, y, w)
   local p, q = x._dim, y._dim
   if w or p == 0 or q == 0 or p > 4 or q > 4 then return widened_all(T, S, name, x, y, w) end
   local a, b = joined(size_from_end(x, 0), size_from_end(y, 0)), joined(size_from_end(x, 1), size_from_end(y, 1))
   local c, d = joined(size_from_end(x, 2), size_from_end(y, 2)), joined(size_from_end(x, 3), size_from_end(y, 3))
   if a < 0 or b < 0 or c < 0 or d < 0 or a * b * c * d > geometry.MAX_ELEMENTS then
      return widened_all(T, S, name, x, y)
   end
   local dim = p > q and p or q
   return widened_four(T, x, dim, a, b, c, d), widened_four(S, y, dim, a, b, c, d)
end

-- `source`, of type S, as a view with t's sizes; nil if it does not fit. Leading dimensions of size 1 are ignored.
function broadcast.to(S, t, source)
   if geometry.same_size(t, source) then return source end
   finish_trace()
   local dim, sizes = dimensions(t), {}
   for k = 0, max(dim, dimensions(source)) - 1 do
      local own, given = size_from_end(t, k), size_from_end(source, k)
      if given ~= own and given ~= 1 then return nil end
      if k < dim then sizes[dim - k] = own end
   end
   if source._dim > dim then
      local v = S.alias(source)
      geometry.set_dim(v, dim)
      for d = 0, dim - 1 do
         local from = d + source._dim - dim
         v._size[d], v._stride[d] = source._size[from], source._stride[from]
      end
      source = v
   end
   return widened(S, source, sizes)
end

-- `source`, of type S, as a view with t's sizes for a copy to t, of type T; errors call it `what`.
function broadcast.source(T, S, name, t, source, what)
   if geometry.same_size(t, source) then return source end
   local view = broadcast.to(S, t, source)
   if not view then broadcast.reject_source(name, t, source, what) end
   if t._memory and T.shares(t, source) then return broadcast.to(S, t, S.clone(source)) end
   return view
end

return broadcast
