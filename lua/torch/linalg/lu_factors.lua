-- Solving and inverting by the factors L and U of getrf, on all cores. Each column has the same bits in any part.

local ffi = require 'ffi'
local buffers, lapack = require 'torch.memory.buffers', require 'torch.linalg.lapack'
local kernels, native = require 'torch.native.kernels', require 'torch.native.native'
local keep_alive, start = buffers.keep_alive, buffers.start
local int_ct = ffi.typeof 'int[1]'

local lu_factors = {}

-- Nanoseconds for a multiplication.
local WORK = { Double = 0.1, Float = 0.05 }

-- The library and the routines of a type; nil if SciPy does not have them.
local function routines_of(T)
   local lib = kernels 'linalg/lu'
   local trsm, laswp = native.routine('blas', T, 'trsm'), native.routine('lapack', T, 'laswp')
   if trsm and laswp then return lib, ffi.new('t7_lu_routines', trsm, laswp, T.size) end
end

-- A function that solves A X = B for the columns in x, given A's factors and pivots; nil without a routine.
function lu_factors.solver(T)
   local lib, routines = routines_of(T)
   return lib and function(factors, pivots, x)
      local n, columns = x._size[0], x._size[1]
      lib.t7_lu_solve(routines, n, start(factors), pivots, start(x), columns, WORK[T.name] * n * n * columns)
      keep_alive(factors, pivots, x)
   end
end

-- A function that gives the inverse of A from its factors and pivots; nil without a routine.
function lu_factors.inverter(T)
   local lib, routines = routines_of(T)
   local swap = native.routine('blas', T, 'swap', 'void (*)(int *, void *, int *, void *, int *)')
   return lib and swap and function(factors, pivots)
      local n = factors._size[0]
      local x, one, count = T.fill(lapack.new_matrix(T, n, n), 0), int_ct(1), int_ct(n)
      local data = start(x)
      for k = 0, n - 1 do data[k * (n + 1)] = 1 end
      lib.t7_lu_invert(routines, n, start(factors), data, WORK[T.name] * n * n * n * 2 / 3)
      for k = n - 2, 0, -1 do
         local other = pivots[k] - 1
         if other ~= k then swap(count, data + k * n, one, data + other * n, one) end
      end
      keep_alive(factors, pivots, x)
      return x
   end
end

return lu_factors
