-- Products of row-major matrices of one element type, for the main state and workers, which find the compiled kernel by
-- its address: gemm(fn, ta, tb, ...) is c[m x n] = beta c + alpha op(a) op(b), inner size k.

return function(T)

local ffi = require 'ffi'
local gemm_t = ffi.typeof((([[void (*)(int64_t, int64_t, int64_t, double, const $ *, int64_t, int64_t, const $ *,
   int64_t, int64_t, double, $ *, int64_t)]]):gsub('%$', T.c)))

return function(fn, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
   local a_row, a_inner, b_inner, b_column = lda, 1, ldb, 1
   if ta then a_row, a_inner = 1, lda end
   if tb then b_inner, b_column = 1, ldb end
   ffi.cast(gemm_t, fn)(m, n, k, alpha, a, a_row, a_inner, b, b_inner, b_column, beta, c, ldc)
end

end
