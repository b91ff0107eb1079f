-- SoftMax and its logarithm for one element type and its loops by name, see softmax_chunks.lua. Runs in the main state
-- and in workers: run(struct, from, to) for groups, or pieces of planes, `from` to `to` - 1.

return function(T, loops)

local ceil, floor, log_of, max, min = math.ceil, math.floor, math.log, math.max, math.min
local ffi = require 'ffi'
local aligned = require 'torch.native.aligned'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local SIZE, p_t = T.size, T.pointer_ct
local scratch = require 'nn.kernels.kernel_scratch'(T)
local add, subtract, multiply, divide = loops.add, loops.subtract, loops.multiply, loops.divide
local maximum, exp, exp2, log, dot = loops.maximum, loops.exp, loops.exp2, loops.log, loops.dot
local element = require 'torch.base.element'
local get, returned = element.getter(T), element.returned

-- Elements that stay in the first cache: of rows that are taken together, or of a piece of a long row.
local BLOCK = 2048

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

-- NumPy has an exp2 in half the time of its exp for Floats on processors with vectors of 512 bits.
local log2_e = ffi.new(T.c .. '[1]', 1 / log_of(2))

-- z = exp(x), for up to BLOCK elements so that both steps are in the cache.
local function exponential(x, z, n)
   if exp2 then
      multiply(x, SIZE, log2_e, 0, z, SIZE, n)
      exp2(z, SIZE, z, SIZE, n)
   else
      exp(x, SIZE, z, SIZE, n)
   end
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
   exponential(z, z, m * n)
   for i = 0, m - 1 do
      local b = z + i * n
      one[0] = sum(b, n)
      divide(b, SIZE, one, 0, b, SIZE, n)
   end
end

local function log_softmax(m, n, x, _, z)
   local e = scratch(BLOCK)
   centred(m, n, x, z)
   exponential(z, e, m * n)
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
   exponential(y, e, m * n)
   for i = 0, m - 1 do
      local a = e + i * n
      one[0] = sum(go + i * n, n)
      multiply(a, SIZE, one, 0, a, SIZE, n)
   end
   subtract(go, SIZE, e, SIZE, z, SIZE, m * n)
end

-- A row of more elements, piece by piece ------------------------------------------------------------------------------

-- The largest element.
local function largest(n, x)
   local top = ffi.new(T.c .. '[1]', get(x, 0))
   maximum(top, 0, x, SIZE, top, 0, n)
   return top
end

local function long_softmax(n, x, _, z)
   local top, total = largest(n, x), 0
   for at = 0, n - 1, BLOCK do
      local count = min(BLOCK, n - at)
      subtract(x + at, SIZE, top, 0, z + at, SIZE, count)
      exponential(z + at, z + at, count)
      total = total + sum(z + at, count)
   end
   one[0] = total
   divide(z, SIZE, one, 0, z, SIZE, n)
end

local function long_log_softmax(n, x, _, z)
   local e, top, total = scratch(BLOCK), largest(n, x), 0
   for at = 0, n - 1, BLOCK do
      local count = min(BLOCK, n - at)
      subtract(x + at, SIZE, top, 0, z + at, SIZE, count)
      exponential(z + at, e, count)
      total = total + sum(e, count)
   end
   one[0] = log_of(total)
   subtract(z, SIZE, one, 0, z, SIZE, n)
end

local function long_softmax_gradient(n, y, go, z)
   local e, total = scratch(BLOCK), 0
   for at = 0, n - 1, BLOCK do
      local count = min(BLOCK, n - at)
      multiply(y + at, SIZE, go + at, SIZE, e, SIZE, count)
      total = total + sum(e, count)
   end
   one[0] = total
   for at = 0, n - 1, BLOCK do
      local count = min(BLOCK, n - at)
      subtract(go + at, SIZE, one, 0, e, SIZE, count)
      multiply(y + at, SIZE, e, SIZE, z + at, SIZE, count)
   end
end

local function long_log_softmax_gradient(n, y, go, z)
   local e, total, factor = scratch(BLOCK), 0, ffi.new(T.c .. '[1]')
   for at = 0, n - 1, BLOCK do total = total + sum(go + at, min(BLOCK, n - at)) end
   factor[0] = total
   for at = 0, n - 1, BLOCK do
      local count = min(BLOCK, n - at)
      exponential(y + at, e, count)
      multiply(e, SIZE, factor, 0, e, SIZE, count)
      subtract(go + at, SIZE, e, SIZE, z + at, SIZE, count)
   end
end

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
      exponential(b, b, count)
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
      exponential(z + j * step, term, count)
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
      exponential(y + j * step, term, count)
      multiply(term, SIZE, total, SIZE, term, SIZE, count)
      subtract(go + j * step, SIZE, term, SIZE, z + j * step, SIZE, count)
   end
end

local short = { softmax, log_softmax, softmax_gradient, log_softmax_gradient }
local long = { long_softmax, long_log_softmax, long_softmax_gradient, long_log_softmax_gradient }
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

local function run_long(g, from, to, work)
   local n = g.n
   for i = from, to - 1 do
      local at = i * n
      work(n, cast(p_t, g.x) + at, cast(p_t, g.go) + at, cast(p_t, g.r) + at)
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
      run_long(g, from, to, long[kind])
   else
      run_rows(g, from, to, short[kind])
   end
end

end
