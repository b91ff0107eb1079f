-- SoftMax and its logarithm for one element type and its loops by name, see softmax_chunks.lua. Runs in the main state
-- and in workers: run(struct, from, to) for groups, or pieces of planes or of long groups, `from` to `to` - 1.
--
-- BLOCK elements stay in the first cache: of rows that are taken together, or of a piece of a long row.

return function(T, loops, BLOCK)

local ceil, exp_of, floor, huge = math.ceil, math.exp, math.floor, math.huge
local log_of, max, min = math.log, math.max, math.min
local ffi = require 'ffi'
local aligned = require 'torch.native.aligned'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local SIZE, p_t = T.size, T.pointer_ct
local scratch = require 'nn.kernels.kernel_scratch'(T)
local add, subtract, multiply, divide = loops.add, loops.subtract, loops.multiply, loops.divide
local maximum, log, dot = loops.maximum, loops.log, loops.dot
local element = require 'torch.base.element'
local get, returned = element.getter(T), element.returned
local exponential = require 'nn.kernels.exponential'(T, loops, BLOCK)

-- One number, for loops whose step is 0: of a row NumPy makes its largest element, and the ones that sums multiply by.
local one, ones = ffi.new(T.c .. '[1]'), aligned(T.c, BLOCK)
for i = 0, BLOCK - 1 do ones[i] = 1 end

local n_, step_ = ffi.new 'int[1]', ffi.new('int[1]', 1)

-- The sum of up to BLOCK elements: BLAS adds in vectors, NumPy does not.
local function sum(x, n)
   if dot then
      n_[0] = n
      return (returned(dot(n_, x, step_, ones, step_)))
   end
   one[0] = 0
   add(one, 0, x, SIZE, one, 0, n)
   return (get(one, 0))
end

-- m rows of n elements, m * n of them at most BLOCK ------------------------------------------------------------------

-- Subtracts the largest of each row: exp does not overflow.
local function centred(m, n, x, z)
   for i = 0, m - 1 do
      local a = x + i * n
      one[0] = get(a, 0)
      maximum(one, 0, a, SIZE, one, 0, n)
      subtract(a, SIZE, one, 0, z + i * n, SIZE, n)
   end
end

local function softmax(m, n, x, _, z)
   centred(m, n, x, z)
   exponential(z, z, n, m)
   for i = 0, m - 1 do
      local b = z + i * n
      one[0] = sum(b, n)
      divide(b, SIZE, one, 0, b, SIZE, n)
   end
end

local function log_softmax(m, n, x, _, z)
   local e = scratch(BLOCK)
   centred(m, n, x, z)
   exponential(z, e, n, m)
   for i = 0, m - 1 do
      local b = z + i * n
      one[0] = log_of(sum(e + i * n, n))
      subtract(b, SIZE, one, 0, b, SIZE, n)
   end
end

local function softmax_gradient(m, n, y, go, z)
   for i = 0, m - 1 do
      local a, b, c = y + i * n, go + i * n, z + i * n
      if dot then
         n_[0] = n
         one[0] = returned(dot(n_, a, step_, b, step_))
      else
         multiply(a, SIZE, b, SIZE, c, SIZE, n)
         one[0] = sum(c, n)
      end
      subtract(b, SIZE, one, 0, c, SIZE, n)
   end
   multiply(y, SIZE, z, SIZE, z, SIZE, m * n)
end

local function log_softmax_gradient(m, n, y, go, z)
   local e = scratch(BLOCK)
   exponential(y, e, n, m)
   for i = 0, m - 1 do
      local a = e + i * n
      one[0] = sum(go + i * n, n)
      multiply(a, SIZE, one, 0, a, SIZE, n)
   end
   subtract(go, SIZE, e, SIZE, z, SIZE, m * n)
end

-- Pieces of longer rows, of up to BLOCK elements: what each adds to the row's total, and then its results -------------

-- The total, and the largest element, from which the exponents of the piece count.
local function begin_softmax(n, x, z)
   one[0] = get(x, 0)
   maximum(one, 0, x, SIZE, one, 0, n)
   local top = get(one, 0)
   if top == -huge then one[0] = 0 end
   subtract(x, SIZE, one, 0, z, SIZE, n)
   exponential(z, z, n, 1)
   return sum(z, n), top
end

local begin = {
   function(n, x, _, z) return begin_softmax(n, x, z) end,
   function(n, x) return begin_softmax(n, x, scratch(BLOCK)) end,
   function(n, y, go)
      if dot then
         n_[0] = n
         return (returned(dot(n_, y, step_, go, step_)))
      end
      local e = scratch(BLOCK)
      multiply(y, SIZE, go, SIZE, e, SIZE, n)
      return (sum(e, n))
   end,
   function(n, _, go) return (sum(go, n)) end,
}

-- `own` is the largest element of the piece, `top` that of the row.
local finish = {
   function(n, _, _, z, total, own, top)
      one[0] = exp_of(own - top) / total
      multiply(z, SIZE, one, 0, z, SIZE, n)
   end,
   function(n, x, _, z, total, _, top)
      one[0] = top
      subtract(x, SIZE, one, 0, z, SIZE, n)
      one[0] = log_of(total)
      subtract(z, SIZE, one, 0, z, SIZE, n)
   end,
   function(n, y, go, z, total)
      local e = scratch(BLOCK)
      one[0] = total
      subtract(go, SIZE, one, 0, e, SIZE, n)
      multiply(y, SIZE, e, SIZE, z, SIZE, n)
   end,
   function(n, y, go, z, total)
      local e = scratch(BLOCK)
      exponential(y, e, n, 1)
      one[0] = total
      multiply(e, SIZE, one, 0, e, SIZE, n)
      subtract(go, SIZE, e, SIZE, z, SIZE, n)
   end,
}

-- n planes of which `count` elements, up to BLOCK, are taken from each, `step` elements apart ------------------------

local function across(n, step, count, x, z, e)
   copy(e, x, count * SIZE)
   for j = 1, n - 1 do maximum(x + j * step, SIZE, e, SIZE, e, SIZE, count) end
   for j = 0, n - 1 do subtract(x + j * step, SIZE, e, SIZE, z + j * step, SIZE, count) end
end

local function planes_softmax(n, step, count, x, _, z)
   local e = scratch(count)
   across(n, step, count, x, z, e)
   fill(e, count * SIZE)
   for j = 0, n - 1 do
      local b = z + j * step
      exponential(b, b, count, 1)
      add(b, SIZE, e, SIZE, e, SIZE, count)
   end
   for j = 0, n - 1 do divide(z + j * step, SIZE, e, SIZE, z + j * step, SIZE, count) end
end

local function planes_log_softmax(n, step, count, x, _, z)
   local total = scratch(2 * count)
   local term = total + count
   across(n, step, count, x, z, total)
   fill(total, count * SIZE)
   for j = 0, n - 1 do
      exponential(z + j * step, term, count, 1)
      add(total, SIZE, term, SIZE, total, SIZE, count)
   end
   log(total, SIZE, total, SIZE, count)
   for j = 0, n - 1 do subtract(z + j * step, SIZE, total, SIZE, z + j * step, SIZE, count) end
end

local function planes_softmax_gradient(n, step, count, y, go, z)
   local total = scratch(2 * count)
   local term = total + count
   fill(total, count * SIZE)
   for j = 0, n - 1 do
      multiply(y + j * step, SIZE, go + j * step, SIZE, term, SIZE, count)
      add(total, SIZE, term, SIZE, total, SIZE, count)
   end
   for j = 0, n - 1 do
      subtract(go + j * step, SIZE, total, SIZE, term, SIZE, count)
      multiply(y + j * step, SIZE, term, SIZE, z + j * step, SIZE, count)
   end
end

local function planes_log_softmax_gradient(n, step, count, y, go, z)
   local total = scratch(2 * count)
   local term = total + count
   fill(total, count * SIZE)
   for j = 0, n - 1 do add(total, SIZE, go + j * step, SIZE, total, SIZE, count) end
   for j = 0, n - 1 do
      exponential(y + j * step, term, count, 1)
      multiply(term, SIZE, total, SIZE, term, SIZE, count)
      subtract(go + j * step, SIZE, term, SIZE, z + j * step, SIZE, count)
   end
end

local short = { softmax, log_softmax, softmax_gradient, log_softmax_gradient }
local planes = { planes_softmax, planes_log_softmax, planes_softmax_gradient, planes_log_softmax_gradient }

local function run_rows(g, from, to, work)
   local n = g.n
   local rows = max(1, floor(BLOCK / n))
   -- Few rows take no loop around those of `work`.
   if to - from <= rows then
      local at = from * n
      return work(to - from, n, cast(p_t, g.x) + at, cast(p_t, g.go) + at, cast(p_t, g.r) + at)
   end
   for first = from, to - 1, rows do
      local at = first * n
      work(min(rows, to - first), n, cast(p_t, g.x) + at, cast(p_t, g.go) + at, cast(p_t, g.r) + at)
   end
end

local function run_pieces(g, from, to, kind)
   local n, tops, totals, rows = g.n, g.tops, g.totals, g.rows
   local pieces = ceil(n / BLOCK)
   for k = from, to - 1 do
      local row = floor(k / pieces)
      local column = (k - row * pieces) * BLOCK
      local at, count = row * n + column, min(BLOCK, n - column)
      local x, go, r = cast(p_t, g.x) + at, cast(p_t, g.go) + at, cast(p_t, g.r) + at
      if g.last == 0 then
         local total, top = begin[kind](count, x, go, r)
         totals[k], tops[k] = total, top or 0
      else
         finish[kind](count, x, go, r, rows[2 * row], tops[k], rows[2 * row + 1])
      end
   end
end

local function run_planes(g, from, to, work)
   local n, step, width = g.n, g.step, g.width
   local pieces = ceil(step / width)
   for i = from, to - 1 do
      local column = i % pieces * width
      local at = floor(i / pieces) * n * step + column
      work(n, step, min(width, step - column), cast(p_t, g.x) + at, cast(p_t, g.go) + at, cast(p_t, g.r) + at)
   end
end

return function(g, from, to)
   local kind = 1 + g.logarithm + 2 * g.back
   if g.step > 1 then
      run_planes(g, from, to, planes[kind])
   elseif g.n > BLOCK then
      run_pieces(g, from, to, kind)
   else
      run_rows(g, from, to, short[kind])
   end
end

end
