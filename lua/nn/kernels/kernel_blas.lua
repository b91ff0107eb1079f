-- Products for the kernels of one element type, see kernel_api.lua: row-major operands, and products of tensors.

return function(T, k)

local kernels, returned = require 'torch.native.kernels', require('torch.loops.element').returned
local gemm, vectors = kernels 'linalg/gemm' ['t7_gemm_' .. T.name], kernels 'linalg/vector_products'
local gemv, ger = vectors['t7_gemv_' .. T.name], vectors['t7_ger_' .. T.name]
local dot = vectors['t7_dot_' .. T.name]

function k.gemm(ta, tb, m, n, kk, alpha, a, lda, b, ldb, beta, c, ldc)
   local a_row, a_inner, b_inner, b_column = lda, 1, ldb, 1
   if ta then a_row, a_inner = 1, lda end
   if tb then b_inner, b_column = 1, ldb end
   gemm(m, n, kk, alpha, a, a_row, a_inner, b, b_inner, b_column, beta, c, ldc)
end

function k.gemv(ta, m, n, alpha, a, lda, x, beta, y)
   if ta then return gemv(n, m, alpha, a, 1, lda, x, beta, y, 1) end
   gemv(m, n, alpha, a, lda, 1, x, beta, y, 1)
end

function k.ger(m, n, alpha, x, y, a) ger(m, n, alpha, x, 1, y, 1, a, n) end

k.axpy = vectors['t7_axpy_' .. T.name]

function k.dot(n, x, y) return (returned(dot(n, x, 1, y, 1))) end

-- Products of contiguous matrices, on all cores: c = beta c + alpha op(a) op(b).
local parallel = kernels 'linalg/gemm' ['t7_gemm_parallel_' .. T.name]

function k.product(c, beta, alpha, ta, a, tb, b)
   local m, n, inner = c._size[0], c._size[1], ta and a._size[0] or a._size[1]
   local a_row, a_inner, b_inner, b_column = a._size[1], 1, b._size[1], 1
   if ta then a_row, a_inner = 1, a_row end
   if tb then b_inner, b_column = 1, b_inner end
   parallel(m, n, inner, alpha, k.ptr(a), a_row, a_inner, k.ptr(b), b_inner, b_column, beta, k.ptr(c), n)
   k.keep_alive(a, b, c)
end

end
