-- Products of vectors and matrices of one element type: BLAS by pointer for Float and Double, and product_loops.lua
-- for integers. Specialised per type. Sizes are the callers' to check; operands may have any strides, and may share
-- memory with the result.

return function(T)

local require = require
local ffi = require 'ffi'
local errors, geometry = require 'torch.errors', require 'torch.geometry'
local memory, native = require 'torch.memory', require 'torch.native'
local threads, types = require 'torch.threads', require 'torch.types'
local count_of = geometry.count
local alive = memory.alive

local blas = {}

local LARGEST = 2 ^ 31 - 1
-- BLAS divides products of more than the first number of multiplications among its threads; up to the second that
-- gains less than it may cost. The others are for products of a matrix and a vector, and of two vectors.
local DIVIDED, FEW = 64 ^ 3, 2 ^ 21
local DIVIDED_MATRIX, DIVIDED_VECTOR = 2 ^ 15, 10000
local gemm_gate, gemv_gate = threads.new_gate(), threads.new_gate()
local ger_gate, dot_gate = threads.new_gate(), threads.new_gate()
local NORMAL, TRANSPOSED = ffi.new('char[1]', 78), ffi.new('char[1]', 84)

local function routine(name, declaration)
   if T.integer then return nil end
   return native.routine('blas', (T.name == 'Double' and 'd' or 's') .. name, (declaration:gsub('%$', T.c)))
end

local gemm = routine('gemm',
   'void (*)(char *, char *, int *, int *, int *, $ *, $ *, int *, $ *, int *, $ *, $ *, int *)')
local gemv = routine('gemv', 'void (*)(char *, int *, int *, $ *, $ *, int *, $ *, int *, $ *, $ *, int *)')
local ger = routine('ger', 'void (*)(int *, int *, $ *, $ *, int *, $ *, int *, $ *, int *)')
local dot = routine('dot', '$ (*)(int *, $ *, int *, $ *, int *)')

-- The arguments of calls, which are passed by reference.
local m, n, k = ffi.new 'int[1]', ffi.new 'int[1]', ffi.new 'int[1]'
local lda, ldb, ldc = ffi.new 'int[1]', ffi.new 'int[1]', ffi.new 'int[1]'
local incx, incy = ffi.new 'int[1]', ffi.new 'int[1]'
local alpha_at, beta_at = ffi.new(T.c .. '[1]'), ffi.new(T.c .. '[1]')

-- The leading dimension of a matrix whose rows are contiguous, nil for others.
local function row_major(t)
   local rows, columns, row, column = t._size[0], t._size[1], t._stride[0], t._stride[1]
   if column ~= 1 and columns ~= 1 then return nil end
   if rows == 1 then return columns end
   return row >= columns and row <= LARGEST and row or nil
end

-- The same for columns.
local function column_major(t)
   local rows, columns, row, column = t._size[0], t._size[1], t._stride[0], t._stride[1]
   if row ~= 1 and rows ~= 1 then return nil end
   if columns == 1 then return rows end
   return column >= rows and column <= LARGEST and column or nil
end

local function readable(t)
   if row_major(t) or column_major(t) then return t end
   return T.clone(t)
end

-- The step of a vector, nil when BLAS cannot read it.
local function step_of(t)
   local step = t._stride[0]
   if t._size[0] == 1 then return 1 end
   return step >= 1 and step <= LARGEST and step or nil
end

local function too_large(a, b)
   errors.raise('sizes of at most 2^31 - 1 expected in products, got [%s] and [%s]', geometry.shape(a),
      geometry.shape(b))
end

local function run_gemm(c, beta, alpha, a, b)
   local rows, inner, columns = a._size[0], a._size[1], b._size[1]
   a, b = readable(a), readable(b)
   local ld_a, ld_b, ld_c = row_major(a), row_major(b), row_major(c)
   local a_rows, b_rows = ld_a, ld_b
   lda[0], ldb[0] = ld_a or column_major(a), ld_b or column_major(b)
   k[0], alpha_at[0], beta_at[0] = inner, alpha, beta
   local x, y, z = a._memory._data + a._offset, b._memory._data + b._offset, c._memory._data + c._offset
   local work = rows * columns * inner
   local alone, divided = work > DIVIDED and work <= FEW, work > FEW
   if alone then threads.single() elseif divided then threads.begin(gemm_gate, work) end
   if ld_c then
      -- BLAS goes column by column: a row-major c is the transposed product of the transposed operands.
      m[0], n[0], ldc[0] = columns, rows, ld_c
      gemm(b_rows and NORMAL or TRANSPOSED, a_rows and NORMAL or TRANSPOSED, m, n, k, alpha_at, y, ldb, x, lda,
         beta_at, z, ldc)
   else
      m[0], n[0], ldc[0] = rows, columns, column_major(c)
      gemm(a_rows and TRANSPOSED or NORMAL, b_rows and TRANSPOSED or NORMAL, m, n, k, alpha_at, x, lda, y, ldb,
         beta_at, z, ldc)
   end
   if alone then threads.restore() elseif divided then threads.finish(gemm_gate, work) end
   alive(a, b, c)
end

local function blas_gemm(c, beta, alpha, a, b)
   if a._size[0] > LARGEST or a._size[1] > LARGEST or b._size[1] > LARGEST then too_large(a, b) end
   if a._memory == c._memory then a = T.clone(a) end
   if b._memory == c._memory then b = T.clone(b) end
   if row_major(c) or column_major(c) then return run_gemm(c, beta, alpha, a, b) end
   local ordered = T.clone(c)
   run_gemm(ordered, beta, alpha, a, b)
   T.copy_from(c, T, ordered)
end

local function blas_gemv(y, beta, alpha, a, x)
   if a._size[0] > LARGEST or a._size[1] > LARGEST then too_large(a, x) end
   if a._memory == y._memory then a = T.clone(a) end
   if x._memory == y._memory then x = T.clone(x) end
   a = readable(a)
   if not step_of(x) then x = T.clone(x) end
   local target = step_of(y) and y or T.clone(y)
   -- What was in y must not count, even if it is nan.
   if beta == 0 then
      T.fill(target, 0)
      beta = 1
   end
   local rows, columns, ld = a._size[0], a._size[1], row_major(a)
   alpha_at[0], beta_at[0], incx[0], incy[0] = alpha, beta, step_of(x), step_of(target)
   local matrix, from = a._memory._data + a._offset, x._memory._data + x._offset
   local to = target._memory._data + target._offset
   local work = rows * columns
   local divided = work > DIVIDED_MATRIX
   if divided then threads.begin(gemv_gate, work) end
   if ld then
      m[0], n[0], lda[0] = columns, rows, ld
      gemv(TRANSPOSED, m, n, alpha_at, matrix, lda, from, incx, beta_at, to, incy)
   else
      m[0], n[0], lda[0] = rows, columns, column_major(a)
      gemv(NORMAL, m, n, alpha_at, matrix, lda, from, incx, beta_at, to, incy)
   end
   if divided then threads.finish(gemv_gate, work) end
   alive(a, x, target)
   if target ~= y then T.copy_from(y, T, target) end
end

local function run_ger(c, alpha, x, y)
   if not step_of(x) then x = T.clone(x) end
   if not step_of(y) then y = T.clone(y) end
   local ld = row_major(c)
   alpha_at[0], incx[0], incy[0] = alpha, step_of(x), step_of(y)
   local from_x, from_y, to = x._memory._data + x._offset, y._memory._data + y._offset, c._memory._data + c._offset
   local work = x._size[0] * y._size[0]
   local divided = work > DIVIDED_MATRIX
   if divided then threads.begin(ger_gate, work) end
   if ld then
      m[0], n[0], lda[0] = y._size[0], x._size[0], ld
      ger(m, n, alpha_at, from_y, incy, from_x, incx, to, lda)
   else
      m[0], n[0], lda[0] = x._size[0], y._size[0], column_major(c)
      ger(m, n, alpha_at, from_x, incx, from_y, incy, to, lda)
   end
   if divided then threads.finish(ger_gate, work) end
   alive(x, y, c)
end

local multiply = not T.integer and native.loop('multiply', T, T, T)

-- c = alpha x y' row by row, without reading c.
local function outer(c, alpha, x, y)
   local row, x_step, bytes = c._stride[0], x._stride[0], y._stride[0] * T.size
   local from, factors, to = y._memory._data + y._offset, x._memory._data + x._offset, c._memory._data + c._offset
   local columns, factor = y._size[0], alpha_at
   for i = 0, x._size[0] - 1 do
      factor[0] = alpha * factors[i * x_step]
      multiply(from, bytes, factor, 0, to + i * row, T.size, columns)
   end
   alive(x, y, c)
end

local function blas_ger(c, beta, alpha, x, y)
   if x._size[0] > LARGEST or y._size[0] > LARGEST then too_large(x, y) end
   if x._memory == c._memory then x = T.clone(x) end
   if y._memory == c._memory then y = T.clone(y) end
   if beta == 0 and row_major(c) then return outer(c, alpha, x, y) end
   local target = (row_major(c) or column_major(c)) and c or T.clone(c)
   if beta == 0 then T.fill(target, 0) elseif beta ~= 1 then T.tensor_methods.mul(target, beta) end
   run_ger(target, alpha, x, y)
   if target ~= c then T.copy_from(c, T, target) end
end

local function blas_dot(x, y)
   -- Steps of 0, of expanded vectors, are read too.
   local x_step, y_step = x._stride[0], y._stride[0]
   if x._dim ~= 1 or x_step > LARGEST then
      x, x_step = T.contiguous(x), 1
   end
   if y._dim ~= 1 or y_step > LARGEST then
      y, y_step = T.contiguous(y), 1
   end
   local count, sum, from = count_of(x), 0, 0
   incx[0], incy[0] = x_step, y_step
   local p, q = x._memory._data + x._offset, y._memory._data + y._offset
   local divided = count > DIVIDED_VECTOR
   if divided then threads.begin(dot_gate, count) end
   repeat
      n[0] = count - from > LARGEST and LARGEST or count - from
      sum = sum + dot(n, p + from * x_step, incx, q + from * y_step, incy)
      from = from + n[0]
   until from == count
   if divided then threads.finish(dot_gate, count) end
   alive(x, y)
   return sum
end

-- A vector as a matrix of one column, or of one row.
local function column_of(t)
   local v = T.alias(t)
   v._dim, v._size[1], v._stride[1] = 2, 1, 1
   return v
end

local function row_of(t)
   local v = T.alias(t)
   v._dim, v._size[0], v._size[1], v._stride[0], v._stride[1] = 2, 1, t._size[0], 1, t._stride[0]
   return v
end

-- c = beta c + alpha a b for matrices.
blas.gemm = gemm and blas_gemm or types.specialise('product_loops', T).gemm

-- y = beta y + alpha a x for a matrix and vectors.
blas.gemv = gemv and blas_gemv or function(y, beta, alpha, a, x)
   blas.gemm(column_of(y), beta, alpha, a, column_of(x))
end

-- c = beta c + alpha x y' for vectors.
blas.ger = ger and blas_ger or function(c, beta, alpha, x, y)
   blas.gemm(c, beta, alpha, column_of(x), row_of(y))
end

-- The sum of the products of the elements of two tensors that have some.
blas.dot = dot and blas_dot or types.specialise('product_loops', T).dot

return blas

end
