-- Reductions to one number or along a dimension, which keeps size 1, computed into contiguous memory. Tensors of up to
-- two dimensions and contiguous ones are read in place, as outer x n x inner elements with n reduced; others are
-- copied.

local require, tonumber = require, tonumber
local ffi = require 'ffi'
local element = require 'torch.base.element'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local buffers = require 'torch.memory.buffers'
local native, parallel_for = require 'torch.native.native', require 'torch.parallel.parallel_for'
local axis_code = require 'torch.kernels.reduce.axis_code'
local axis_chunks, reduce_all = require 'torch.parallel.axis_chunks', require 'torch.parallel.reduce_all'
local strided_iterator, types = require 'torch.base.strided_iterator', require 'torch.base.types'
local template = require 'torch.jit.template'
local finish_trace = require('torch.jit.trace').finish
local tuning = require 'torch.base.tuning'
local contiguous, count_of, shape = geometry.contiguous, geometry.count, geometry.shape
local others_write = buffers.others_write
local CUBE, MATRIX, unroll = geometry.CUBE, geometry.MATRIX, require 'torch.jit.unroll'

local reduce_axis = {}

local one_plan = strided_iterator.new(1)

local product_source = [[
return function(data, step, count)
   local a = one
   finish_trace()
   for i = 0, count - 1 do a = a * get(data, i * step) end
   return a
end]]

local function int64(value) return (ffi.new('int64_t', value)) end

local KEPT_BYTES = tuning.KEPT_ROWS_BYTES

local function walked_total(t, run, total, combine)
   local data, p, own = t._memory._data + t._offset, one_plan, not others_write(t._memory)
   strided_iterator.prepare(p, 1, t)
   strided_iterator.in_memory_order(p)
   local step, count = p.step[1][0], p.size[0]
   strided_iterator.start(p)
   repeat total = combine(total, run(data + p.offset[1], step, count, own)) until not strided_iterator.next(p, 1)
   return total
end

-- Combines the results of run(pointer, step in elements, count, own) for the runs of t, as they lie in memory. `own`
-- tells that nobody else writes there. Vectors and a few rows need no loop; smaller tensors are copied, in less time
-- than a walk takes.
local function runs_total(T, t, run, total, combine)
   local data, size, stride = t._memory._data + t._offset, t._size, t._stride
   if contiguous(t) then
      total = combine(total, run(data, 1, count_of(t), not others_write(t._memory)))
   elseif t._dim == 1 then
      total = combine(total, run(data, stride[0], size[0]))
   elseif t._dim == 2 and size[0] < 5 then
      total = combine(total, run(data, stride[1], size[1]))
      if size[0] > 1 then total = combine(total, run(data + stride[0], stride[1], size[1])) end
      if size[0] > 2 then total = combine(total, run(data + 2 * stride[0], stride[1], size[1])) end
      if size[0] > 3 then total = combine(total, run(data + 3 * stride[0], stride[1], size[1])) end
   elseif count_of(t) * T.size <= KEPT_BYTES then
      local x = reduce_axis.rows_of(T, t, t._dim - 1)
      total = combine(total, run(x._memory._data + x._offset, 1, count_of(t), true))
   else
      total = walked_total(t, run, total, combine)
   end
   buffers.alive(t)
   return total
end
reduce_axis.runs_total = runs_total

local function plus(a, b) return a + b end
local function times(a, b) return a * b end

function reduce_axis.sum_all(_, T)
   local sum = reduce_all.sum(T)
   local zero = T.name == 'Long' and int64(0) or 0
   return function(t)
      if t._dim == 0 then return 0 end
      return (tonumber(runs_total(T, t, sum, zero, plus)))
   end
end

-- Products of integers of all types wrap as those of 64 bits do.
function reduce_axis.prod_all(_, T)
   local one = T.integer and int64(1) or 1
   local product = template.compile('prod', product_source, nil, { one = one, finish_trace = finish_trace,
      get = element.reader(T) })
   product = reduce_all.product(T, product) or product
   return function(t)
      if t._dim == 0 then return 1 end
      return (tonumber(runs_total(T, t, product, one, times)))
   end
end

local function check_not_empty(name, t)
   if t._dim == 0 then errors.raise("%s: self must have at least one dimension (got an empty tensor)", name) end
end
reduce_axis.check_not_empty = check_not_empty

function reduce_axis.mean_all(name, T)
   local sum = reduce_axis.sum_all(name, T)
   return function(t)
      check_not_empty(name, t)
      return sum(t) / count_of(t)
   end
end

-- The dimension to reduce, counted from 0; nil is `default`.
local function dimension_of(name, t, dim, default)
   dim = dim or default
   if dim % 1 ~= 0 then dim = errors.integer(name, 2, dim) end
   if not (dim >= 1 and dim <= t._dim) then
      dim = geometry.from_last(dim, t._dim)
         or errors.raise('%s: dimension %.0f out of range of %.0fD tensor [%s]', name, dim, t._dim, shape(t))
   end
   return dim - 1
end
reduce_axis.dimension_of = dimension_of

local shapes

-- The sizes of t reduced along d to `size` elements, in a tensor that is valid until the next call.
local function reduced_shape(t, d, size)
   shapes = shapes or types.by_name.Byte.new_tensor()
   geometry.copy(shapes, t)
   shapes._size[d] = size
   return shapes
end
reduce_axis.reduced_shape = reduced_shape

-- A new tensor for results, or r if it is contiguous and not aliased by t; second r where T.result has to fill it.
local function begin(R, r, like, t)
   if not r then return R.new_like(like), nil end
   if R.shares(r, t) then return R.new_like(like), r end
   R.resize_as(r, like)
   if contiguous(r) then return r, nil end
   return R.new_like(like), r
end
reduce_axis.begin = begin

local function moved_to_end(T, t, d)
   local v, last = T.alias(t), t._dim - 1
   local size, stride = v._size[d], v._stride[d]
   finish_trace()
   for k = d, last - 1 do v._size[k], v._stride[k] = v._size[k + 1], v._stride[k + 1] end
   v._size[last], v._stride[last] = size, stride
   return v
end
reduce_axis.moved_to_end = moved_to_end

local kept_rows = {}

-- t, or a copy, with dimension d moved to the end and contiguous: read-only, until the next call for the type.
function reduce_axis.rows_of(T, t, d)
   local v = d < t._dim - 1 and moved_to_end(T, t, d) or t
   if contiguous(v) then return v end
   if count_of(v) * T.size > KEPT_BYTES then return T.clone(v) end
   local rows = kept_rows[T]
   if not rows then
      rows = T.new_vector(KEPT_BYTES / T.size)
      kept_rows[T] = rows
   end
   -- By rows in any dialect.
   geometry.copy(rows, v)
   geometry.set_contiguous(rows)
   T.copy_from(rows, T, v)
   return rows
end

-- Tells whether the elements of t fill a range of memory, in any order.
function reduce_axis.is_dense(t)
   if contiguous(t) then return true end
   strided_iterator.prepare(one_plan, 1, t)
   strided_iterator.in_memory_order(one_plan)
   return one_plan.dim == 1 and one_plan.step[1][0] == 1
end

-- t where it is dense, else a copy that is: read-only, until the next call for the type.
function reduce_axis.dense(T, t)
   return reduce_axis.is_dense(t) and t or reduce_axis.rows_of(T, t, t._dim - 1)
end

-- t as outer x n x inner: t (a copy when it has to be), then for each of the three the count and the step.
local function three_loops(T, t, d)
   local dim = t._dim
   if dim == 2 then
      local other = 1 - d
      return t, 1, 0, t._size[d], t._stride[d], t._size[other], t._stride[other]
   elseif dim == 1 then
      return t, 1, 0, t._size[0], t._stride[0], 1, 1
   end
   t = T.contiguous(t)
   local outer, inner, n = 1, 1, t._size[d]
   for k = 0, d - 1 do outer = outer * t._size[k] end
   for k = d + 1, dim - 1 do inner = inner * t._size[k] end
   return t, outer, n * inner, n, inner, inner, 1
end

-- Reduces n slices of `inner` elements into r: slice after slice, or run after run where runs are long. Few of them are
-- unrolled: no loop is in the way of compiling the caller's.
local many_source = [[
local function describe(r, x, n, n_step, inner_step)
   p.to, p.from, p.step, p.n, p.n_step = cast(char_p, r), cast(char_p, x), inner_step * $size, n, n_step * $size
end

local function many(share, unit, r, x, n, n_step, inner, inner_step)
   finish_trace()
   describe(r, x, n, n_step, inner_step)
   share(inner, unit, $WORK * n * inner, p)
end]]

-- The fallback without a pointer to NumPy's loop.
local many_alone_source = [[
local function many(_, _, r, x, n, n_step, inner, inner_step)
   finish_trace()
   local x_step = inner_step * $size
   run(x, x_step, x + n_step, x_step, r, $size, inner)
   for k = 2, n - 1 do run(r, $size, x + k * n_step, x_step, r, $size, inner) end
end]]

local slices_source = [[
$many

local function runs(r, x, n, n_step, inner, inner_step)
   local step, steps = n_step * $size, n - 1
$runs
end

return function(r, x, n, n_step, inner, inner_step)
   local large = n * inner >= $LARGE
   if inner < n and n > 8 and (inner_step > 1 or inner < 16) then
      if inner > 31 or large then return many(share_runs, 1, r, x, n, n_step, inner, inner_step) end
      return runs(r, x, n, n_step, inner, inner_step)
   end
   if n > 33 or large then
      return many(share_slices, $COLUMNS, r, x, n, n_step, inner, inner_step)
   end
   local x_step = inner_step * $size
   run(x, x_step, x + n_step, x_step, r, $size, inner)
   x, n = x + 2 * n_step, n - 2
$slices
end]]
local few_slices = unroll.chunks(16, 'n', 'run(r, $size, x + %d * n_step, x_step, r, $size, inner)',
   'x = x + %d * n_step')
local few_runs = unroll.chunks(16, 'inner', 'copy(r + %d, x + %d * inner_step, $size) '
   .. 'run(r + %d, 0, x + (%d * inner_step + n_step), step, r + %d, 0, steps)', 'r, x = r + %d, x + %d * inner_step')

-- Floats that fill a range of memory are searched for NaN first: without one they need no look at each.
local floats_source = [[
$many

local function has_no_nan(x, count)
   local most = greatest(x, 1, count)
   return most == most
end

return function(r, x, n, n_step, inner, inner_step, own)
   local dense = n_step == 1 and inner_step == n or inner_step == 1 and n_step == inner
   p.plain = own and dense and n * inner >= $SEARCH and has_no_nan(x, n * inner) and 1 or 0
   if n * inner >= $LARGE then return many(share, $UNIT, r, x, n, n_step, inner, inner_step) end
   describe(r, x, n, n_step, inner_step)
   alone(p, 0, inner)
end]]

local COLUMNS = tuning.SLICE_COLUMNS
local kinds = { add = 'sums', multiply = 'products' }

local function share_kind(name) return parallel_for.kind('torch.parallel.axis_chunks', name) end

local function slices(name, T, how)
   local p, float = axis_chunks.ct(), T.name == 'Float'
   local work = float and tuning.LAYOUT_WORK or tuning.BYTE_WORK * T.size
   local values = { size = T.size, WORK = work, LARGE = parallel_for.LEAST / work, COLUMNS = COLUMNS,
      UNIT = 256, SEARCH = tuning.NAN_SEARCH }
   local upvalues = { p = p, cast = ffi.cast, char_p = ffi.typeof 'char *', finish_trace = finish_trace }
   values.many = template.fill(name, many_source, values)
   if float then
      local kind = 'float_' .. kinds[how.ufunc]
      upvalues.share, upvalues.alone = share_kind(kind), axis_chunks[kind]
      upvalues.greatest = reduce_all.by_loop('maximum', T)
      return template.compile(name, floats_source, values, upvalues)
   end
   local fn, data = native.raw_loop(how.ufunc, T, T, T)
   p.fn, p.data, p.size = fn, data, T.size
   if not fn then values.many = template.fill(name, many_alone_source, values) end
   values.runs, values.slices = template.fill(name, few_runs, values), template.fill(name, few_slices, values)
   upvalues.copy, upvalues.run, upvalues.share_runs = ffi.copy, native.loop_alone(how.ufunc, T, T, T), share_kind 'runs'
   upvalues.share_slices = share_kind 'slices'
   return template.compile(name, slices_source, values, upvalues)
end

reduce_axis.three_loops = three_loops

-- The same, by machine code where it can be.
local code_source = [[
return function(r, x, n, n_step, inner, inner_step, own)
   if not code(r, x, 1, 0, n, n_step, inner, inner_step) then run(r, x, n, n_step, inner, inner_step, own) end
end]]

local function outer_loop(run, r, x, outer, outer_step, n, n_step, inner, inner_step, own)
   finish_trace()
   for o = 0, outer - 1 do
      run(r + o * inner, x + o * outer_step, n, n_step, inner, inner_step, own)
   end
end

-- r = t reduced along a dimension. how: { ufunc = name, sign = Lua's operator for it }.
function reduce_axis.along(name, T, how)
   local run, code = slices(name, T, how), axis_code.make(T, 'elements', how.ufunc, T, true)
   if code then run = template.compile(name, code_source, nil, { run = run, code = code }) end
   local new_matrix = T.new_matrix
   return function(r, t, dim)
      local layout = t._layout
      if layout >= MATRIX and layout < CUBE and not r and (dim == 1 or dim == 2) and t._size[dim - 1] > 1 then
         -- A contiguous matrix, without looking at more than its sizes.
         local own = not others_write(t._memory)
         if dim == 1 then
            r = new_matrix(1, t._size[1])
            run(r._memory._data, t._memory._data + t._offset, t._size[0], t._size[1], t._size[1], 1, own)
         else
            r = new_matrix(t._size[0], 1)
            run(r._memory._data, t._memory._data + t._offset, t._size[1], 1, t._size[0], t._size[1], own)
         end
         buffers.alive(t, r)
         return r
      end
      local d = dimension_of(name, t, dim)
      local like = reduced_shape(t, d, 1)
      local work, given = begin(T, r, like, t)
      if t._size[d] == 1 then
         T.copy_from(work, T, t)
         return T.result(given, work)
      end
      local x, outer, outer_step, n, n_step, inner, inner_step = three_loops(T, t, d)
      local to, from, own = work._memory._data + work._offset, x._memory._data + x._offset, not others_write(x._memory)
      if outer == 1 then
         run(to, from, n, n_step, inner, inner_step, own)
      elseif not (code and code(to, from, outer, outer_step, n, n_step, inner, inner_step)) then
         outer_loop(run, to, from, outer, outer_step, n, n_step, inner, inner_step, own)
      end
      buffers.alive(x, work)
      return T.result(given, work)
   end
end

function reduce_axis.mean_along(name, T, how)
   local sum = reduce_axis.along(name, T, how)
   local divide = require('torch.kernels.elementwise').map(name, T, { 'z = divide x v' }, 'r t v')
   return function(r, t, dim)
      local n = t._size[dimension_of(name, t, dim)]
      r = sum(r, t, dim)
      return divide(r, r, n)
   end
end

function reduce_axis.equal(name, T)
   local differ = require('torch.kernels.elementwise').compare(name, T, { 'not_equal x y' }, '[B] t t')
   return function(t, u)
      if not geometry.same_size(t, u) then return false end
      return t._dim == 0 or differ(nil, t, u):max() == 0
   end
end

-- Tells whether all, or any, elements of a ByteTensor are not 0.
function reduce_axis.all(name)
   return function(t)
      check_not_empty(name, t)
      return t:min() > 0
   end
end

function reduce_axis.any(name)
   return function(t)
      check_not_empty(name, t)
      return t:max() > 0
   end
end

function reduce_axis.trace(name, T)
   local sum = reduce_axis.sum_all(name, T)
   return function(t)
      if t._dim ~= 2 then errors.argument(name, 1, 'must be a matrix (got a %.0fD tensor [%s])', t._dim, shape(t)) end
      local diagonal = T.alias(t)
      diagonal._dim = 1
      diagonal._size[0] = t._size[0] < t._size[1] and t._size[0] or t._size[1]
      diagonal._stride[0] = t._stride[0] + t._stride[1]
      return sum(diagonal)
   end
end

return reduce_axis
