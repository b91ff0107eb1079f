-- Products of matrices of one element type, for the main state and workers: gemm(fn, code, ...), by our machine code
-- (packed_run.lua) or by BLAS. With 512-bit vectors, OpenBLAS has kernels for products of at most 10^6 multiplications
-- that do not copy their operands and come closer to peak performance; `small` of the code is 1 there. Larger products
-- are then computed in tiles of that size, as long as the operands fit the cache. See
-- docs/decisions/0017-unfolding-by-runs.md and 0030-products.md.

return function(T)

local ceil, floor = math.ceil, math.floor
local ffi = require 'ffi'
local suits = require('torch.linalg.packed_gemm').suits
local run = require('torch.jit.loader').load 'torch.linalg.packed_run'(T)
local cast, byte_p = ffi.cast, ffi.typeof 'char *'

local NORMAL, TRANSPOSED = 78, 84

-- Most multiplications, rows and inner elements of a tile; most elements of operands that fit the cache.
local SMALL, ROWS, INNER, CACHED = 1e6, 64, 192, 2 ^ 21 / T.size * 4

local letters, sizes, scales = ffi.new 'char[2]', ffi.new 'int[6]', ffi.new(T.c .. '[2]')

-- Row-major c[m x n] = beta c + alpha op(a) op(b), inner size k. BLAS sees the transposed product.
local function whole(fn, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
   letters[0], letters[1] = tb and TRANSPOSED or NORMAL, ta and TRANSPOSED or NORMAL
   sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5] = n, m, k, ldb, lda, ldc
   scales[0], scales[1] = alpha, beta
   fn(letters, letters + 1, sizes, sizes + 1, sizes + 2, scales, b, sizes + 3, a, sizes + 4, scales + 1, c, sizes + 5)
end

-- The size of nearly equal parts of n, each of at most `most`.
local function even(n, most) return ceil(n / ceil(n / most)) end

-- A product whose b is not transposed, by tiles of c.
local function tiled(fn, ta, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
   local rows, inner = even(m, ROWS), even(k, INNER)
   local columns = floor(SMALL / (rows * inner) / 16) * 16
   if columns > n then columns = n end
   for j = 0, n - 1, columns do
      local nj = n - j < columns and n - j or columns
      for i = 0, m - 1, rows do
         local mi, to = m - i < rows and m - i or rows, c + (i * ldc + j)
         for l = 0, k - 1, inner do
            local kl = k - l < inner and k - l or inner
            whole(fn, ta, false, mi, nj, kl, alpha, ta and a + (l * lda + i) or a + (i * lda + l), lda,
               b + (l * ldb + j), ldb, l == 0 and beta or 1, to, ldc)
         end
      end
   end
end

return function(fn, code, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
   if (beta == 0 or beta == 1) and suits(code, m, n, k) then
      return run(code, ta, tb, m, n, k, alpha, cast(byte_p, a), lda, cast(byte_p, b), ldb, beta == 1, cast(byte_p, c),
         ldc)
   end
   if code.small == 0 or tb or m * n * k <= SMALL or (m + n) * k > CACHED then
      whole(fn, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
   else
      tiled(fn, ta, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
   end
end
end
