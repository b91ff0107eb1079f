-- SoftMax and its logarithm for one element type, see softmax_chunks.lua; loops are passed by name. Runs in the main
-- state and in workers: run(struct, from, to) for groups, or pieces of planes or of long groups, `from` to `to` - 1. A
-- row, or a piece of a long one, has up to BLOCK elements, which fit the L1 cache.

return function(T, loops, BLOCK)

local ceil, exp_of, floor, huge = math.ceil, math.exp, math.floor, math.huge
local log_of, min = math.log, math.min
local ffi = require 'ffi'
local aligned = require 'torch.native.aligned'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local SIZE, p_t = T.size, T.pointer_ct
local scratch = require 'nn.kernels.kernel_scratch'(T)
local add, subtract, multiply, divide = loops.add, loops.subtract, loops.multiply, loops.divide
local maximum, log, dot = loops.maximum, loops.log, loops.dot
local element = require 'torch.loops.element'
local get, returned = element.getter(T), element.returned
local exp, exp_difference, rest = loops.exp, loops.exp_difference, loops.rest
local difference, product_of_difference = loops.difference, loops.product_of_difference

-- Operands with step 0: NumPy's loop writes the maximum of a row to one; sums multiply by ones.
local one, other, ones = ffi.new(T.c .. '[1]'), ffi.new(T.c .. '[1]'), aligned(T.c, BLOCK)
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

-- Functions of a row: subtracting `top`, its largest element, prevents overflow.

local function find_top(n, x, top)
   top[0] = get(x, 0)
   maximum(top, 0, x, SIZE, top, 0, n)
end

-- z = exp(x - y)
local function set_exp(n, x, y, z)
   if exp_difference then return exp_difference(x, SIZE, y, 0, z, SIZE, n) end
   subtract(x, SIZE, y, 0, z, SIZE, n)
   exp(z, SIZE, z, SIZE, n)
end

-- z = x - y - w
local function set_difference(n, x, y, w, z)
   if difference then return difference(x, SIZE, y, 0, w, 0, z, SIZE, n) end
   subtract(x, SIZE, y, 0, z, SIZE, n)
   subtract(z, SIZE, w, 0, z, SIZE, n)
end

-- z = x (y - w)
local function set_product(n, x, y, w, z)
   if product_of_difference then return product_of_difference(x, SIZE, y, SIZE, w, 0, z, SIZE, n) end
   local e = scratch(BLOCK)
   subtract(y, SIZE, w, 0, e, SIZE, n)
   multiply(x, SIZE, e, SIZE, z, SIZE, n)
end

-- z = y - exp(x) w
local function set_rest(n, x, y, w, z)
   if rest then return rest(x, SIZE, y, SIZE, w, 0, z, SIZE, n) end
   local e = scratch(BLOCK)
   exp(x, SIZE, e, SIZE, n)
   multiply(e, SIZE, w, 0, e, SIZE, n)
   subtract(y, SIZE, e, SIZE, z, SIZE, n)
end

-- The sum of products.
local function product(n, x, y)
   if dot then
      n_[0] = n
      return (returned(dot(n_, x, step_, y, step_)))
   end
   local e = scratch(BLOCK)
   multiply(x, SIZE, y, SIZE, e, SIZE, n)
   return (sum(e, n))
end

-- A row of up to BLOCK elements.
local short = {
   function(n, x, _, z)
      find_top(n, x, one)
      set_exp(n, x, one, z)
      one[0] = sum(z, n)
      divide(z, SIZE, one, 0, z, SIZE, n)
   end,
   function(n, x, _, z)
      local e = scratch(BLOCK)
      find_top(n, x, other)
      set_exp(n, x, other, e)
      one[0] = log_of(sum(e, n))
      set_difference(n, x, other, one, z)
   end,
   function(n, y, go, z)
      one[0] = product(n, y, go)
      set_product(n, y, go, one, z)
   end,
   function(n, y, go, z)
      one[0] = sum(go, n)
      set_rest(n, y, go, one, z)
   end,
}

-- Pieces of longer rows, of up to BLOCK elements: their part of the row's sum, then their results ----------------

-- The sum, and the largest element, which the exponents of the piece are relative to.
local function begin_softmax(n, x, z)
   find_top(n, x, one)
   local top = get(one, 0)
   if top == -huge then one[0] = 0 end
   set_exp(n, x, one, z)
   return sum(z, n), top
end

local begin = {
   function(n, x, _, z) return begin_softmax(n, x, z) end,
   function(n, x) return begin_softmax(n, x, scratch(BLOCK)) end,
   function(n, y, go) return (product(n, y, go)) end,
   function(n, _, go) return (sum(go, n)) end,
}

-- `own` is the largest element of the piece, `top` that of the row.
local finish = {
   function(n, _, _, z, total, own, top)
      one[0] = exp_of(own - top) / total
      multiply(z, SIZE, one, 0, z, SIZE, n)
   end,
   function(n, x, _, z, total, _, top)
      other[0], one[0] = top, log_of(total)
      set_difference(n, x, other, one, z)
   end,
   function(n, y, go, z, total)
      one[0] = total
      set_product(n, y, go, one, z)
   end,
   function(n, y, go, z, total)
      one[0] = total
      set_rest(n, y, go, one, z)
   end,
}

-- n planes, `count` elements of each, up to BLOCK, with stride `step` ---------------------------------------------

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
      exp(b, SIZE, b, SIZE, count)
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
      exp(z + j * step, SIZE, term, SIZE, count)
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
      exp(y + j * step, SIZE, term, SIZE, count)
      multiply(term, SIZE, total, SIZE, term, SIZE, count)
      subtract(go + j * step, SIZE, term, SIZE, z + j * step, SIZE, count)
   end
end

local planes = { planes_softmax, planes_log_softmax, planes_softmax_gradient, planes_log_softmax_gradient }

local function run_rows(g, from, to, work)
   local n = g.n
   local x, go, r = cast(p_t, g.x), cast(p_t, g.go), cast(p_t, g.r)
   for i = from, to - 1 do
      local at = i * n
      work(n, x + at, go + at, r + at)
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
