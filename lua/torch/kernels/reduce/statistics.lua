-- Variances, norms, distances and histograms. Sums are taken in double precision.

local element, elementwise = require 'torch.loops.element', require 'torch.kernels.elementwise'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local buffers, reduce_axis = require 'torch.memory.buffers', require 'torch.kernels.reduce.reduce_axis'
local kernels, bins = require 'torch.native.kernels' 'reduce/reduce', require 'torch.native.kernels' 'reduce/bins'
local lazy_table = require 'torch.jit.lazy_table'
local contiguous, numel, shape = geometry.contiguous, geometry.numel, geometry.shape

local statistics = {}

local function variance_kind(options) return options.root and kernels.T7_STD or kernels.T7_VARIANCE end

function statistics.var_all(name, T, options)
   local variance = reduce_axis.total_of(T, variance_kind(options))
   return function(t, by_n)
      reduce_axis.check_not_empty(name, t)
      return variance(t, by_n and numel(t) or numel(t) - 1)
   end
end

function statistics.var_along(name, T, options)
   local reduction = variance_kind(options)
   return function(r, t, dim, by_n)
      local d = reduce_axis.dimension_of(name, t, dim)
      return reduce_axis.reduce(T, r, t, d, reduction, by_n and t._size[d] or t._size[d] - 1)
   end
end

-- The reduction that is the p-norm; nil for those of other powers than 0, 1 and 2.
local function norm_by(p)
   return p == 2 and kernels.T7_NORM or p == 1 and kernels.T7_ABSOLUTE_SUM or p == 0 and kernels.T7_NONZEROS or nil
end

local function make_powers(name, T)
   return elementwise.map(name, T, { 'z = absolute(x) ^ v' }, '[r] t v')
end

-- f(t, p, reduction of squares): the p-norm of all elements, rounded to the type where Torch7 takes the root in it.
local function make_norm(name, T)
   local powers, in_type = make_powers(name, T), element.rounder(T)
   local totals = lazy_table(function(reduction) return reduce_axis.total_of(T, reduction) end)
   return function(t, p, squares)
      local reduction = p == 2 and squares or norm_by(p)
      if reduction then return totals[reduction](t, p) end
      return in_type(totals[kernels.T7_POWER_SUM_ROOT](powers(nil, t, p), p))
   end
end

-- Squares of a whole tensor are doubles, as TH takes them: those of Floats do not overflow.
function statistics.norm_all(name, T)
   local norm = make_norm(name, T)
   return function(t, p)
      if t._dim == 0 then return p == 0 and 0 or 0 ^ (1 / p) end
      return norm(t, p, kernels.T7_WIDE_NORM)
   end
end

function statistics.norm_along(name, T)
   local powers = make_powers(name, T)
   return function(r, t, p, dim)
      local d, reduction = reduce_axis.dimension_of(name, t, dim), norm_by(p)
      if reduction then return reduce_axis.reduce(T, r, t, d, reduction, p) end
      return reduce_axis.reduce(T, r, powers(nil, t, p), d, kernels.T7_POWER_SUM_ROOT, p)
   end
end

-- Tells whether the elements of t and u, in the same order, fill ranges of memory.
local function are_alike(t, u)
   if contiguous(t) and contiguous(u) then return true end
   return geometry.same_size(t, u) and geometry.same_strides(t, u) and reduce_axis.is_dense(t)
end

function statistics.dist(name, T)
   local norm, subtract = make_norm(name, T), elementwise.map(name, T, { 'z = x - y' }, '[r] t t')
   return function(t, u, p)
      if numel(t) ~= numel(u) then elementwise.mismatch(name, t, u, nil, t, u) end
      if t._dim == 0 or p == 0 then return numel(t) ^ (1 / p) end
      if (p == 1 or p == 2) and are_alike(t, u) then
         local distance = kernels.t7_distance(T.index, norm_by(p), t._memory._data + t._offset,
            u._memory._data + u._offset, numel(t))
         buffers.keep_alive(t, u)
         return distance
      end
      return norm(subtract(nil, t, u), p, kernels.T7_NORM)
   end
end

-- The squared distances between the rows (indices of the first dimension) of two tensors, times a gain.
function statistics.match(name, T)
   local convert = element.converter(T)
   return function(r, t, u, gain)
      local rows, others = t._size[0], u._size[0]
      local n = numel(t) / rows
      if t._dim == 0 or u._dim == 0 or n ~= numel(u) / others then
         errors.raise('%s: rows must have the same number of elements (got [%s] and [%s])', name, shape(t), shape(u))
      end
      local x, y = T.contiguous(t), T.contiguous(u)
      local work = T.new_matrix(rows, others)
      bins.t7_match_rows(T.index, work._memory._data, x._memory._data + x._offset, y._memory._data + y._offset, rows,
         others, n, convert(gain))
      buffers.keep_alive(x, y, work)
      return T.result(r, work)
   end
end

-- Slices of dimension d whose norm exceeds `max_norm` are scaled down to it.
function statistics.renorm(name, T)
   local norm = make_norm(name, T)
   local multiply = elementwise.map(name, T, { 'z = x * v' }, 'r t v')
   return function(r, t, p, dim, max_norm)
      if not (p > 0) then errors.raise('%s: p must be positive (got %g)', name, p) end
      if t._dim < 2 then errors.argument(name, 1, 'must have at least 2 dimensions (got [%s])', shape(t)) end
      local d = reduce_axis.dimension_of(name, t, dim)
      if not r then
         r = T.clone(t)
      elseif r ~= t then
         if T.shares(r, t) then t = T.clone(t) end
         T.resize_as(r, t)
         T.copy_from(r, T, t)
      end
      for i = 0, r._size[d] - 1 do
         local slice = T.select_view(r, d, i)
         local value = norm(slice, p, kernels.T7_NORM)
         if value > max_norm then multiply(slice, slice, max_norm / (value + 1e-7)) end
      end
      return r
   end
end

-- The bounds of a histogram: the minimum and maximum if both are equal, widened a little if these are equal too.
local function bounds(t, low, high)
   if low == high then
      low, high = t:min(), t:max()
   end
   if low == high then return low - 1, high + 1 end
   return low, high
end

local function check_count(name, count)
   count = errors.integer(name, 2, count)
   if not (count > 0) then errors.raise('%s: the number of bins must be positive (got %.0f)', name, count) end
   return count
end

-- run(r, t, sizes, rows, count, low, high): a histogram of each of the rows of t, in a result of these sizes.
local function make_histogram(T)
   local in_type = element.rounder(T)
   return function(r, t, sizes, rows, count, low, high)
      local x = T.contiguous(t)
      if r and T.shares(r, x) then x = T.clone(x) end
      r = r or T.new_tensor()
      T.resize_to(r, sizes)
      local work = contiguous(r) and r or T.new_like(r)
      T.fill(work, 0)
      low, high = bounds(x, in_type(low), in_type(high))
      local to, from, n = work._memory._data + work._offset, x._memory._data + x._offset, numel(x) / rows
      for i = 0, rows - 1 do bins.t7_count_bins(T.index, to + i * count, from + i * n, n, count, low, high) end
      buffers.keep_alive(x, work)
      if work ~= r then T.copy_from(r, T, work) end
      return r
   end
end

-- Nothing has a histogram between bounds, but none of its own.
function statistics.histc(name, T)
   local histogram, in_type = make_histogram(T), element.rounder(T)
   return function(r, t, count, low, high)
      count = check_count(name, count)
      if t._dim == 0 and in_type(low) ~= in_type(high) then
         return T.fill(T.resize_to(r or T.new_tensor(), { count }), 0)
      end
      reduce_axis.check_not_empty(name, t)
      return histogram(r, t, { count }, 1, count, low, high)
   end
end

function statistics.bhistc(name, T)
   local histogram = make_histogram(T)
   return function(r, t, count, low, high)
      count = check_count(name, count)
      if t._dim ~= 2 then errors.argument(name, 1, 'must be a matrix (got a %.0fD tensor [%s])', t._dim, shape(t)) end
      return histogram(r, t, { t._size[0], count }, t._size[0], count, low, high)
   end
end

return statistics
