-- Products of small matrices by the functions that OpenBLAS's gemm calls: gemm takes a lock of the process twice, and
-- threads wait for it. Here each state has separate memory for copies of the operands. The bits are those of gemm. See
-- docs/decisions/0024-threads.md.

local ffi = require 'ffi'
local aligned, host = require 'torch.native.aligned', require 'torch.native.host'
local cast = ffi.cast

-- OpenBLAS's blas_arg_t: operands, scales by reference, sizes, steps of columns.
ffi.cdef [[
typedef struct {
   void *a, *b, *c, *d, *alpha, *beta;
   intptr_t m, n, k, lda, ldb, ldc, ldd;
   void *common;
   intptr_t threads, others[8];
} t7_product_args;
]]

local driver_t = ffi.typeof 'int (*)(t7_product_args *, intptr_t *, intptr_t *, char *, char *, intptr_t)'

local small_gemm = {}

-- Copies of operands of up to MOST rows and columns take up to 32 KB; kernels read some vectors more.
local MOST, ROOM, PAGE = 64, 2 ^ 16, 4096

local args, block = aligned('t7_product_args', 1), nil
local first, second

local function take_room()
   block = aligned('char', 2 * ROOM + PAGE)
   first = block + -tonumber(cast('intptr_t', block)) % PAGE
   second, args.threads = first + ROOM, 1
end

-- c = beta c + alpha op(a) op(b) of m x n, inner size k, in columns. fn is the driver of the operands; the scales are
-- pointers.
function small_gemm.run(fn, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
   if not block then take_room() end
   args.a, args.b, args.c, args.alpha, args.beta = a, b, c, alpha, beta
   args.m, args.n, args.k, args.lda, args.ldb, args.ldc = m, n, k, lda, ldb, ldc
   cast(driver_t, fn)(args, nil, nil, first, second, 0)
end

local function none() end

-- driver(m, n, k, ta, tb) is the driver of products of that size of a type, whose first or second operand is
-- transposed; nil where gemm computes it.
function small_gemm.driver_of(T)
   local letter = ({ Double = 'd', Float = 's' })[T.name]
   local function pointer(letters)
      local address = letter and host.product_driver(letter .. 'gemm_' .. letters)
      return address and cast(driver_t, cast('intptr_t', address))
   end
   local nn, nt, tn, tt = pointer 'nn', pointer 'nt', pointer 'tn', pointer 'tt'
   if not (nn and nt and tn and tt) then return none end
   return function(m, n, k, ta, tb)
      if m > MOST or n > MOST or k > MOST or m * n == 0 then return nil end
      if ta then return tb and tt or tn end
      return tb and nt or nn
   end
end

return small_gemm
