-- Products by loops, for processors and builds without pointers to BLAS.

return function(k)
   local get = k.getter()

   function k.gemm(ta, tb, m, n, kk, alpha, a, lda, b, ldb, beta, c, ldc)
      local a_row, a_step, b_row, b_step = ta and 1 or lda, ta and lda or 1, tb and 1 or ldb, tb and ldb or 1
      for i = 0, m - 1 do
         for j = 0, n - 1 do
            local sum = 0
            for l = 0, kk - 1 do
               sum = sum + get(a, i * a_row + l * a_step) * get(b, l * b_row + j * b_step)
            end
            local before = beta == 0 and 0 or beta * get(c, i * ldc + j)
            c[i * ldc + j] = before + alpha * sum
         end
      end
   end

   function k.gemv(ta, m, n, alpha, a, lda, x, beta, y)
      if ta then k.gemm(true, false, n, 1, m, alpha, a, lda, x, 1, beta, y, 1)
      else k.gemm(false, false, m, 1, n, alpha, a, lda, x, 1, beta, y, 1) end
   end

   function k.ger(m, n, alpha, x, y, a) k.gemm(false, false, m, n, 1, alpha, x, 1, y, n, 1, a, n) end

   function k.axpy(n, alpha, x, y)
      for i = 0, n - 1 do y[i] = get(y, i) + alpha * get(x, i) end
   end

   function k.dot(n, x, y)
      local sum = 0
      for i = 0, n - 1 do sum = sum + get(x, i) * get(y, i) end
      return sum
   end
end
