-- Solving and inverting by the factors L and U of getrf, on all cores. Each column has the same bits in any chunk.

local ffi = require 'ffi'
local buffers = require 'torch.memory.buffers'
local alive = buffers.alive
local lapack, native = require 'torch.linalg.lapack', require 'torch.native.native'
local blas_chunks, parallel_for = require 'torch.linalg.blas_chunks', require 'torch.parallel.parallel_for'
local tuning = require 'torch.base.tuning'
local cast = ffi.cast
local int_ct = ffi.typeof 'int[1]'
local byte_p = ffi.typeof 'char *'

local lu_factors = {}

-- Nanoseconds for a multiplication.
local WORK = { Double = 0.1, Float = 0.05 }
-- The least columns, or rows, of a chunk: BLAS packs the whole triangle again for each chunk.
local COLUMNS = tuning.SOLVE_PART

local share_solve = parallel_for.kind('torch.linalg.blas_chunks', 'solve')
local share_upper = parallel_for.kind('torch.linalg.blas_chunks', 'upper')
local share_lower = parallel_for.kind('torch.linalg.blas_chunks', 'lower')
local p = native.buffer('t7_product', 1)[0]

local function start_of(t) return (cast(byte_p, buffers.start(t))) end

-- Sets p to work on matrix x of n rows by factors of order n; `step` is the distance of columns, or rows, in bytes.
local function prepare(T, factors, x, n, trsm, step)
   cast(T.pointer_ct, p.scales)[0] = 1
   p.fn, p.args[0], p.args[1], p.steps[1], p.sizes[0] = trsm, start_of(factors), start_of(x), step, n
end

-- A function that solves A X = B for the columns in x, given A's factors and pivots; nil without a routine.
function lu_factors.solver(T)
   local trsm = native.routine('blas', T, 'trsm', blas_chunks.trsm_t)
   local laswp = native.routine('lapack', T, 'laswp', blas_chunks.laswp_t)
   return trsm and laswp and function(factors, pivots, x)
      local n, columns = x._size[0], x._size[1]
      prepare(T, factors, x, n, trsm, T.size * n)
      p.data, p.args[2] = laswp, cast(byte_p, pivots)
      share_solve(columns, COLUMNS, WORK[T.name] * n * n * columns, p)
      alive(factors, pivots, x)
   end
end

-- A function that gives the inverse of A from its factors and pivots; nil without a routine.
function lu_factors.inverter(T)
   local trsm = native.routine('blas', T, 'trsm', blas_chunks.trsm_t)
   local swap = native.routine('blas', T, 'swap', 'void (*)(int *, void *, int *, void *, int *)')
   return trsm and swap and function(factors, pivots)
      local n = factors._size[0]
      local x, one, count = T.fill(lapack.new_matrix(T, n, n), 0), int_ct(1), int_ct(n)
      local data, work = x._memory._data + x._offset, WORK[T.name] * n * n * n
      for k = 0, n - 1 do data[k * (n + 1)] = 1 end
      prepare(T, factors, x, n, trsm, T.size * n)
      share_upper(n, COLUMNS, work / 6, p)
      p.steps[1] = T.size
      share_lower(n, COLUMNS, work / 2, p)
      for k = n - 2, 0, -1 do
         local other = pivots[k] - 1
         if other ~= k then swap(count, data + k * n, one, data + other * n, one) end
      end
      alive(factors, pivots, x)
      return x
   end
end

return lu_factors
