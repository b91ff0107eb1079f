-- Products of vectors and matrices of one element type, by the compiled kernels. Specialised per type. Callers check
-- sizes; operands may have any strides and may alias the result. See docs/decisions/0030-products.md.

return function(T)

local buffers, element = require 'torch.memory.buffers', require 'torch.loops.element'
local geometry, kernels = require 'torch.base.geometry', require 'torch.native.kernels'
local reduce_axis = require 'torch.kernels.reduce.reduce_axis'
local keep_alive, start, FIXED = buffers.keep_alive, buffers.start, buffers.FIXED
local returned, rawequal, tonumber = element.returned, rawequal, tonumber
local contiguous, disjoint, numel = geometry.contiguous, geometry.disjoint, geometry.numel
local matrix_layout = geometry.matrix_layout
local MATRIX_LAYOUT, RANK3_LAYOUT = geometry.MATRIX, geometry.RANK3

local blas = {}

-- A matrix whose columns, or whose rows, are contiguous and apart: without overlap of its elements. d is its first
-- dimension.
local function is_row_major(t, d)
   return (t._stride[d + 1] == 1 or t._size[d + 1] == 1) and (t._stride[d] >= t._size[d + 1] or t._size[d] == 1)
end

local function is_column_major(t, d)
   return (t._stride[d] == 1 or t._size[d] == 1) and (t._stride[d + 1] >= t._size[d] or t._size[d + 1] == 1)
end

-- t, or a copy if it has elements in common with the result.
local function separate(t, r) return T.shares(t, r) and not disjoint(r, t) and T.clone(t) or t end
blas.separate = separate

-- The products that differ between reals and integers:
--    multiply(c, beta, alpha, a, b)      matrices; the columns of c are contiguous, and for integers those of b
--    dot(n, x, x_step, y, y_step)
local multiply, dot

if T.integer then
   local lib = kernels 'linalg/integer_products'
   local gemm, dot_of = lib['t7_gemm_' .. T.name], lib['t7_dot_' .. T.name]

   function multiply(c, beta, alpha, a, b)
      local y = b._stride[1] == 1 and b or T.clone(b)
      gemm(a._size[0], y._size[1], a._size[1], alpha, start(a), a._stride[0], a._stride[1], start(y), y._stride[0],
         beta, start(c), c._stride[0], c._stride[1])
      keep_alive(a, y, c)
   end

   function dot(...) return (tonumber(dot_of(...))) end
else
   local lib = kernels 'linalg/gemm'
   local gemm = lib['t7_gemm_parallel_' .. T.name]

   function multiply(c, beta, alpha, a, b)
      gemm(a._size[0], b._size[1], a._size[1], alpha, start(a), a._stride[0], a._stride[1], start(b), b._stride[0],
         b._stride[1], beta, start(c), c._stride[0])
      keep_alive(a, b, c)
   end

   local dot_of = kernels 'linalg/vector_products' ['t7_dot_' .. T.name]
   function dot(n, x, x_step, y, y_step) return (returned(dot_of(n, x, x_step, y, y_step))) end
end

-- The result itself if its columns or rows are contiguous, else a copy.
local function writable(c) return (is_row_major(c, 0) or is_column_major(c, 0)) and c or T.clone(c) end

local function copy_back(c, target)
   if not rawequal(c, target) then T.copy_from(c, T, target) end
end

-- c = beta c + alpha a b.
function blas.gemm(c, beta, alpha, a, b)
   a, b = separate(a, c), separate(b, c)
   local target = writable(c)
   if is_row_major(target, 0) then
      multiply(target, beta, alpha, a, b)
   else
      multiply(T.swapped(target, 0, 1), beta, alpha, T.swapped(b, 0, 1), T.swapped(a, 0, 1))
   end
   copy_back(c, target)
end

-- c = beta c + alpha a b for each matrix of three-dimensional tensors, one after the other.
function blas.each(c, beta, alpha, a, b)
   -- Views that advance from product to product.
   local z, x, y = T.select_view(c, 0, 0), T.select_view(a, 0, 0), T.select_view(b, 0, 0)
   for _ = 1, a._size[0] do
      blas.gemm(z, beta, alpha, x, y)
      z._offset, x._offset = z._offset + c._stride[0], x._offset + a._stride[0]
      y._offset = y._offset + b._stride[0]
   end
end

-- The number of elements that follow each other in even steps.
local function run_length(t)
   if contiguous(t) then return numel(t) end
   local size, stride, d = t._size, t._stride, t._dim - 1
   local n = size[d]
   while d > 0 and stride[d - 1] == stride[d] * size[d] do
      d = d - 1
      n = n * size[d]
   end
   return n
end

-- The dot product of small integers, which as in the original overflows within runs, and not in the sum of these.
local function dot_of_runs(x, y)
   local n, x_run, y_run = numel(x), run_length(x), run_length(y)
   x, y = T.contiguous(x), T.contiguous(y)
   local sum, i = 0, 0
   while i < n do
      local count = math.min(x_run - i % x_run, y_run - i % y_run)
      sum = sum + dot(count, start(x) + i, 1, start(y) + i, 1)
      i = i + count
   end
   keep_alive(x, y)
   return sum
end

-- The dot product of two tensors with the same number of elements.
function blas.dot(x, y)
   if T.integer and T.name ~= 'Long' and (x._dim ~= 1 or y._dim ~= 1) then return dot_of_runs(x, y) end
   -- Expanded vectors are read with a step of 0.
   if x._dim ~= 1 then x = reduce_axis.rows_of(T, x, x._dim - 1) end
   if y._dim ~= 1 then y = reduce_axis.rows_of(T, y, y._dim - 1, 'values') end
   local x_step, y_step = x._dim == 1 and x._stride[0] or 1, y._dim == 1 and y._stride[0] or 1
   local sum = dot(numel(x), start(x), x_step, start(y), y_step)
   keep_alive(x, y)
   return sum
end

if T.integer then
   blas.small, blas.batch = {}, blas.each

   -- A vector as a matrix of one column, or one row.
   local function as_matrix(t, d)
      local v, step = T.alias(t), t._stride[0]
      v._dim, v._size[d], v._stride[d] = 2, t._size[0], step
      v._size[1 - d], v._stride[1 - d] = 1, 1
      return v
   end

   function blas.gemv(y, beta, alpha, a, x) blas.gemm(as_matrix(y, 0), beta, alpha, a, as_matrix(x, 0)) end

   function blas.ger(c, beta, alpha, x, y) blas.gemm(c, beta, alpha, as_matrix(x, 0), as_matrix(y, 1)) end

   return blas
end

local batch = kernels 'linalg/gemm' ['t7_gemm_batch_' .. T.name]
local gemm = kernels 'linalg/gemm' ['t7_gemm_parallel_' .. T.name]
local gemv = kernels 'linalg/vector_products' ['t7_gemv_' .. T.name]
local ger = kernels 'linalg/vector_products' ['t7_ger_' .. T.name]

-- The same as blas.each for tensors that share no memory with c, in one call.
function blas.batch(c, beta, alpha, a, b)
   local count, rows, inner, columns = a._size[0], a._size[1], a._size[2], b._size[2]
   if is_row_major(c, 1) then
      batch(count, rows, columns, inner, alpha, start(a), a._stride[0], a._stride[1], a._stride[2], start(b),
         b._stride[0], b._stride[1], b._stride[2], beta, start(c), c._stride[0], c._stride[1])
   elseif is_column_major(c, 1) then
      batch(count, columns, rows, inner, alpha, start(b), b._stride[0], b._stride[2], b._stride[1], start(a),
         a._stride[0], a._stride[2], a._stride[1], beta, start(c), c._stride[0], c._stride[2])
   else
      return blas.each(c, beta, alpha, a, b)
   end
   keep_alive(a, b, c)
end

local function has_step(t) return t._stride[0] >= 1 or t._size[0] == 1 end

-- y = beta y + alpha a x.
function blas.gemv(y, beta, alpha, a, x)
   a, x = separate(a, y), separate(x, y)
   if a._stride[0] ~= 1 and a._stride[1] ~= 1 then a = T.clone(a) end
   if x._stride[0] ~= 1 then x = T.clone(x) end
   local target = has_step(y) and y or T.clone(y)
   gemv(a._size[0], a._size[1], alpha, start(a), a._stride[0], a._stride[1], start(x), beta, start(target),
      target._stride[0])
   keep_alive(a, x, target)
   copy_back(y, target)
end

-- c = beta c + alpha x y'.
function blas.ger(c, beta, alpha, x, y)
   x, y = separate(x, c), separate(y, c)
   local target = writable(c)
   local by_rows = is_row_major(target, 0)
   if not by_rows then x, y = y, x end
   if y._stride[0] ~= 1 then y = T.clone(y) end
   ger(x._size[0], y._size[0], alpha, start(x), x._stride[0], start(y), beta, start(target),
      target._stride[by_rows and 0 or 1])
   keep_alive(x, y, target)
   copy_back(c, target)
end

-- Products of tensors that need no other check: small.mv(r, beta, alpha, a, x) is r = beta r + alpha a x, nil if it
-- does not apply; without r the result is new. One comparison of layouts tells the sizes, and no value has to be kept
-- over a call.
local small = {}
blas.small = small

-- Whether the rows or columns of a matrix are adjacent in memory that no tensor of another layout can overlap.
local function is_simple(t)
   local layout = t._layout
   return layout >= MATRIX_LAYOUT and layout < RANK3_LAYOUT
      or layout == 0 and t._dim == 2 and t._stride[0] == 1 and t._stride[1] >= t._size[0] and t._memory._flags ~= FIXED
end

local function is_unaliased(r, a, b)
   return (r._memory ~= a._memory or disjoint(r, a)) and (r._memory ~= b._memory or disjoint(r, b))
end

function small.mv(r, beta, alpha, a, x)
   if not is_simple(a) or x._layout ~= a._size[1] then return nil end
   if not r then
      r = T.new_vector(a._size[0])
   elseif r._layout ~= a._size[0] or not is_unaliased(r, a, x) then
      return nil
   end
   gemv(a._size[0], a._size[1], alpha, start(a), a._stride[0], a._stride[1], start(x), beta, start(r), 1)
   keep_alive(a, x, r)
   return r
end

function small.mm(r, beta, alpha, a, b)
   if not (is_simple(a) and is_simple(b)) or a._size[1] ~= b._size[0] then return nil end
   if not r then
      r = T.new_matrix(a._size[0], b._size[1])
   elseif r._layout ~= matrix_layout(a._size[0], b._size[1]) or not is_unaliased(r, a, b) then
      return nil
   end
   gemm(a._size[0], b._size[1], a._size[1], alpha, start(a), a._stride[0], a._stride[1], start(b), b._stride[0],
      b._stride[1], beta, start(r), r._stride[0])
   keep_alive(a, b, r)
   return r
end

function small.ger(r, beta, alpha, x, y)
   local rows, columns = x._layout, y._layout
   if rows == 0 or rows >= MATRIX_LAYOUT or columns == 0 or columns >= MATRIX_LAYOUT then return nil end
   if not r then
      r = T.new_matrix(rows, columns)
   elseif r._layout ~= matrix_layout(rows, columns) or not is_unaliased(r, x, y) then
      return nil
   end
   ger(rows, columns, alpha, start(x), 1, start(y), beta, start(r), columns)
   keep_alive(x, y, r)
   return r
end

return blas

end
