-- Linear equations, inverses and factorisations by LAPACK. Results are column by column, as Torch7's were.

local require = require
local min, max = math.min, math.max
local ffi = require 'ffi'
local errors, geometry, lapack = require 'torch.errors', require 'torch.geometry', require 'torch.lapack'
local types = require 'torch.types'
local call, int, letter, option, shape = lapack.call, lapack.int, lapack.letter, lapack.option, geometry.shape

local linalg = {}

local Int = types.by_name.Int

-- A matrix of right-hand sides with as many rows as A; a vector counts as one column.
local function right_sides(name, T, b, rows)
   if b._dim == 1 then
      b = T.alias(b)
      b._dim, b._size[1], b._stride[1] = 2, 1, 1
   end
   lapack.check_matrix(name, 1, b)
   if b._size[0] ~= rows then
      errors.argument(name, 1, 'as many rows as the matrix has expected: %.0f, got [%s]', rows, shape(b))
   end
   return b
end

function linalg.inverse(name, T)
   return function(r, a)
      lapack.check_square(name, 1, a)
      local n, lu = a._size[0], lapack.copy(T, a)
      local pivots = ffi.new('int[?]', n)
      local info = call(T, 'getrf', int(n), int(n), lu, int(n), pivots)
      if info > 0 then lapack.singular(name, info) end
      info = lapack.call_with_work(T, 'getri', int(n), lu, int(n), pivots)
      if info > 0 then lapack.singular(name, info) end
      return lapack.give(T, r, lu)
   end
end

-- X and the factors L and U of A, in one matrix, for A X = B.
function linalg.gesv(name, T)
   return function(rb, ra, b, a)
      lapack.check_square(name, 2, a)
      local n = a._size[0]
      b = right_sides(name, T, b, n)
      local x, lu = lapack.copy(T, b), lapack.copy(T, a)
      local info = call(T, 'gesv', int(n), int(b._size[1]), lu, int(n), ffi.new('int[?]', n), x, int(n))
      if info > 0 then lapack.singular(name, info) end
      return lapack.give(T, rb, x), lapack.give(T, ra, lu)
   end
end

-- The least squares solution of A X = B, or the shortest solution; and what is left of A's factorisation.
function linalg.gels(name, T)
   return function(rb, ra, b, a)
      lapack.check_matrix(name, 2, a)
      local m, n = a._size[0], a._size[1]
      b = right_sides(name, T, b, m)
      local rows = max(m, n)
      local x, qr = lapack.copy(T, b, rows), lapack.copy(T, a)
      local info = lapack.call_with_work(T, 'gels', letter 'N', int(m), int(n), int(b._size[1]), qr, int(m), x, int(rows))
      if info > 0 then
         errors.raise('%s: the matrix does not have full rank: diagonal element %d of its factor is 0', name, info)
      end
      if not rb then return T.narrow_view(x, 0, 0, n), lapack.give(T, ra, qr) end
      return lapack.give(T, rb, T.narrow_view(x, 0, 0, n)), lapack.give(T, ra, qr)
   end
end

function linalg.trtrs(name, T)
   return function(rb, ra, b, a, triangle, transposed, diagonal)
      lapack.check_square(name, 2, a)
      triangle = option(name, 3, triangle, 'UL')
      transposed, diagonal = option(name, 4, transposed, 'NT'), option(name, 5, diagonal, 'NU')
      local n = a._size[0]
      b = right_sides(name, T, b, n)
      local x, copy = lapack.copy(T, b), lapack.copy(T, a)
      local info = call(T, 'trtrs', letter(triangle), letter(transposed), letter(diagonal), int(n), int(b._size[1]), copy,
         int(n), x, int(n))
      if info > 0 then
         errors.raise('%s: the triangular matrix is singular: element (%d,%d) is 0', name, info, info)
      end
      return lapack.give(T, rb, x), lapack.give(T, ra, copy)
   end
end

-- Sets one triangle: to 0 with `value` nil, else to the mirror image of the other. 'U' keeps the upper one.
local function complete(a, triangle, mirrored)
   local data, n = a._memory._data + a._offset, a._size[0]
   for j = 0, n - 1 do
      for i = j + 1, n - 1 do
         local upper, lower = j + i * n, i + j * n
         if triangle == 'U' then data[lower] = mirrored and data[upper] or 0
         else data[upper] = mirrored and data[lower] or 0 end
      end
   end
   return a
end

local function not_positive(name, order)
   errors.raise('%s: the matrix is not positive definite: its leading minor of order %d is not', name, order)
end

function linalg.potrf(name, T)
   return function(r, a, triangle)
      lapack.check_square(name, 1, a)
      triangle = option(name, 2, triangle, 'UL')
      local n, factor = a._size[0], lapack.copy(T, a)
      local info = call(T, 'potrf', letter(triangle), int(n), factor, int(n))
      if info > 0 then not_positive(name, info) end
      return lapack.give(T, r, complete(factor, triangle))
   end
end

function linalg.potrs(name, T)
   return function(r, b, factor, triangle)
      lapack.check_square(name, 2, factor)
      triangle = option(name, 3, triangle, 'UL')
      local n = factor._size[0]
      b = right_sides(name, T, b, n)
      local x, copy = lapack.copy(T, b), lapack.copy(T, factor)
      call(T, 'potrs', letter(triangle), int(n), int(b._size[1]), copy, int(n), x, int(n))
      return lapack.give(T, r, x)
   end
end

function linalg.potri(name, T)
   return function(r, factor, triangle)
      lapack.check_square(name, 1, factor)
      triangle = option(name, 2, triangle, 'UL')
      local n, inverse = factor._size[0], lapack.copy(T, factor)
      local info = call(T, 'potri', letter(triangle), int(n), inverse, int(n))
      if info > 0 then errors.raise('%s: the factor is singular: element (%d,%d) is 0', name, info, info) end
      return lapack.give(T, r, complete(inverse, triangle, true))
   end
end

-- The Cholesky factor with pivoting, and the order of the pivots.
function linalg.pstrf(name, T)
   return function(r, order, a, triangle, tolerance)
      lapack.check_square(name, 1, a)
      triangle = option(name, 2, triangle, 'UL')
      local n, factor = a._size[0], lapack.copy(T, a)
      local pivots = Int.new_vector(n)
      local rank = int(0)
      local info = call(T, 'pstrf', letter(triangle), int(n), factor, int(n), pivots, rank,
         ffi.new(T.c .. '[1]', tolerance), ffi.new(T.c .. '[?]', 2 * n))
      if info > 0 then
         errors.raise('%s: the matrix is not positive definite, or of rank %d only', name, rank[0])
      end
      return lapack.give(T, r, complete(factor, triangle)), lapack.give_plain(Int, order, pivots)
   end
end

-- Eigenvalues in ascending order and, with 'V', eigenvectors of a symmetric matrix; zeros stand for vectors that were
-- not asked for.
function linalg.symeig(name, T)
   return function(re, rv, a, wanted, triangle)
      lapack.check_square(name, 1, a)
      wanted, triangle = option(name, 2, wanted, 'NV'), option(name, 3, triangle, 'UL')
      local n, vectors, values = a._size[0], lapack.copy(T, a), T.new_vector(a._size[0])
      local info = lapack.call_with_work(T, 'syev', letter(wanted), letter(triangle), int(n), vectors, int(n), values)
      if info > 0 then errors.raise('%s: %d off-diagonal elements did not converge to 0', name, info) end
      if wanted == 'N' then T.fill(vectors, 0) end
      return lapack.give_plain(T, re, values), lapack.give(T, rv, vectors)
   end
end

-- Eigenvalues, a row of real and imaginary part each, and eigenvectors with 'V'; a pair of complex vectors is in two
-- columns, the real and the imaginary part.
function linalg.eig(name, T)
   return function(re, rv, a, wanted)
      lapack.check_square(name, 1, a)
      wanted = option(name, 2, wanted, 'NV')
      local n, copy = a._size[0], lapack.copy(T, a)
      local parts = lapack.new_matrix(T, n, 2)
      local vectors = wanted == 'V' and lapack.new_matrix(T, n, n) or nil
      local nowhere = ffi.new(T.c .. '[1]')
      local info = lapack.call_with_work(T, 'geev', letter 'N', letter(wanted), int(n), copy, int(n),
         T.select_view(parts, 1, 0), T.select_view(parts, 1, 1), nowhere, int(1), vectors or nowhere,
         int(vectors and n or 1))
      if info > 0 then errors.raise('%s: the first %d eigenvalues were not found', name, info) end
      local e = lapack.give_plain(T, re, parts)
      if not vectors then return e, rv or T.new_tensor() end
      return e, lapack.give(T, rv, vectors)
   end
end

-- U, the singular values in descending order, and V; with 'A' all columns of U and V.
function linalg.svd(name, T)
   return function(ru, rs, rv, a, columns)
      lapack.check_matrix(name, 1, a)
      columns = option(name, 2, columns, 'SA')
      local m, n = a._size[0], a._size[1]
      local k = min(m, n)
      local width, height = columns == 'A' and m or k, columns == 'A' and n or k
      local u, s, vt = lapack.new_matrix(T, m, width), T.new_vector(k), lapack.new_matrix(T, height, n)
      local info = lapack.call_with_work(T, 'gesvd', letter(columns), letter(columns), int(m), int(n),
         lapack.copy(T, a), int(m), s, u, int(m), vt, int(height))
      if info > 0 then errors.raise('%s: %d superdiagonals did not converge to 0', name, info) end
      return lapack.give(T, ru, u), lapack.give_plain(T, rs, s), lapack.give_plain(T, rv, T.swapped(vt, 0, 1))
   end
end

local function factorise(T, a)
   local m, n = a._size[0], a._size[1]
   local qr, tau = lapack.copy(T, a), T.new_vector(min(m, n))
   lapack.call_with_work(T, 'geqrf', int(m), int(n), qr, int(m), tau)
   return qr, tau
end

-- The reflectors of the factorisation A = QR, below R, and their factors.
function linalg.geqrf(name, T)
   return function(ra, rtau, a)
      lapack.check_matrix(name, 1, a)
      local qr, tau = factorise(T, a)
      return lapack.give(T, ra, qr), lapack.give_plain(T, rtau, tau)
   end
end

-- The first columns of Q into `q`, which holds the reflectors.
local function unfold(T, q, tau)
   local m, k = q._size[0], tau._size[0]
   lapack.call_with_work(T, 'orgqr', int(m), int(min(m, q._size[1])), int(k), q, int(m), tau)
   return q
end

-- The first k rows of the upper triangle of a matrix.
local function upper_rows(T, q, k)
   local r = T.new_vector(k * q._size[1])
   T.resize_to(r, { k, q._size[1] })
   T.copy_from(r, T, T.narrow_view(q, 0, 0, k))
   for i = 1, k - 1 do T.fill(T.narrow_view(T.narrow_view(r, 0, i, 1), 1, 0, i), 0) end
   return r
end

function linalg.qr(name, T)
   return function(rq, rr, a)
      lapack.check_matrix(name, 1, a)
      local q, tau = factorise(T, a)
      local k = min(a._size[0], a._size[1])
      local r = upper_rows(T, q, k)
      q = unfold(T, T.narrow_view(q, 1, 0, k), tau)
      return lapack.give(T, rq, lapack.copy(T, q)), lapack.give_plain(T, rr, r)
   end
end

local function check_reflectors(name, a, tau)
   lapack.check_matrix(name, 1, a)
   if tau._dim ~= 1 or tau._size[0] > min(a._size[0], a._size[1]) then
      errors.argument(name, 2, 'vector of at most %.0f factors expected, got [%s]', min(a._size[0], a._size[1]), shape(tau))
   end
end

function linalg.orgqr(name, T)
   return function(r, a, tau)
      check_reflectors(name, a, tau)
      return lapack.give(T, r, unfold(T, lapack.copy(T, a), T.contiguous(tau)))
   end
end

-- The product of Q, transposed with 'T', and C; with 'R' that of C and Q.
function linalg.ormqr(name, T)
   return function(r, a, tau, c, side, transposed)
      check_reflectors(name, a, tau)
      lapack.check_matrix(name, 3, c)
      side, transposed = option(name, 4, side, 'LR'), option(name, 5, transposed, 'NT')
      local m, n, rows = c._size[0], c._size[1], a._size[0]
      if rows ~= (side == 'L' and m or n) then
         errors.raise('%s: size mismatch: Q of [%s] cannot be applied to [%s] from side %s', name, shape(a), shape(c), side)
      end
      local product = lapack.copy(T, c)
      lapack.call_with_work(T, 'ormqr', letter(side), letter(transposed), int(m), int(n), int(tau._size[0]),
         lapack.copy(T, a), int(rows), T.contiguous(tau), product, int(m))
      return lapack.give(T, r, product)
   end
end

return linalg
