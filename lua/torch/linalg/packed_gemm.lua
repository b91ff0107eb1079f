-- Products of matrices by machine code of our own: its arguments, and which products it is for. gemm_code.lua makes
-- the code, and packed_run.lua calls it. See docs/decisions/0030-products.md.

local ffi = require 'ffi'

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

-- Blocks have 4 to 6 rows, and a result of at least FEWEST_ROWS is made of them. Panels have VECTORS of so many bytes.
local packed_gemm = { ROWS = 6, LEAST_ROWS = 4, FEWEST_ROWS = 8, VECTORS = 2, VECTOR = 32 }


-- The columns of a panel of elements of `size` bytes.
function packed_gemm.columns(size) return packed_gemm.VECTORS * packed_gemm.VECTOR / size end

-- Columns fill a panel, and panels are worth their copies.
local FEWEST_COLUMNS, FEWEST_INNER, LEAST = 16, 8, 2 ^ 15

-- Whether a product of m x n results is large enough to be computed here.
function packed_gemm.is_large(m, n, k)
   return m >= packed_gemm.FEWEST_ROWS and n >= FEWEST_COLUMNS and k >= FEWEST_INNER and m * n * k >= LEAST
end

-- Whether it is computed here.
function packed_gemm.suits(code, m, n, k) return code.ready == 1 and packed_gemm.is_large(m, n, k) end

return packed_gemm
