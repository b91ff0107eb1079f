-- SoftMax and its logarithm for one element type and its loops by name, see softmax_chunks.lua. Runs in the main state
-- and in workers: run(struct, from, to) for groups `from` to `to` - 1.

return function(T, loops)

local floor, max, min = math.floor, math.max, math.min
local ffi = require 'ffi'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local SIZE, p_t = T.size, T.pointer_ct
local scratch = require 'nn.kernels.kernel_scratch'(T)
local add, subtract, multiply, divide = loops.add, loops.subtract, loops.multiply, loops.divide
local maximum, exp, log = loops.maximum, loops.exp, loops.log
local get = require('torch.base.element').getter(T)

-- One number, for loops whose step is 0: of a row NumPy makes its largest element, or its sum.
local one = ffi.new(T.c .. '[1]')

local function sum(x, n)
   one[0] = 0
   add(one, 0, x, SIZE, one, 0, n)
   return (get(one, 0))
end

-- m rows of n elements -----------------------------------------------------------------------------------------------

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
   exp(z, SIZE, z, SIZE, m * n)
   for i = 0, m - 1 do
      local b = z + i * n
      sum(b, n)
      divide(b, SIZE, one, 0, b, SIZE, n)
   end
end

local function log_softmax(m, n, x, _, z)
   local e = scratch(m * n)
   centred(m, n, x, z)
   exp(z, SIZE, e, SIZE, m * n)
   for i = 0, m - 1 do
      local b = z + i * n
      one[0] = math.log(sum(e + i * n, n))
      subtract(b, SIZE, one, 0, b, SIZE, n)
   end
end

local function softmax_gradient(m, n, y, go, z)
   local e = scratch(m * n)
   multiply(y, SIZE, go, SIZE, e, SIZE, m * n)
   for i = 0, m - 1 do
      sum(e + i * n, n)
      subtract(go + i * n, SIZE, one, 0, z + i * n, SIZE, n)
   end
   multiply(y, SIZE, z, SIZE, z, SIZE, m * n)
end

local function log_softmax_gradient(m, n, y, go, z)
   local e = scratch(m * n)
   exp(y, SIZE, e, SIZE, m * n)
   for i = 0, m - 1 do
      local a = e + i * n
      sum(go + i * n, n)
      multiply(a, SIZE, one, 0, a, SIZE, n)
   end
   subtract(go, SIZE, e, SIZE, z, SIZE, m * n)
end

-- n planes of `step` elements ----------------------------------------------------------------------------------------

local function across(n, step, x, z, e)
   copy(e, x, step * SIZE)
   for j = 1, n - 1 do maximum(x + j * step, SIZE, e, SIZE, e, SIZE, step) end
   for j = 0, n - 1 do subtract(x + j * step, SIZE, e, SIZE, z + j * step, SIZE, step) end
end

local function planes_softmax(n, step, x, _, z)
   local e = scratch(step)
   across(n, step, x, z, e)
   exp(z, SIZE, z, SIZE, n * step)
   copy(e, z, step * SIZE)
   for j = 1, n - 1 do add(z + j * step, SIZE, e, SIZE, e, SIZE, step) end
   for j = 0, n - 1 do divide(z + j * step, SIZE, e, SIZE, z + j * step, SIZE, step) end
end

local function planes_log_softmax(n, step, x, _, z)
   local total = scratch(2 * step)
   local term = total + step
   across(n, step, x, z, total)
   fill(total, step * SIZE)
   for j = 0, n - 1 do
      exp(z + j * step, SIZE, term, SIZE, step)
      add(total, SIZE, term, SIZE, total, SIZE, step)
   end
   log(total, SIZE, total, SIZE, step)
   for j = 0, n - 1 do subtract(z + j * step, SIZE, total, SIZE, z + j * step, SIZE, step) end
end

local function planes_softmax_gradient(n, step, y, go, z)
   local total = scratch(2 * step)
   local term = total + step
   fill(total, step * SIZE)
   for j = 0, n - 1 do
      multiply(y + j * step, SIZE, go + j * step, SIZE, term, SIZE, step)
      add(total, SIZE, term, SIZE, total, SIZE, step)
   end
   for j = 0, n - 1 do
      subtract(go + j * step, SIZE, total, SIZE, term, SIZE, step)
      multiply(y + j * step, SIZE, term, SIZE, z + j * step, SIZE, step)
   end
end

local function planes_log_softmax_gradient(n, step, y, go, z)
   local total = scratch(2 * step)
   local term = total + step
   fill(total, step * SIZE)
   for j = 0, n - 1 do add(total, SIZE, go + j * step, SIZE, total, SIZE, step) end
   for j = 0, n - 1 do
      exp(y + j * step, SIZE, term, SIZE, step)
      multiply(term, SIZE, total, SIZE, term, SIZE, step)
      subtract(go + j * step, SIZE, term, SIZE, z + j * step, SIZE, step)
   end
end

-- Rows are taken together as long as their elements stay in the first cache.
local BLOCK = 2048

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

local function run_planes(g, from, to, work)
   local n, step = g.n, g.step
   for i = from, to - 1 do
      local at = i * n * step
      work(n, step, cast(p_t, g.x) + at, cast(p_t, g.go) + at, cast(p_t, g.r) + at)
   end
end

return function(g, from, to)
   local logarithm, back = g.logarithm == 1, g.back == 1
   if g.step == 1 then
      if back then
         run_rows(g, from, to, logarithm and log_softmax_gradient or softmax_gradient)
      else
         run_rows(g, from, to, logarithm and log_softmax or softmax)
      end
   elseif back then
      run_planes(g, from, to, logarithm and planes_log_softmax_gradient or planes_softmax_gradient)
   else
      run_planes(g, from, to, logarithm and planes_log_softmax or planes_softmax)
   end
end

end
