-- Linear equations, inverses and Cholesky factors by LAPACK. Results are column by column, as Torch7's were.

local ffi = require 'ffi'
local element = require 'torch.loops.element'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local lapack, lu_factors = require 'torch.linalg.lapack', require 'torch.linalg.lu_factors'
local tuning = require 'torch.loops.tuning'
local types = require 'torch.base.types'
local call, options, shape = lapack.call, lapack.options, geometry.shape

local systems = {}

local Int = types.by_name.Int

-- A matrix of right-hand sides with as many rows as A; a vector counts as one column.
local function right_sides(name, T, b, rows)
   if b._dim == 1 then
      b = T.alias(b)
      b._dim, b._size[1], b._stride[1] = 2, 1, 1
   end
   lapack.check_matrix(name, 1, b)
   if b._size[0] ~= rows then
      errors.argument(name, 1, 'must have %.0f rows, as the matrix has (got [%s])', rows, shape(b))
   end
   return b
end

-- Minimum order at which work is shared: getri and gesv use one core.
local SHARED = tuning.SOLVE_MIN

function systems.inverse(name, T)
   local invert
   return function(r, a)
      lapack.check_square(name, 1, a)
      local n, lu = a._size[0], lapack.copy(T, a)
      local pivots = ffi.new('int[?]', n)
      local info = call(T, 'getrf', n, n, lu, n, pivots)
      if info > 0 then lapack.singular(name, info) end
      if n >= SHARED and invert == nil then invert = lu_factors.inverter(T) or false end
      if n >= SHARED and invert then return lapack.give(T, r, invert(lu, pivots), a) end
      info = lapack.call_with_work(T, 'getri', n, lu, n, pivots)
      if info > 0 then lapack.singular(name, info) end
      return lapack.give(T, r, lu, a)
   end
end

-- X and the factors L and U of A, in one matrix, for A X = B.
function systems.gesv(name, T)
   local solve
   return function(rb, ra, b, a)
      lapack.check_square(name, 2, a)
      local n = a._size[0]
      b = right_sides(name, T, b, n)
      local x, lu = lapack.copy(T, b), lapack.copy(T, a)
      local pivots = ffi.new('int[?]', n)
      local info
      if n >= SHARED and solve == nil then solve = lu_factors.solver(T) or false end
      if n >= SHARED and solve then
         info = call(T, 'getrf', n, n, lu, n, pivots)
         if info == 0 then solve(lu, pivots, x) end
      else
         info = call(T, 'gesv', n, x._size[1], lu, n, pivots, x, n)
      end
      if info > 0 then lapack.singular(name, info) end
      return lapack.give(T, rb, x, b), lapack.give(T, ra, lu, a)
   end
end

-- The least squares solution of A X = B, or the shortest solution; and the factors of A.
function systems.gels(name, T)
   return function(rb, ra, b, a)
      lapack.check_matrix(name, 2, a)
      local m, n = a._size[0], a._size[1]
      b = right_sides(name, T, b, m)
      local rows = math.max(m, n)
      local x, qr = lapack.copy(T, b, rows), lapack.copy(T, a)
      local info = lapack.call_with_work(T, 'gels', 'N', m, n, b._size[1], qr, m, x, rows)
      if info > 0 then
         errors.raise('%s: the matrix does not have full rank: diagonal element %d of its factor is 0', name, info)
      end
      ra = lapack.give(T, ra, qr, a)
      local solution = T.narrow_view(x, 0, 0, n)
      if rawequal(rb, b) then return lapack.give_plain(T, rb, solution), ra end
      if not rb then return solution, ra end
      -- The solution is the beginning of the columns, which are as long as those of the longer of the two.
      lapack.give(T, rb, x)
      rb._size[0], rb._layout = n, 0
      return rb, ra
   end
end

function systems.trtrs(name, T)
   return function(rb, ra, b, a, triangle, transposed, diagonal)
      lapack.check_square(name, 2, a)
      triangle, transposed, diagonal = options(name, 3, { 'UL', 'NT', 'NU' }, triangle, transposed, diagonal)
      local n = a._size[0]
      b = right_sides(name, T, b, n)
      local x, copy = lapack.copy(T, b), lapack.copy(T, a)
      local info = call(T, 'trtrs', triangle, transposed, diagonal, n, b._size[1], copy, n, x, n)
      if info > 0 then
         errors.raise('%s: the triangular matrix is singular: element (%d,%d) is 0', name, info, info)
      end
      return lapack.give(T, rb, x, b), lapack.give(T, ra, copy, a)
   end
end

-- Sets one triangle: to 0 with `value` nil, else to the mirror image of the other. 'U' keeps the upper one.
local function complete(T, a, triangle, mirrored)
   local bits, settle = element.mover(T)
   local data, n = bits(a._memory._data + a._offset), a._size[0]
   for j = 0, n - 1 do
      for i = j + 1, n - 1 do
         local upper, lower = j + i * n, i + j * n
         if triangle == 'U' then data[lower] = mirrored and data[upper] or 0
         else data[upper] = mirrored and data[lower] or 0 end
      end
   end
   settle(data)
   return a
end

-- A routine that overwrites a triangle of a matrix, see `complete`; `message` is its error, which begins with its name.
local function of_triangle(routine, mirrored, message)
   return function(name, T)
      return function(r, a, triangle)
         lapack.check_square(name, 1, a)
         triangle = options(name, 2, { 'UL' }, triangle)
         local n, made = a._size[0], lapack.copy(T, a)
         local info = call(T, routine, triangle, n, made, n)
         if info > 0 then errors.raise(message, name, info, info) end
         return lapack.give(T, r, complete(T, made, triangle, mirrored), a)
      end
   end
end

systems.potrf = of_triangle('potrf', false,
   '%s: the matrix is not positive definite: its leading minor of order %d is not')
systems.potri = of_triangle('potri', true, '%s: the factor is singular: element (%d,%d) is 0')

function systems.potrs(name, T)
   return function(r, b, factor, triangle)
      lapack.check_square(name, 2, factor)
      triangle = options(name, 3, { 'UL' }, triangle)
      local n = factor._size[0]
      b = right_sides(name, T, b, n)
      local x, copy = lapack.copy(T, b), lapack.copy(T, factor)
      call(T, 'potrs', triangle, n, b._size[1], copy, n, x, n)
      return lapack.give(T, r, x, b)
   end
end

-- The Cholesky factor with pivoting, and the order of the pivots.
function systems.pstrf(name, T)
   return function(r, order, a, triangle, tolerance)
      lapack.check_square(name, 1, a)
      triangle = options(name, 2, { 'UL' }, triangle)
      local n, factor = a._size[0], lapack.copy(T, a)
      local pivots = Int.new_vector(n)
      local rank = ffi.new 'int[1]'
      local info = call(T, 'pstrf', triangle, n, factor, n, pivots, rank,
         ffi.new(T.c .. '[1]', tolerance), ffi.new(T.c .. '[?]', 2 * n))
      if info > 0 then
         errors.raise('%s: the matrix is not positive definite, or of rank %d only', name, rank[0])
      end
      return lapack.give(T, r, complete(T, factor, triangle), a), lapack.give_plain(Int, order, pivots)
   end
end

return systems
