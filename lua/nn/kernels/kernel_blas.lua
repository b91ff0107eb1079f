-- BLAS for the kernels of one element type, see kernel_api.lua: row-major operands, and products of tensors.

return function(T, k)

local ffi, native = require 'ffi', require 'torch.native.native'
local returned = require('torch.base.element').returned
local gemm_code, small_gemm = require 'torch.linalg.gemm_code', require 'torch.linalg.small_gemm'
local finish_trace = require('torch.jit.trace').finish
local cast, byte_p = ffi.cast, ffi.typeof 'char *'

local function routine(name, declaration) return native.routine('blas', T, name, declaration) end
local blas_gemm = routine('gemm',
   'void (*)(char *, char *, int *, int *, int *, $ *, $ *, int *, $ *, int *, $ *, $ *, int *)')
local blas_gemv = routine('gemv', 'void (*)(char *, int *, int *, $ *, $ *, int *, $ *, int *, $ *, $ *, int *)')
local blas_ger = routine('ger', 'void (*)(int *, int *, $ *, $ *, int *, $ *, int *, $ *, int *)')
local blas_axpy = routine('axpy', 'void (*)(int *, $ *, $ *, int *, $ *, int *)')
local blas_dot = routine('dot', '$ (*)(int *, $ *, int *, $ *, int *)')
local I, S, L = ffi.new 'int[8]', ffi.new(T.c .. '[2]'), ffi.new 'char[2]'
local one = ffi.new('int[1]', 1)
local NORMAL, TRANSPOSED = 78, 84
local driver, run_driver = small_gemm.driver_of(T), small_gemm.run

local code_for = gemm_code.chooser(T)
local run_here = require('torch.jit.loader').specialise('torch.linalg.packed_run', T)

function k.gemm(ta, tb, m, n, kk, alpha, a, lda, b, ldb, beta, c, ldc)
   local own = (beta == 0 or beta == 1) and code_for(m, n, kk)
   if own then
      finish_trace()
      return run_here(own, ta, tb, m, n, kk, alpha, cast(byte_p, a), lda, cast(byte_p, b), ldb, beta == 1,
         cast(byte_p, c), ldc)
   end
   -- BLAS is column-major: it sees the transposed product.
   S[0], S[1] = alpha, beta
   local fn = driver(n, m, kk, tb, ta)
   if fn then return run_driver(fn, n, m, kk, S, b, ldb, a, lda, S + 1, c, ldc) end
   L[0], L[1] = tb and TRANSPOSED or NORMAL, ta and TRANSPOSED or NORMAL
   I[0], I[1], I[2], I[3], I[4], I[5] = n, m, kk, ldb, lda, ldc
   blas_gemm(L, L + 1, I, I + 1, I + 2, S, b, I + 3, a, I + 4, S + 1, c, I + 5)
end

function k.gemv(ta, m, n, alpha, a, lda, x, beta, y)
   L[0] = ta and NORMAL or TRANSPOSED
   I[0], I[1], I[2], S[0], S[1] = n, m, lda, alpha, beta
   blas_gemv(L, I, I + 1, S, a, I + 2, x, one, S + 1, y, one)
end

function k.ger(m, n, alpha, x, y, a)
   I[0], I[1], I[2], S[0] = n, m, n, alpha
   blas_ger(I, I + 1, S, y, one, x, one, a, I + 2)
end

function k.axpy(n, alpha, x, y)
   I[0], S[0] = n, alpha
   blas_axpy(I, S, x, one, y, one)
end

function k.dot(n, x, y)
   I[0] = n
   return (returned(blas_dot(I, x, one, y, one)))
end

-- Loops replace BLAS where it has no pointers.
if not (blas_gemm and blas_gemv and blas_ger and blas_axpy and blas_dot) then require 'nn.kernels.loop_products'(k) end

-- Products of contiguous matrices: c = beta c + alpha op(a) op(b). Large ones are computed by torch, which parallelizes
-- them.
local DIVIDED = 2 ^ 18
local methods = T.tensor_methods
local function turned(t, turn) return turn and methods.t(t) or t end

function k.product(c, beta, alpha, ta, a, tb, b)
   local m, n = c._size[0], c._size[1]
   local kk = ta and a._size[0] or a._size[1]
   if m * n * kk > DIVIDED then
      methods.addmm(c, beta, c, alpha, turned(a, ta), turned(b, tb))
   else
      k.gemm(ta, tb, m, n, kk, alpha, k.ptr(a), a._size[1], k.ptr(b), b._size[1], beta, k.ptr(c), n)
   end
end

end
