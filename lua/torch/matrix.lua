-- Products of vectors and matrices: BLAS by pointer for Float and Double, loops for integers.

local require = require
local ffi = require 'ffi'
local errors, geometry, native = require 'torch.errors', require 'torch.geometry', require 'torch.native'
local memory = require 'torch.memory'
local count_of, shape = geometry.count, geometry.shape

local matrix = {}

local gemm_t = [[void (*)(char *, char *, int *, int *, int *, $ *, $ *, int *, $ *, int *, $ *, $ *, int *)]]
local dot_t = [[$ (*)(int *, $ *, int *, $ *, int *)]]

local function routine(T, name, declaration)
   local letter = T.name == 'Double' and 'd' or 's'
   return native.routine('blas', letter .. name, (declaration:gsub('%$', T.c)))
end

-- How BLAS may read a matrix: 'N' with its leading dimension when rows are contiguous, 'T' when columns are;
-- nil when it cannot.
local function layout(t)
   local rows, columns, row, column = t._size[0], t._size[1], t._stride[0], t._stride[1]
   if (column == 1 or columns == 1) and (row >= columns or rows == 1) and row > 0 then
      return 'N', rows == 1 and columns or row
   end
   if (row == 1 or rows == 1) and (column >= rows or columns == 1) and column > 0 then
      return 'T', columns == 1 and rows or column
   end
end

local letters = { N = ffi.new('char[1]', 78), T = ffi.new('char[1]', 84) }

-- gemm(c, beta, alpha, a, b): c = beta c + alpha a b; sizes are checked by the caller.
local gemms = {}

local function blas_gemm(T)
   local gemm = routine(T, 'gemm', gemm_t)
   local m, n, k = ffi.new 'int[1]', ffi.new 'int[1]', ffi.new 'int[1]'
   local lda, ldb, ldc = ffi.new 'int[1]', ffi.new 'int[1]', ffi.new 'int[1]'
   local alpha_at, beta_at = ffi.new(T.c .. '[1]'), ffi.new(T.c .. '[1]')
   local function run(c, beta, alpha, a, b)
      local how_a, ld_a = layout(a)
      if not how_a then
         a = T.clone(a)
         how_a, ld_a = layout(a)
      end
      local how_b, ld_b = layout(b)
      if not how_b then
         b = T.clone(b)
         how_b, ld_b = layout(b)
      end
      local how_c, ld_c = layout(c)
      -- BLAS is column-major: a row-major c is the transposed product of the transposed operands.
      m[0], n[0], k[0] = c._size[1], c._size[0], a._size[1]
      lda[0], ldb[0], ldc[0], alpha_at[0], beta_at[0] = ld_a, ld_b, ld_c, alpha, beta
      local x, y, z = a._memory._data + a._offset, b._memory._data + b._offset, c._memory._data + c._offset
      if how_c == 'N' then
         gemm(letters[how_b], letters[how_a], m, n, k, alpha_at, y, ldb, x, lda, beta_at, z, ldc)
      else
         m[0], n[0] = c._size[0], c._size[1]
         gemm(letters[how_a == 'N' and 'T' or 'N'], letters[how_b == 'N' and 'T' or 'N'], m, n, k, alpha_at, x, lda, y, ldb,
            beta_at, z, ldc)
      end
      memory.alive(a, b, c)
   end
   return function(c, beta, alpha, a, b)
      if T.shares(c, a) then a = T.clone(a) end
      if T.shares(c, b) then b = T.clone(b) end
      if layout(c) then return run(c, beta, alpha, a, b) end
      local ordered = T.clone(c)
      run(ordered, beta, alpha, a, b)
      T.copy_from(c, T, ordered)
   end
end

local function loop_gemm(T)
   return function(c, beta, alpha, a, b)
      a, b = T.clone(a), T.clone(b)
      local rows, inner, columns = a._size[0], a._size[1], b._size[1]
      local x, y, z = a._memory._data, b._memory._data, c._memory._data + c._offset
      local row, column = c._stride[0], c._stride[1]
      local zero = ffi.new(T.c .. '[1]')
      local scale = ffi.new(T.c .. '[2]', alpha, beta)
      for i = 0, rows - 1 do
         for j = 0, columns - 1 do
            local sum = zero[0]
            for l = 0, inner - 1 do sum = sum + x[i * inner + l] * y[l * columns + j] end
            z[i * row + j * column] = scale[1] * z[i * row + j * column] + scale[0] * sum
         end
      end
   end
end

function matrix.gemm(T)
   if not gemms[T] then gemms[T] = T.integer and loop_gemm(T) or blas_gemm(T) end
   return gemms[T]
end

local function check_matrix(name, n, t)
   if t._dim ~= 2 then errors.argument(name, n, 'matrix expected, got %.0fD tensor [%s]', t._dim, shape(t)) end
end

local function as_matrix(T, t)
   local v = T.alias(t)
   v._dim, v._size[1], v._stride[1] = 2, 1, 1
   return v
end

local function result_of(name, T, r, rows, columns)
   if not r then return T.resize_to(T.new_tensor(), columns and { rows, columns } or { rows }) end
   local fits = r._size[0] == rows and (not columns or r._size[1] == columns)
   if r._dim ~= (columns and 2 or 1) or not fits then
      errors.argument(name, 1, 'result of size [%s] expected, got [%s]', columns and rows .. 'x' .. columns or rows, shape(r))
   end
   return r
end

function matrix.mm(name, T)
   return function(r, a, b)
      check_matrix(name, 1, a)
      check_matrix(name, 2, b)
      if a._size[1] ~= b._size[0] then
         errors.raise('%s: size mismatch: [%s] times [%s]', name, shape(a), shape(b))
      end
      r = result_of(name, T, r, a._size[0], b._size[1])
      matrix.gemm(T)(r, 0, 1, a, b)
      return r
   end
end

function matrix.mv(name, T)
   return function(r, a, x)
      check_matrix(name, 1, a)
      if x._dim ~= 1 then errors.argument(name, 2, 'vector expected, got %.0fD tensor [%s]', x._dim, shape(x)) end
      if a._size[1] ~= x._size[0] then
         errors.raise('%s: size mismatch: [%s] times [%s]', name, shape(a), shape(x))
      end
      r = result_of(name, T, r, a._size[0])
      matrix.gemm(T)(as_matrix(T, r), 0, 1, a, as_matrix(T, x))
      return r
   end
end

function matrix.dot(name, T)
   local dot = not T.integer and routine(T, 'dot', dot_t)
   local n, one = ffi.new 'int[1]', ffi.new('int[1]', 1)
   local cmul
   return function(x, y)
      if count_of(x) ~= count_of(y) then
         errors.raise('%s: inconsistent tensor sizes: [%s] and [%s]', name, shape(x), shape(y))
      end
      if x._dim == 0 then return 0 end
      if not dot or count_of(x) >= 2 ^ 31 then
         cmul = cmul or T.tensor_methods.cmul
         return cmul(T.new_tensor(), x, y):sum()
      end
      x, y = T.contiguous(x), T.contiguous(y)
      n[0] = count_of(x)
      local result = dot(n, x._memory._data + x._offset, one, y._memory._data + y._offset, one)
      memory.alive(x, y)
      return result
   end
end

return matrix
