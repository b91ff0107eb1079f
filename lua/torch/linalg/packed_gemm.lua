-- Products of matrices by machine code of our own: its arguments, and which products it is for. gemm_code.lua makes
-- the code, and packed_run.lua calls it. See docs/decisions/0030-products.md.

local ffi = require 'ffi'
local tuning = require 'torch.base.tuning'

-- To multiply, `count` blocks of rows of `a`, which are a_block bytes apart, times a panel of `b`, whose rows are
-- b_step apart, give those of `c`, c_block apart, times alpha; with `add` they are added. a_step is between the columns
-- of a. `mask` is of the last vector of a row of c, NULL for all elements. To pack, `k` rows of each of `count` blocks
-- of `a`, a_step apart, go to rows of `c`, c_block apart; to turn, `count` times as many columns of the rows of `a` as
-- a vector has; to gather, `k` elements of each of `count` rows of `a`. `mask` is of the last vector that is read then.
--
-- While blocks are multiplied the next panel is brought nearer from where it comes: an address for two inner elements,
-- from `ahead`, ahead_step apart, and after every ahead_line of them ahead_turn further, until ahead_until blocks are
-- left.
--
-- A sweep multiplies `first` and `rest` by `panels`, which `pack` makes before, each unless its function is NULL. They
-- are `step` bytes apart where they come from, and panel_step where they are.
ffi.cdef [[
typedef struct {
   char *a, *b, *c;
   intptr_t a_step, b_step, a_block, c_block, k, count;
   intptr_t a_row, a_row3, a_row5, c_row, c_row3, c_row5;
   char *mask, *alpha;
   intptr_t add;
   void *run;
   char *ahead;
   intptr_t ahead_step, ahead_line, ahead_turn, ahead_until;
} t7_gemm_call;
typedef struct { t7_gemm_call pack, first, rest; intptr_t panels, step, panel_step; } t7_gemm_sweep;
typedef struct { void *tiles[12], *pack[2], *turn[2], *gather, *sweep; double small, ready; } t7_gemm_code;
]]

-- Blocks have 3 to 6 rows. Panels have VECTORS of VECTOR bytes.
local packed_gemm = { ROWS = 6, LEAST_ROWS = 3, VECTORS = 2, VECTOR = 32 }

-- The columns of a panel of elements of `size` bytes.
function packed_gemm.columns(size) return packed_gemm.VECTORS * packed_gemm.VECTOR / size end

-- Fewer columns leave most of a vector unused. Programs with fewer multiplications do without the code, which is made
-- when it is first needed.
local FEWEST_COLUMNS, LEAST = 4, tuning.PACKED_LEAST

-- Whether a product of m x n results is large enough to be computed here.
function packed_gemm.is_large(m, n, k)
   return m >= packed_gemm.LEAST_ROWS and n >= FEWEST_COLUMNS and m * n * k >= LEAST
end

-- Whether it is computed here.
function packed_gemm.suits(code, m, n, k) return code.ready == 1 and packed_gemm.is_large(m, n, k) end

return packed_gemm
