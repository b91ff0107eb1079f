-- Products of matrices by machine code of our own, in the main state and in workers: the second operand is copied to
-- panels of two vectors, of which each is used for blocks of up to six rows while it is in the first cache. An element
-- of the result is the same sum wherever it is. Specialised per type; of T are needed its size and C type. See
-- docs/decisions/0030-products.md.

return function(T)

local ceil, floor, min = math.ceil, math.floor, math.min
local ffi = require 'ffi'
local aligned, vector_masks = require 'torch.native.aligned', require 'torch.native.vector_masks'
local packed_gemm = require 'torch.linalg.packed_gemm'
local cast, copy = ffi.cast, ffi.copy

local code_t, byte_p = ffi.typeof 'void (*)(void *)', ffi.typeof 'char *'
local VECTOR, SIZE, ROWS = packed_gemm.VECTOR, T.size, packed_gemm.ROWS
local LANES, WIDE = VECTOR / SIZE, packed_gemm.columns(SIZE)

-- Inner elements of a panel, which stays in the first cache; rows whose elements of the first operand stay in the
-- second. They are copied for COPIED columns and more: rows far apart use more sets of the caches.
local INNER, SLAB, COPIED = 256, 960 / SIZE, 256
-- Rows that are copied are a line of the cache more apart.
local LINE_BYTES, FAR = 64, 2 ^ 40
local LINE = LINE_BYTES / SIZE

local sweep, scale = aligned('t7_gemm_sweep', 1), ffi.new(T.c .. '[1]')
local pack, first, rest = sweep.pack, sweep.first, sweep.rest
local null, masks = cast(byte_p, 0), vector_masks(SIZE)

local kept, panel, rows_of_a = {}, nil, nil

local function take_room()
   kept[1], kept[2] = aligned(T.c, INNER * WIDE), aligned(T.c, (INNER + LINE) * SLAB)
   panel, rows_of_a = cast(byte_p, kept[1]), cast(byte_p, kept[2])
end

-- All panels of COLUMNS, where several slabs of rows use them.
local COLUMNS, all_panels = 512, nil

local function take_panels()
   kept[3] = aligned(T.c, INNER * COLUMNS)
   all_panels = cast(byte_p, kept[3])
end

local function set_rows(t, step) t.a_row, t.a_row3, t.a_row5 = step, 3 * step, 5 * step end

-- The mask of what n elements have in their last vector.
local function mask_of(n) return masks + ((n - 1) % LANES + 1) * VECTOR end

-- Copies `count` times m columns of the transposed first operand, so that the elements of a block are next to each
-- other.
local function pack_blocks(code, a, lda, k, m, count, to)
   pack.a, pack.c, pack.a_step, pack.a_block, pack.c_block = a, to, lda * SIZE, m * SIZE, m * SIZE
   pack.k, pack.count, pack.mask = k, count, mask_of(m)
   cast(code_t, code.pack[ceil(m / LANES) - 1])(pack)
end

-- Blocks of m rows of `a`, whose elements are a_step apart, its rows a_row, and rows of blocks `pitch`.
local function set_blocks(t, m, a, a_step, a_row, pitch, k, ldc, add)
   t.a, t.a_step, t.a_block, t.k = a, a_step, m * pitch, k
   set_rows(t, a_row)
   t.c_row, t.c_row3, t.c_row5, t.c_block = ldc * SIZE, 3 * ldc * SIZE, 5 * ldc * SIZE, m * ldc * SIZE
   t.alpha, t.add = cast(byte_p, scale), add
end

-- Brings the panel that is `step` bytes behind `from` nearer while blocks are multiplied: lines that are line_step
-- apart, and after `lines` of them `turn` further.
local function look_ahead(from, step, line_step, lines, turn)
   local ahead = first.count >= rest.count and first or rest
   first.ahead, rest.ahead = from + step, from + step
   first.ahead_step, rest.ahead_step, first.ahead_line, rest.ahead_line = 0, 0, lines, lines
   ahead.ahead_step, ahead.ahead_turn, ahead.ahead_until = line_step, turn, ahead.count - 2
   sweep.step = step
end

-- `panels` of n columns, which are made at `to` from b, or are there already where b is nil; those of the result are at
-- c, of which blocks of m + 1 rows are the first `more`.
local function run_panels(code, tb, panels, n, k, b, ldb, to, panel_step, m, more, c, ldc)
   local vectors = ceil(n / LANES)
   local pitch, whole = vectors * VECTOR, n % LANES == 0
   sweep.panels, sweep.panel_step = panels, panel_step
   if not b then
      pack.run = null
      look_ahead(to, panel_step, LINE_BYTES, FAR, 0)
   else
      pack.a, pack.c, pack.c_block, pack.k = b, to, pitch, k
      -- The last bytes of rows that begin in a line before are in the next line.
      local last = b + LINE_BYTES - SIZE
      if tb then
         local lines = ceil(k * SIZE / LINE_BYTES)
         look_ahead(last, WIDE * ldb * SIZE, LINE_BYTES, lines, ldb * SIZE - lines * LINE_BYTES)
      else
         look_ahead(last, WIDE * SIZE, ldb * SIZE, FAR, 0)
      end
      if not tb then
         pack.run, pack.a_step, pack.count, pack.mask = code.pack[vectors - 1], ldb * SIZE, 1, mask_of(n)
      elseif whole then
         pack.run, pack.count, pack.mask = code.turn[vectors - 1], ceil(k / LANES), mask_of(k)
         set_rows(pack, ldb * SIZE)
      else
         pack.run, pack.count, pack.a_step = code.gather, n, ldb * SIZE
      end
   end
   local tiles, mask = code.tiles + (vectors - 1) * ROWS, whole and null or mask_of(n)
   first.b, first.b_step, first.mask, first.c = to, pitch, mask, c
   rest.b, rest.b_step, rest.mask, rest.c = to, pitch, mask, c + more * (m + 1) * ldc * SIZE
   first.run, rest.run = more > 0 and tiles[m] or null, tiles[m - 1]
   cast(code_t, code.sweep)(sweep)
end

-- m rows that stay in the second cache, and k inner elements. Panels are kept at `to`, where b is nil if they were
-- before, or made one after the other where `to` is nil.
local function run_slab(code, ta, tb, m, n, k, a, lda, b, ldb, to, add, c, ldc)
   -- Blocks of two sizes: the first `more` have a row more.
   local blocks = ceil(m / ROWS)
   local least = floor(m / blocks)
   local more = m - blocks * least
   local from, a_row, pitch = a, lda * SIZE, lda * SIZE
   local behind = more * (least + 1)
   if ta then
      from, a_row, pitch = rows_of_a, SIZE, k * SIZE
      if more > 0 then pack_blocks(code, a, lda, k, least + 1, more, from) end
      pack_blocks(code, a + behind * SIZE, lda, k, least, blocks - more, from + behind * pitch)
   elseif n >= COPIED then
      a_row = (k + LINE) * SIZE
      for r = 0, m - 1 do copy(rows_of_a + r * a_row, a + r * pitch, k * SIZE) end
      from, pitch = rows_of_a, a_row
   end
   first.count, rest.count = more, blocks - more
   set_blocks(first, least + 1, from, ta and (least + 1) * SIZE or SIZE, a_row, pitch, k, ldc, add)
   set_blocks(rest, least, from + behind * pitch, ta and least * SIZE or SIZE, a_row, pitch, k, ldc, add)
   local panels, panel_step = floor(n / WIDE), to and k * WIDE * SIZE or 0
   local columns, places = panels * WIDE, to or panel
   if panels > 0 then
      run_panels(code, tb, panels, WIDE, k, b, ldb, places, panel_step, least, more, c, ldc)
   end
   if columns < n then
      run_panels(code, tb, 1, n - columns, k, b and b + (tb and columns * ldb or columns) * SIZE, ldb,
         places + panels * panel_step, panel_step, least, more, c + columns * SIZE, ldc)
   end
end

-- More of them, for columns whose panels are kept.
local function run_slabs(code, ta, tb, m, n, k, a, lda, b, ldb, add, c, ldc)
   local inner = ceil(k / ceil(k / INNER) / LANES) * LANES
   -- Slabs of about the same size: none has too few rows for blocks.
   local slabs = ceil(m / SLAB)
   if slabs > 1 and not all_panels then take_panels() end
   for l = 0, k - 1, inner do
      for q = 0, slabs - 1 do
         local i = floor(q * m / slabs)
         local from = q == 0 and b + (tb and l or l * ldb) * SIZE or nil
         run_slab(code, ta, tb, floor((q + 1) * m / slabs) - i, n, min(inner, k - l),
            a + (ta and l * lda + i or i * lda + l) * SIZE, lda, from, ldb, slabs > 1 and all_panels or nil,
            (add or l > 0) and 1 or 0, c + i * ldc * SIZE, ldc)
      end
   end
end

-- c (+)= alpha op(a) op(b) for m x n results in rows, and k inner elements; `add` accumulates into c. Pointers are to
-- bytes, leading dimensions in elements.
return function(code, ta, tb, m, n, k, alpha, a, lda, b, ldb, add, c, ldc)
   if not panel then take_room() end
   scale[0] = alpha
   if m <= SLAB and k <= INNER then
      return run_slab(code, ta, tb, m, n, k, a, lda, b, ldb, nil, add and 1 or 0, c, ldc)
   end
   local columns = m > SLAB and COLUMNS or n
   for j = 0, n - 1, columns do
      run_slabs(code, ta, tb, m, min(columns, n - j), k, a, lda, b + (tb and j * ldb or j) * SIZE, ldb, add,
         c + j * SIZE, ldc)
   end
end

end
