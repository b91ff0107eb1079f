-- Chunks of BLAS products, by pointer for Float and Double. See parallel/parallel_for.lua.

local ffi = require 'ffi'
local tuning = require 'torch.base.tuning'
local cast, min = ffi.cast, math.min
local returned = require('torch.base.element').returned
local load = require('torch.jit.loader').load
require 'torch.linalg.packed_gemm'
local run_driver = require('torch.linalg.small_gemm').run

local PIECE = tuning.TOTAL_PIECE

-- A product in BLAS's terms: operands and result, the byte offset of the next chunk of each, sizes by reference, of
-- which `along` is that of a chunk, alpha and beta, and letters. `data` belongs to `fn` if that is a loop of NumPy. The
-- `driver` of small_gemm.lua is for small products of a batch, NULL for others; `code` is that of gemm_code.lua.
ffi.cdef [[
typedef struct {
   void *fn, *data, *driver; char *args[3]; double steps[3], scales[2]; int32_t sizes[6], along; char letters[8];
   t7_gemm_code *code;
} t7_product;
]]

local blas_chunks = {}

-- The types of BLAS, for Float and Double.
blas_chunks.gemm_t = ffi.typeof(
   'void (*)(char *, char *, int *, int *, int *, void *, void *, int *, void *, int *, void *, void *, int *)')
blas_chunks.gemv_t = ffi.typeof
   'void (*)(char *, int *, int *, void *, void *, int *, void *, int *, void *, void *, int *)'
blas_chunks.ger_t = ffi.typeof 'void (*)(int *, int *, void *, void *, int *, void *, int *, void *, int *)'
blas_chunks.trsm_t = ffi.typeof
   'void (*)(char *, char *, char *, char *, int *, int *, void *, void *, int *, void *, int *)'
blas_chunks.laswp_t = ffi.typeof 'void (*)(int *, void *, int *, int *, int *, void *, int *)'
local gemm_t, gemv_t, ger_t = blas_chunks.gemm_t, blas_chunks.gemv_t, blas_chunks.ger_t
local trsm_t, laswp_t = blas_chunks.trsm_t, blas_chunks.laswp_t
local pointer_ct, doubles_p = ffi.typeof 't7_product *', ffi.typeof 'double *'

local size = ffi.new 'int32_t[3]'

local function set_size(p, count)
   size[0], size[1], size[2] = p.sizes[0], p.sizes[1], p.sizes[2]
   size[p.along] = count
end

function blas_chunks.gemm(data, from, to)
   local p = cast(pointer_ct, data)
   local sizes, steps = p.sizes, p.steps
   set_size(p, to - from)
   cast(gemm_t, p.fn)(p.letters, p.letters + 1, size, size + 1, size + 2, p.scales, p.args[0] + from * steps[0],
      sizes + 3, p.args[1] + from * steps[1], sizes + 4, p.scales + 1, p.args[2] + from * steps[2], sizes + 5)
end

local TRANSPOSED = 84

-- The same in terms of rows, by machine code, and products of a batch. The scale of the result is 0 or 1.
local function add_packed(T)
   local run, numbers_p = load 'torch.linalg.packed_run'(T), ffi.typeof(T.c .. ' *')

   local function product(p, m, n, first)
      local sizes, args, steps = p.sizes, p.args, p.steps
      run(p.code, p.letters[1] == TRANSPOSED, p.letters[0] == TRANSPOSED, m, n, sizes[2],
         cast(numbers_p, p.scales)[0], args[1] + first * steps[1], sizes[4], args[0] + first * steps[0], sizes[3],
         cast(numbers_p, p.scales + 1)[0] ~= 0, args[2] + first * steps[2], sizes[5])
   end

   blas_chunks['packed_' .. T.c] = function(data, from, to)
      local p = cast(pointer_ct, data)
      set_size(p, to - from)
      product(p, size[1], size[0], from)
   end

   blas_chunks['packed_batch_' .. T.c] = function(data, from, to)
      local p = cast(pointer_ct, data)
      for i = from, to - 1 do product(p, p.sizes[1], p.sizes[0], i) end
   end
end
add_packed { c = 'double', size = 8 }
add_packed { c = 'float', size = 4 }

function blas_chunks.batch(data, from, to)
   local p = cast(pointer_ct, data)
   local f, sizes, scales, steps = cast(gemm_t, p.fn), p.sizes, p.scales, p.steps
   if p.driver ~= nil then
      for k = from, to - 1 do
         run_driver(p.driver, sizes[0], sizes[1], sizes[2], scales, p.args[0] + k * steps[0], sizes[3],
            p.args[1] + k * steps[1], sizes[4], scales + 1, p.args[2] + k * steps[2], sizes[5])
      end
      return
   end
   for k = from, to - 1 do
      f(p.letters, p.letters + 1, sizes, sizes + 1, sizes + 2, scales, p.args[0] + k * steps[0], sizes + 3,
         p.args[1] + k * steps[1], sizes + 4, scales + 1, p.args[2] + k * steps[2], sizes + 5)
   end
end

-- Dot products of chunks of two vectors, whose steps are those of BLAS, in elements.
local function dots(number)
   local dot_t = ffi.typeof(('$ (*)(int *, char *, int *, char *, int *)'), ffi.typeof(number))
   return function(data, from, to)
      local p = cast(pointer_ct, data)
      local sums = cast(doubles_p, p.args[2])
      for at = from, to - 1, PIECE do
         size[0] = min(to - at, PIECE)
         sums[at / PIECE] = returned(cast(dot_t, p.fn)(size, p.args[0] + at * p.steps[0], p.sizes,
            p.args[1] + at * p.steps[1], p.sizes + 1))
      end
   end
end
blas_chunks.dot_double, blas_chunks.dot_float = dots 'double', dots 'float'

function blas_chunks.gemv(data, from, to)
   local p = cast(pointer_ct, data)
   local sizes, steps = p.sizes, p.steps
   set_size(p, to - from)
   cast(gemv_t, p.fn)(p.letters, size, size + 1, p.scales, p.args[0] + from * steps[0], sizes + 3, p.args[1],
      sizes + 4, p.scales + 1, p.args[2] + from * steps[2], sizes + 5)
end

function blas_chunks.ger(data, from, to)
   local p = cast(pointer_ct, data)
   local sizes, steps = p.sizes, p.steps
   set_size(p, to - from)
   cast(ger_t, p.fn)(size, size + 1, p.scales, p.args[0], sizes + 3, p.args[1] + from * steps[1], sizes + 4,
      p.args[2] + from * steps[2], sizes + 2)
end

local function letter(l) return ffi.new('char[1]', l:byte()) end
local LEFT, RIGHT, UPPER, LOWER = letter 'L', letter 'R', letter 'U', letter 'L'
local NORMAL, UNIT, GENERAL, one = letter 'N', letter 'U', letter 'N', ffi.new('int32_t[1]', 1)

-- Some columns of the solution of A X = B: the factors of A, of order sizes[0], the columns of B, the pivots.
function blas_chunks.solve(data, from, to)
   local p = cast(pointer_ct, data)
   local f, n, x = cast(trsm_t, p.fn), p.sizes, p.args[1] + from * p.steps[1]
   size[0] = to - from
   cast(laswp_t, p.data)(size, x, n, one, n, p.args[2], one)
   f(LEFT, LOWER, NORMAL, UNIT, n, size, p.scales, p.args[0], n, x, n)
   f(LEFT, UPPER, NORMAL, GENERAL, n, size, p.scales, p.args[0], n, x, n)
end

-- Some columns of the inverse of U, which were those of the identity.
function blas_chunks.upper(data, from, to)
   local p = cast(pointer_ct, data)
   size[0], size[1] = to, to - from
   cast(trsm_t, p.fn)(LEFT, UPPER, NORMAL, GENERAL, size, size + 1, p.scales, p.args[0], p.sizes,
      p.args[1] + from * p.steps[1], p.sizes)
end

-- Some rows of X for X L = B, which they were those of.
function blas_chunks.lower(data, from, to)
   local p = cast(pointer_ct, data)
   size[0] = to - from
   cast(trsm_t, p.fn)(RIGHT, LOWER, NORMAL, UNIT, size, p.sizes, p.scales, p.args[0], p.sizes,
      p.args[1] + from * p.steps[1], p.sizes)
end

local loop_type = require 'torch.native.loop_type'
local args, dims, strides = ffi.new 'char *[3]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[3]'

-- Some rows of an outer product, by NumPy's loop: `sizes[0]` elements of `sizes[5]` bytes; factors are steps[0] apart.
function blas_chunks.outer(data, from, to)
   local p = cast(pointer_ct, data)
   local f, factor, row = cast(loop_type, p.fn), p.steps[1], p.steps[2]
   dims[0], strides[0], strides[1], strides[2] = p.sizes[0], p.steps[0], 0, p.sizes[5]
   for k = from, to - 1 do
      args[0], args[1], args[2] = p.args[0], p.args[1] + k * factor, p.args[2] + k * row
      f(args, dims, strides, p.data)
   end
end

return blas_chunks
