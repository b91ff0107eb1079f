-- Eigenvalues, singular values and QR factors by LAPACK, column-major as in Torch7:
-- docs/decisions/0012-decompositions.md.

local ffi = require 'ffi'
local element = require 'torch.loops.element'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local lapack = require 'torch.linalg.lapack'
local options, shape = lapack.options, geometry.shape

local decompositions = {}

-- Larger matrices use divide and conquer, five times as fast as Torch7's routines; vectors may have other signs.
local LARGE = 112

local integers_ct = ffi.typeof 'int[?]'

local function find_eigen(name, T, a, wanted, triangle)
   local n, info = a._size[0]
   local values = T.new_vector(n)
   if n < LARGE or wanted == 'N' then
      info = lapack.call_with_work(T, 'syev', wanted, triangle, n, a, n, values)
   else
      local length, integers = 1 + 6 * n + 2 * n * n, 3 + 5 * n
      info = lapack.call(T, 'syevd', wanted, triangle, n, a, n, values, T.new_vector(length), length,
         integers_ct(integers), integers)
   end
   if info > 0 then errors.raise('%s: %d off-diagonal elements did not converge to 0', name, info) end
   if wanted == 'N' then T.fill(a, 0) end
   return a, values
end

-- Eigenvalues in ascending order and, with 'V', eigenvectors of a symmetric matrix, else zeros for these.
function decompositions.symeig(name, T)
   return function(re, rv, a, wanted, triangle)
      lapack.check_square(name, 1, a)
      wanted, triangle = options(name, 2, { 'NV', 'UL' }, wanted, triangle)
      local copy = lapack.copy(T, a)
      local vectors, values = find_eigen(name, T, copy, wanted, triangle)
      return lapack.give_plain(T, re, values), lapack.give(T, rv, vectors, a)
   end
end

local getters = {}

local function check_finite(name, T, a)
   getters[T] = getters[T] or element.getter(T)
   local get = getters[T]
   local data = a._memory._data + a._offset
   for i = 0, a._size[0] * a._size[1] - 1 do
      local value = get(data, i)
      if value - value ~= 0 then errors.argument(name, 1, 'must hold finite numbers (got %g)', value) end
   end
end

-- Eigenvalues as rows of real and imaginary parts, and eigenvectors with 'V', complex ones as pairs of columns.
function decompositions.eig(name, T)
   return function(re, rv, a, wanted)
      lapack.check_square(name, 1, a)
      wanted = options(name, 2, { 'NV' }, wanted)
      local n, copy = a._size[0], lapack.copy(T, a)
      check_finite(name, T, copy)
      local parts = lapack.new_matrix(T, n, 2)
      local vectors = wanted == 'V' and lapack.new_matrix(T, n, n) or nil
      local nowhere = ffi.new(T.c .. '[1]')
      local info = lapack.call_with_work(T, 'geev', 'N', wanted, n, copy, n, T.select_view(parts, 1, 0),
         T.select_view(parts, 1, 1), nowhere, 1, vectors or nowhere, vectors and n or 1)
      if info > 0 then errors.raise('%s: the first %d eigenvalues were not found', name, info) end
      local e = lapack.give_plain(T, re, parts)
      if not vectors then return e, rv or T.new_tensor() end
      return e, lapack.give(T, rv, vectors)
   end
end

local function find_singular(name, T, a, columns, width, height)
   local m, n = a._size[0], a._size[1]
   local k = math.min(m, n)
   local info
   local u, s, vt = lapack.new_matrix(T, m, width), T.new_vector(k), lapack.new_matrix(T, height, n)
   if k < LARGE then
      info = lapack.call_with_work(T, 'gesvd', columns, columns, m, n, a, m, s, u, m, vt, height)
   else
      local size, integers = T.new_vector(1), integers_ct(8 * k)
      local function divided(work, length)
         return lapack.call(T, 'gesdd', columns, m, n, a, m, s, u, m, vt, height, work, length, integers)
      end
      divided(size, -1)
      -- The length was returned as an element, which Floats round.
      local length = math.ceil(size._memory._data[0] * (1 + 2 ^ -22))
      info = divided(T.new_vector(length), length)
   end
   if info > 0 then errors.raise('%s: %d superdiagonals did not converge to 0', name, info) end
   return u, s, vt
end

-- U, the singular values in descending order, and V; with 'A' all columns of U and V.
function decompositions.svd(name, T)
   return function(ru, rs, rv, a, columns)
      lapack.check_matrix(name, 1, a)
      columns = options(name, 2, { 'SA' }, columns)
      local m, n = a._size[0], a._size[1]
      local k = math.min(m, n)
      local width, height = columns == 'A' and m or k, columns == 'A' and n or k
      local copy = lapack.copy(T, a)
      -- LAPACK loops forever on NaN.
      check_finite(name, T, copy)
      local u, s, vt = find_singular(name, T, copy, columns, width, height)
      return lapack.give(T, ru, u), lapack.give_plain(T, rs, s), lapack.give_plain(T, rv, T.swapped(vt, 0, 1))
   end
end

local function factorise(T, a)
   local m, n = a._size[0], a._size[1]
   local qr, tau = lapack.copy(T, a), T.new_vector(math.min(m, n))
   lapack.call_with_work(T, 'geqrf', m, n, qr, m, tau)
   return qr, tau
end

-- The reflectors of the factorisation A = QR, below R, and their factors.
function decompositions.geqrf(name, T)
   return function(ra, rtau, a)
      lapack.check_matrix(name, 1, a)
      local qr, tau = factorise(T, a)
      return lapack.give(T, ra, qr, a), lapack.give_plain(T, rtau, tau)
   end
end

-- The first columns of Q into `q`, which holds the reflectors.
local function unfold(T, q, tau)
   local m, k = q._size[0], tau._size[0]
   lapack.call_with_work(T, 'orgqr', m, math.min(m, q._size[1]), k, q, m, tau)
   return q
end

local function upper_rows(T, q, k)
   local r = T.new_vector(k * q._size[1])
   T.resize_to(r, { k, q._size[1] })
   T.copy_from(r, T, T.narrow_view(q, 0, 0, k))
   for i = 1, k - 1 do T.fill(T.narrow_view(T.narrow_view(r, 0, i, 1), 1, 0, i), 0) end
   return r
end

function decompositions.qr(name, T)
   return function(rq, rr, a)
      lapack.check_matrix(name, 1, a)
      local q, tau = factorise(T, a)
      local k = math.min(a._size[0], a._size[1])
      local r = upper_rows(T, q, k)
      q = unfold(T, T.narrow_view(q, 1, 0, k), tau)
      return lapack.give(T, rq, lapack.copy(T, q)), lapack.give_plain(T, rr, r)
   end
end

local function check_reflectors(name, a, tau)
   lapack.check_matrix(name, 1, a)
   local max_factors = math.min(a._size[0], a._size[1])
   if tau._dim ~= 1 or tau._size[0] > max_factors then
      errors.argument(name, 2, 'must be a vector of at most %.0f factors (got [%s])', max_factors, shape(tau))
   end
end

function decompositions.orgqr(name, T)
   return function(r, a, tau)
      check_reflectors(name, a, tau)
      return lapack.give(T, r, unfold(T, lapack.copy(T, a), T.contiguous(tau)), a)
   end
end

-- The product of Q, transposed with 'T', and C; with 'R' that of C and Q.
function decompositions.ormqr(name, T)
   return function(r, a, tau, c, side, transposed)
      check_reflectors(name, a, tau)
      lapack.check_matrix(name, 3, c)
      side, transposed = options(name, 4, { 'LR', 'NT' }, side, transposed)
      local m, n, rows = c._size[0], c._size[1], a._size[0]
      if rows ~= (side == 'L' and m or n) then
         errors.raise('%s: size mismatch: Q of [%s] cannot be applied to [%s] from side %s', name, shape(a), shape(c),
            side)
      end
      local product = lapack.copy(T, c)
      lapack.call_with_work(T, 'ormqr', side, transposed, m, n, tau._size[0], lapack.copy(T, a), rows,
         T.contiguous(tau), product, m)
      return lapack.give(T, r, product, c)
   end
end

return decompositions
