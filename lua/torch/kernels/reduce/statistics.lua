-- Variances, norms, distances and histograms. Sums are taken in double precision.

local concat, floor, require, sqrt = table.concat, math.floor, require, math.sqrt
local ffi = require 'ffi'
local element, elementwise = require 'torch.base.element', require 'torch.kernels.elementwise'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local ufunc_loops, buffers = require 'torch.parallel.ufunc_loops', require 'torch.memory.buffers'
local odd, finish_trace = require('torch.base.nan_payloads').odd, require('torch.jit.trace').finish
local fused = require 'torch.kernels.elementwise.fused'
local reduce_all = require 'torch.parallel.reduce_all'
local axis_code, types = require 'torch.kernels.reduce.axis_code', require 'torch.base.types'
local reduce_axis, squares = require 'torch.kernels.reduce.reduce_axis', require 'torch.kernels.reduce.squares'
local native, template = require 'torch.native.native', require 'torch.jit.template'
local contiguous, count_of, shape = geometry.contiguous, geometry.count, geometry.shape
local others_write = buffers.others_write
local tuning = require 'torch.base.tuning'

local statistics = {}

local BLOCK = tuning.ROW_BLOCK

-- The variances of rows of n doubles in memory, or their roots.
local spread_source = [[
local function long(x, n)
   local sum = 0
   for start = 0, n - 1, BLOCK do
      local count = n - start < BLOCK and n - start or BLOCK
      subtract(x + start, 8, mean, 0, scratch, 8, count)
      sum = sum + squares(scratch, count)
   end
   return sum
end

return function(r, x, rows, n, by_n)
   local divisor = by_n and n or n - 1
   for i = 0, rows - 1 do
      total[0] = 0
      add(total, 0, x, 8, total, 0, n)
      mean[0] = get(total, 0) / n
      local sum
      if n > BLOCK then
         sum = long(x, n)
      else
         subtract(x, 8, mean, 0, scratch, 8, n)
         sum = squares(scratch, n)
      end
      r[i] = $root(sum / divisor)
      x = x + n
   end
end]]

-- The same of Floats. Several rows are searched for NaN together.
local float_spread_source = [[
return function(r, x, rows, n, by_n, own)
   local divisor = by_n and n or n - 1
   if own and rows > 1 and not odd(T, x, rows * n) then own = 'plain' end
   for i = 0, rows - 1 do
      shift[0] = sum_of(x, 1, n, own) / n
      r[i] = $root(deviations(x, 1, n, own) / divisor)
      x = x + n
   end
end]]

-- Short rows are unrolled: a loop in the loop over rows would take longer than its work.
local WRITTEN_OUT = tuning.SPREAD_UNROLLED

local short_spread_source = [[
return function(r, x, rows, n, by_n)
   local divisor = by_n and n or n - 1
   for i = 0, rows - 1 do
      local mean = ($sum) / n
      local a, b, c, d = 0, 0, 0, 0
$squares
      r[i] = $root((a + b + c + d) / divisor)
      x = x + n
   end
end]]

-- The sum of n elements, in order; of more than eight in four parts, which are added at the same time.
local function sum_text(n)
   local parts, step = {}, n > 8 and 4 or 1
   for first = 0, step - 1 do
      local terms = {}
      for k = first, n - 1, step do terms[#terms + 1] = ('get(x, %d)'):format(k) end
      parts[#parts + 1] = '(' .. concat(terms, ' + ') .. ')'
   end
   return concat(parts, ' + ')
end

local function squares_text(n)
   local lines, step = {}, n > 8 and 4 or 1
   for k = 0, n - 1 do
      local part = ('abcd'):sub(k % step + 1, k % step + 1)
      lines[#lines + 1] = ('      local e%d = get(x, %d) - mean; %s = %s + e%d * e%d'):format(k, k, part, part, k, k)
   end
   return concat(lines, '\n')
end

-- run(n) -> f(r, x, rows, n, by_n, own) for rows of n elements; `own` tells that nobody else writes to them.
local function make_spread(name, T, root)
   local short, by_loops = {}, nil
   local get = element.getter(T)
   local function make(source, values, upvalues)
      values.root, upvalues.get, upvalues.sqrt = root and 'sqrt' or '', get, sqrt
      return template.compile(name, source, values, upvalues)
   end
   local function make_short(n)
      short[n] = make(short_spread_source, { sum = sum_text(n), squares = squares_text(n) }, {})
      return short[n]
   end
   local function make_long()
      if T.name == 'Float' then
         return make(float_spread_source, {}, { sum_of = reduce_all.sum(T), odd = odd, T = T,
            deviations = reduce_all.terms(T, 'deviations'), shift = reduce_all.shift })
      end
      return make(spread_source, {}, { subtract = ufunc_loops.get('subtract', T, T, T),
         add = ufunc_loops.get('add', T, T, T),
         squares = squares.make(), scratch = ffi.new('double[?]', BLOCK), mean = ffi.new 'double[1]',
         total = ffi.new 'double[1]', BLOCK = BLOCK })
   end
   return function(n)
      if n <= WRITTEN_OUT then return short[n] or make_short(n) end
      by_loops = by_loops or make_long()
      return by_loops
   end
end

function statistics.spread_all(name, T, how)
   local spread, result = make_spread(name, T, how.root), ffi.new 'double[1]'
   return function(t, by_n)
      reduce_axis.check_not_empty(name, t)
      local x, n = reduce_axis.dense(T, t), count_of(t)
      spread(n)(result, x._memory._data + x._offset, 1, n, by_n, not others_write(x._memory))
      buffers.alive(x)
      return result[0]
   end
end

local rows_source = [[
return function(r, x, rows, n, p, own)
   for i = 0, rows - 1 do r[i] = f(x + i * n, n, p, own) end
end]]

local function reduce_rows(T, run, r, t, d, option)
   local like = reduce_axis.reduced_shape(t, d, 1)
   local work, given = reduce_axis.begin(T, r, like, t)
   local rows = reduce_axis.rows_of(T, t, d)
   run(work._memory._data + work._offset, rows._memory._data + rows._offset, count_of(work), t._size[d], option,
      not others_write(rows._memory))
   buffers.alive(work, rows)
   return T.result(given, work)
end

-- Reductions of Floats by machine code, in double precision: f(r, t, d, option) calls fill(to, from, count, option,
-- ...) for results at `to`, where the elements at `from` are as for axis_code. It returns false where that cannot be.
local totals, room = nil, 0

local function make_along(T, fill)
   return function(r, t, d, option)
      if t._size[d] == 1 then return false end
      local work, given = reduce_axis.begin(T, r, reduce_axis.reduced_shape(t, d, 1), t)
      local x, outer, outer_step, n, n_step, inner, inner_step = reduce_axis.three_loops(T, t, d)
      if n_step ~= 1 and inner_step ~= 1 then return false end
      local count = outer * inner
      if count > room then totals, room = native.buffer('double', count), count end
      fill(work._memory._data + work._offset, x._memory._data + x._offset, count, option, outer, outer_step, n, n_step,
         inner, inner_step)
      buffers.alive(x, work)
      return T.result(given, work)
   end
end

local Double = types.by_name.Double
local get_double = element.getter(Double)

local function make_spread_code(T, root)
   local sums = axis_code.make(T, 'elements', 'add', Double)
   if not sums then return nil end
   local deviations = axis_code.make(T, 'deviations', 'add', Double)
   return make_along(T, function(to, from, count, by_n, outer, outer_step, n, n_step, inner, inner_step)
      sums(totals, from, outer, outer_step, n, n_step, inner, inner_step)
      for i = 0, count - 1 do totals[i] = get_double(totals, i) / n end
      deviations(totals, from, outer, outer_step, n, n_step, inner, inner_step, totals)
      local divisor = by_n and n or n - 1
      for i = 0, count - 1 do
         local variance = get_double(totals, i) / divisor
         to[i] = root and sqrt(variance) or variance
      end
   end)
end

function statistics.spread_along(name, T, how)
   local spread, code = make_spread(name, T, how.root), make_spread_code(T, how.root)
   return function(r, t, dim, by_n)
      local d = reduce_axis.dimension_of(name, t, dim)
      return code and code(r, t, d, by_n) or reduce_rows(T, spread(t._size[d]), r, t, d, by_n)
   end
end

-- total(x, n, p, own): the sum of |x|^p over n elements in a row; `own` tells that nobody else writes to them. `wide`
-- for squares of Floats in double precision, as TH takes those of a whole tensor: these do not overflow.
local function make_powers(name, T, wide)
   local scratch, v = ffi.new(T.c .. '[?]', BLOCK), ffi.new(T.c .. '[1]')
   local sum, size, get = reduce_all.sum(T), T.size, element.getter(T)
   local function make_run(text) return fused.make(name, T, T, text, { 'x' }, { v = v }) end
   local magnitudes, second = reduce_all.terms(T, 'magnitudes'), make_run 'z = multiply x x'
   local any = make_run 'a = absolute x; z = power a v'
   local function block(run, x, n)
      run(x, size, scratch, size, n)
      return sum(scratch, 1, n, true)
   end
   local function blocks(run, x, n)
      local total = 0
      for start = 0, n - 1, BLOCK do
         total = total + block(run, x + start, n - start < BLOCK and n - start or BLOCK)
      end
      return total
   end
   local function count_nonzero(x, n)
      local total = 0
      for i = 0, n - 1 do
         if get(x, i) ~= 0 then total = total + 1 end
      end
      return total
   end
   local second_powers = T.name == 'Double' and squares.make()
   local wide_powers = wide and T.name == 'Float' and reduce_all.terms(T, 'squares')
   return function(x, n, p, own)
      if p == 2 and second_powers then return second_powers(x, n) end
      if p == 2 and wide_powers then return wide_powers(x, 1, n, own) end
      if p == 0 then return count_nonzero(x, n) end
      if p == 1 then return magnitudes(x, 1, n, own) end
      v[0] = p
      local run = p == 2 and second or any
      if n <= BLOCK then return block(run, x, n) end
      return blocks(run, x, n)
   end
end

-- The p-norm of a sum of powers, rounded to the type where Torch7 takes the root in the type.
local function make_root(T)
   local in_type = element.rounder(T)
   return function(total, p)
      if p == 2 then return (sqrt(total)) end
      if p == 0 or p == 1 then return total end
      return in_type(total ^ (1 / p))
   end
end

function statistics.norm_all(name, T)
   local powers, root = make_powers(name, T, true), make_root(T)
   return function(t, p)
      if t._dim == 0 then return 0 end
      local x = reduce_axis.dense(T, t)
      local total = powers(x._memory._data + x._offset, count_of(x), p, not others_write(x._memory))
      buffers.alive(x)
      return root(total, p)
   end
end

local function make_norm(name, T)
   local powers, root = make_powers(name, T), make_root(T)
   return function(x, n, p, own) return root(powers(x, n, p, own), p) end
end

local function make_norm_code(T)
   local magnitudes = axis_code.make(T, 'magnitudes', 'add', Double)
   if not magnitudes then return nil end
   local squares_of = axis_code.make(T, 'own_squares', 'add', Double)
   return make_along(T, function(to, from, count, p, ...)
      local of = p == 2 and squares_of or magnitudes
      of(totals, from, ...)
      for i = 0, count - 1 do
         local total = get_double(totals, i)
         to[i] = p == 2 and sqrt(total) or total
      end
   end)
end

function statistics.norm_along(name, T)
   local run, code = template.compile(name, rows_source, nil, { f = make_norm(name, T) }), make_norm_code(T)
   return function(r, t, p, dim)
      local d = reduce_axis.dimension_of(name, t, dim)
      return code and (p == 2 or p == 1) and code(r, t, d, p) or reduce_rows(T, run, r, t, d, p)
   end
end

-- Tells whether the elements of t and u, in the same order, fill ranges of memory.
local function are_alike(t, u)
   if contiguous(t) and contiguous(u) then return true end
   if not geometry.same_size(t, u) then return false end
   finish_trace()
   for d = 0, t._dim - 1 do
      if t._stride[d] ~= u._stride[d] then return false end
   end
   return reduce_axis.is_dense(t)
end

function statistics.dist(name, T)
   local powers, root, size = make_powers(name, T), make_root(T), T.size
   local subtract, scratch = ufunc_loops.get('subtract', T, T, T), native.buffer(T.c, BLOCK)
   local subtract_any = elementwise.map(name, T, { 'z = subtract x y' }, '[r] t t')
   local function total_of(x, y, n, p)
      local total = 0
      for start = 0, n - 1, BLOCK do
         local count = n - start < BLOCK and n - start or BLOCK
         subtract(x + start, size, y + start, size, scratch, size, count)
         total = total + powers(scratch, count, p, true)
      end
      return total
   end
   return function(t, u, p)
      if count_of(t) ~= count_of(u) then elementwise.mismatch(name, t, u, nil, t, u) end
      if t._dim == 0 then return 0 end
      local n = count_of(t)
      if p == 0 then return n ^ (1 / 0) end
      if are_alike(t, u) then
         local total = total_of(t._memory._data + t._offset, u._memory._data + u._offset, n, p)
         buffers.alive(t, u)
         return root(total, p)
      end
      local difference = subtract_any(nil, t, u)
      local total = powers(difference._memory._data + difference._offset, n, p, true)
      buffers.alive(difference)
      return root(total, p)
   end
end

local function match_rows(get, r, x, y, rows, others, n, gain)
   for i = 0, rows - 1 do
      for j = 0, others - 1 do
         local total, p, q = 0, x + i * n, y + j * n
         for k = 0, n - 1 do
            local difference = get(p, k) - get(q, k)
            total = total + difference * difference
         end
         r[i * others + j] = gain * total
      end
   end
end

-- The squared distances between the rows (indices of the first dimension) of two tensors, times a gain.
function statistics.match(name, T)
   local get = element.getter(T)
   return function(r, t, u, gain)
      local rows, others = t._size[0], u._size[0]
      local n = count_of(t) / rows
      if t._dim == 0 or u._dim == 0 or n ~= count_of(u) / others then
         errors.raise('%s: rows must have the same number of elements (got [%s] and [%s])', name, shape(t), shape(u))
      end
      local x, y = T.contiguous(t), T.contiguous(u)
      local work = T.new_matrix(rows, others)
      match_rows(get, work._memory._data, x._memory._data + x._offset, y._memory._data + y._offset, rows, others, n,
         gain)
      buffers.alive(x, y, work)
      return T.result(r, work)
   end
end

-- Slices of dimension d whose norm exceeds `most` are scaled down to it.
function statistics.renorm(name, T)
   local norm = make_norm(name, T)
   local multiply = elementwise.map(name, T, { 'z = multiply x v' }, 'r t v')
   return function(r, t, p, dim, most)
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
         local x = T.contiguous(slice)
         local value = norm(x._memory._data + x._offset, count_of(x), p, not others_write(x._memory))
         buffers.alive(x)
         if value > most then multiply(slice, slice, most / (value + 1e-7)) end
      end
      return r
   end
end

-- The bounds of a histogram: the extremes where both are the same, a little more where these are the same too.
local function bounds(t, low, high)
   if low == high then
      low, high = t:min(), t:max()
   end
   if low == high then return low - 1, high + 1 end
   return low, high
end

-- Every step is rounded to the type, as C's arithmetic has it.
local bins_source = [[
return function(r, x, n, bins, low, high)
   local span = in_type(high - low)
   for i = 0, n - 1 do
      local value = get(x, i)
      if value >= low and value <= high then
         local bin = floor(in_type(in_type(in_type(value - low) / span) * bins))
         -- Also where an infinite span made it nan.
         if not (bin < bins) then bin = bins - 1 end
         r[bin] = r[bin] + 1
      end
   end
end]]

local function check_bins(name, bins)
   bins = errors.integer(name, 2, bins)
   if not (bins > 0) then errors.raise('%s: the number of bins must be positive (got %.0f)', name, bins) end
   return bins
end

-- run(r, t, sizes, rows, bins, low, high): a histogram of each of the rows of t, in a result of these sizes.
local function make_histogram(name, T)
   local in_type = element.rounder(T)
   local upvalues = { in_type = in_type, floor = floor, get = element.getter(T) }
   local count_bins = template.compile(name, bins_source, nil, upvalues)
   return function(r, t, sizes, rows, bins, low, high)
      local x = T.contiguous(t)
      if r and T.shares(r, x) then x = T.clone(x) end
      r = r or T.new_tensor()
      T.resize_to(r, sizes)
      local work = contiguous(r) and r or T.new_like(r)
      T.fill(work, 0)
      low, high = bounds(x, in_type(low), in_type(high))
      local to, from, n = work._memory._data + work._offset, x._memory._data + x._offset, count_of(x) / rows
      for i = 0, rows - 1 do count_bins(to + i * bins, from + i * n, n, bins, low, high) end
      buffers.alive(x, work)
      if work ~= r then T.copy_from(r, T, work) end
      return r
   end
end

function statistics.histc(name, T)
   local histogram = make_histogram(name, T)
   return function(r, t, bins, low, high)
      bins = check_bins(name, bins)
      reduce_axis.check_not_empty(name, t)
      return histogram(r, t, { bins }, 1, bins, low, high)
   end
end

function statistics.bhistc(name, T)
   local histogram = make_histogram(name, T)
   return function(r, t, bins, low, high)
      bins = check_bins(name, bins)
      if t._dim ~= 2 then errors.argument(name, 1, 'must be a matrix (got a %.0fD tensor [%s])', t._dim, shape(t)) end
      return histogram(r, t, { t._size[0], bins }, t._size[0], bins, low, high)
   end
end

return statistics
