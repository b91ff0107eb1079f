-- Products of matrices of Floats by machine code of our own, in the main state and in workers: the second operand is
-- copied to panels of 16 columns, of which each is used for blocks of up to six rows while it is in the first cache. An
-- element of the result is the same sum wherever it is. See docs/decisions/0030-products.md.

local ceil, floor, min = math.ceil, math.floor, math.min
local ffi = require 'ffi'
local aligned, vector_masks = require 'torch.native.aligned', require 'torch.native.vector_masks'
local cast = ffi.cast

-- `count` blocks of rows of `a`, which are a_block bytes apart, times a panel of `b`, whose rows are b_step apart, give
-- those of `c`, c_block apart, times alpha; with `add` they are added. a_step is between the columns of a. `mask` is of
-- the last vector of a row of c, NULL for all elements. To pack, `count` rows of `a`, a_step apart, go to rows of `c`,
-- c_step apart; to turn, `count` times eight columns of rows of `a`.
ffi.cdef [[
typedef struct {
   char *a, *b, *c;
   intptr_t a_step, b_step, a_block, c_block, k, count;
   intptr_t a_row, a_row3, a_row5, c_row, c_row3, c_row5;
   char *mask, *alpha;
   intptr_t add;
} t7_gemm_tile;
typedef struct { void *tiles[12], *pack[2], *turn[2], *copy; double small, ready; } t7_gemm_code;
]]

-- Blocks have 4 to 6 rows, and a result of at least FEWEST_ROWS is made of them.
local packed_gemm = { ROWS = 6, LEAST_ROWS = 4, FEWEST_ROWS = 8, VECTORS = 2 }

local code_t, byte_p = ffi.typeof 'void (*)(t7_gemm_tile *)', ffi.typeof 'char *'
local copy_t = ffi.typeof 'void (*)(int *, char *, int *, char *, int *)'
local VECTOR, SIZE, ROWS, LANES = 32, 4, packed_gemm.ROWS, 8
local WIDE = packed_gemm.VECTORS * LANES
packed_gemm.WIDE = WIDE

-- Inner elements of a panel, which stays in the first cache; rows whose elements of the first operand stay in the
-- second.
local INNER, SLAB = 256, 240

local t, scale = ffi.new 't7_gemm_tile', ffi.new 'float[1]'
local n_, from_step, to_step = ffi.new 'int[1]', ffi.new 'int[1]', ffi.new 'int[1]'
local null = cast(byte_p, 0)
-- The mask of what n elements have in their last vector; NULL for all of it.
local masks = vector_masks(SIZE)
local function mask_of(n) return n % LANES == 0 and null or masks + n % LANES * VECTOR end

local panel, rows_of_a

local function take_room()
   packed_gemm.kept = { aligned('float', INNER * WIDE), aligned('float', INNER * SLAB + LANES) }
   panel, rows_of_a = cast(byte_p, packed_gemm.kept[1]), cast(byte_p, packed_gemm.kept[2])
end

local function set_rows(step)
   t.a_row, t.a_row3, t.a_row5 = step, 3 * step, 5 * step
end

-- Copies `k` rows of `n` columns of b, or the transpose of n rows, to the panel.
local function pack_panel(code, tb, b, ldb, k, n, vectors)
   local pitch = vectors * LANES
   t.a, t.c = b, panel
   if not tb then
      t.a_step, t.c_block, t.count, t.mask = ldb * SIZE, pitch * SIZE, k, mask_of(n)
      cast(code_t, code.pack[vectors - 1])(t)
      return
   end
   local whole = n == pitch and floor(k / LANES) or 0
   if whole > 0 then
      t.count = whole
      set_rows(ldb * SIZE)
      cast(code_t, code.turn[vectors - 1])(t)
   end
   local copy = cast(copy_t, code.copy)
   if n < pitch then
      ffi.fill(panel, k * pitch * SIZE)
      n_[0], from_step[0], to_step[0] = k, 1, pitch
      for j = 0, n - 1 do copy(n_, b + j * ldb * SIZE, from_step, panel + j * SIZE, to_step) end
      return
   end
   n_[0], from_step[0], to_step[0] = n, ldb, 1
   for l = whole * LANES, k - 1 do copy(n_, b + l * SIZE, from_step, panel + l * pitch * SIZE, to_step) end
end

-- Copies blocks of `m` columns of the transposed first operand, so that the elements of a block are next to each other.
local function pack_block(code, a, lda, k, m, to)
   t.a, t.c, t.a_step, t.c_block, t.count, t.mask = a, to, lda * SIZE, m * SIZE, k, mask_of(m)
   cast(code_t, code.pack[0])(t)
end

-- Columns fill a panel, and panels are worth their copies.
local FEWEST_COLUMNS, FEWEST_INNER, LEAST = 16, 8, 2 ^ 15

-- Whether a product of m x n results is large enough to be computed here.
function packed_gemm.is_large(m, n, k)
   return m >= packed_gemm.FEWEST_ROWS and n >= FEWEST_COLUMNS and k >= FEWEST_INNER and m * n * k >= LEAST
end

-- Whether it is computed here.
function packed_gemm.suits(code, m, n, k) return code.ready == 1 and packed_gemm.is_large(m, n, k) end

-- c (+)= alpha op(a) op(b) for m x n results in rows, and k inner elements; `add` accumulates into c. Pointers are to
-- bytes, leading dimensions in elements.
function packed_gemm.run(code, ta, tb, m, n, k, alpha, a, lda, b, ldb, add, c, ldc)
   if not panel then take_room() end
   local inner = ceil(k / ceil(k / INNER) / LANES) * LANES
   -- Slabs of about the same size: none has too few rows for blocks.
   local slabs = ceil(m / SLAB)
   scale[0], t.alpha = alpha, cast(byte_p, scale)
   for l = 0, k - 1, inner do
      local kl = min(inner, k - l)
      t.add = (add or l > 0) and 1 or 0
      for q = 0, slabs - 1 do
         local i = floor(q * m / slabs)
         local mi = floor((q + 1) * m / slabs) - i
         -- Blocks of two sizes: the first `more` have a row more.
         local blocks = ceil(mi / ROWS)
         local least = floor(mi / blocks)
         local more = mi - blocks * least
         local first, a_row, a_step = a + (ta and l * lda + i or i * lda + l) * SIZE, lda * SIZE, SIZE
         if ta then
            for r = 0, blocks - 1 do
               local at = r * least + min(r, more)
               pack_block(code, first + at * SIZE, lda, kl, r < more and least + 1 or least, rows_of_a + at * kl * SIZE)
            end
            first, a_row = rows_of_a, SIZE
         end
         t.c_row, t.c_row3, t.c_row5 = ldc * SIZE, 3 * ldc * SIZE, 5 * ldc * SIZE
         for j = 0, n - 1, WIDE do
            local nj = min(WIDE, n - j)
            local vectors = ceil(nj / LANES)
            pack_panel(code, tb, b + (tb and j * ldb + l or l * ldb + j) * SIZE, ldb, kl, nj, vectors)
            set_rows(a_row)
            t.b, t.b_step, t.k, t.mask = panel, vectors * LANES * SIZE, kl, mask_of(nj)
            local to = c + (i * ldc + j) * SIZE
            local tiles = code.tiles + (vectors - 1) * ROWS
            if more > 0 then
               local r = least + 1
               t.a, t.c, t.count, t.a_step = first, to, more, ta and r * SIZE or a_step
               t.a_block, t.c_block = r * (ta and kl or lda) * SIZE, r * ldc * SIZE
               cast(code_t, tiles[r - 1])(t)
            end
            local at = more * (least + 1)
            t.a, t.c, t.count = first + at * (ta and kl or lda) * SIZE, to + at * ldc * SIZE, blocks - more
            t.a_step, t.a_block, t.c_block = ta and least * SIZE or a_step,
               least * (ta and kl or lda) * SIZE, least * ldc * SIZE
            cast(code_t, tiles[least - 1])(t)
         end
      end
   end
end

return packed_gemm
