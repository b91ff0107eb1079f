-- Products of matrices by machine code of our own, in the main state and in workers: the second operand is copied to
-- panels of two vectors, of which each is used for blocks of up to six rows while it is in the first cache. An element
-- of the result is the same sum wherever it is. Specialised per type; of T are needed its size and C type. See
-- docs/decisions/0030-products.md.

return function(T)

local ceil, floor, min = math.ceil, math.floor, math.min
local ffi = require 'ffi'
local aligned, vector_masks = require 'torch.native.aligned', require 'torch.native.vector_masks'
local packed_gemm = require 'torch.linalg.packed_gemm'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill

local code_t, byte_p = ffi.typeof 'void (*)(t7_gemm_tile *)', ffi.typeof 'char *'
local copy_t = ffi.typeof 'void (*)(int *, char *, int *, char *, int *)'
local VECTOR, SIZE, ROWS = packed_gemm.VECTOR, T.size, packed_gemm.ROWS
local LANES, WIDE = VECTOR / SIZE, packed_gemm.columns(SIZE)

-- Inner elements of a panel, which stays in the first cache; rows whose elements of the first operand stay in the
-- second. They are copied for so many columns: rows far apart take more places of the caches.
local INNER, SLAB, COPIED = 256, 960 / SIZE, 256

local t, scale = ffi.new 't7_gemm_tile', ffi.new(T.c .. '[1]')
local n_, from_step, to_step = ffi.new 'int[1]', ffi.new 'int[1]', ffi.new 'int[1]'
local null = cast(byte_p, 0)
-- The mask of what n elements have in their last vector; NULL for all of it.
local masks = vector_masks(SIZE)
local function mask_of(n) return n % LANES == 0 and null or masks + n % LANES * VECTOR end

-- Rows that are copied are a line of the cache more apart.
local LINE = 64 / SIZE
local kept, panel, rows_of_a

local function take_room()
   kept = { aligned(T.c, INNER * WIDE), aligned(T.c, (INNER + LINE) * SLAB) }
   panel, rows_of_a = cast(byte_p, kept[1]), cast(byte_p, kept[2])
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
   local copy_elements = cast(copy_t, code.copy)
   if n < pitch then
      fill(panel, k * pitch * SIZE)
      n_[0], from_step[0], to_step[0] = k, 1, pitch
      for j = 0, n - 1 do copy_elements(n_, b + j * ldb * SIZE, from_step, panel + j * SIZE, to_step) end
      return
   end
   n_[0], from_step[0], to_step[0] = n, ldb, 1
   for l = whole * LANES, k - 1 do copy_elements(n_, b + l * SIZE, from_step, panel + l * pitch * SIZE, to_step) end
end

-- Copies blocks of `m` columns of the transposed first operand, so that the elements of a block are next to each other.
local function pack_block(code, a, lda, k, m, to)
   t.a, t.c, t.a_step, t.c_block, t.count, t.mask = a, to, lda * SIZE, m * SIZE, k, mask_of(m)
   cast(code_t, code.pack[ceil(m / LANES) - 1])(t)
end

-- c (+)= alpha op(a) op(b) for m x n results in rows, and k inner elements; `add` keeps what is in c. Pointers are to
-- bytes, leading dimensions in elements.
return function(code, ta, tb, m, n, k, alpha, a, lda, b, ldb, add, c, ldc)
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
         -- Bytes between the rows of the first operand, in a block and of a row's part in blocks.
         local first, a_row, pitch = a + (ta and l * lda + i or i * lda + l) * SIZE, lda * SIZE, lda * SIZE
         if ta then
            a_row, pitch = SIZE, kl * SIZE
            for r = 0, blocks - 1 do
               local at = r * least + min(r, more)
               pack_block(code, first + at * SIZE, lda, kl, r < more and least + 1 or least, rows_of_a + at * pitch)
            end
            first = rows_of_a
         elseif n >= COPIED then
            a_row = (kl + LINE) * SIZE
            for r = 0, mi - 1 do copy(rows_of_a + r * a_row, first + r * pitch, kl * SIZE) end
            first, pitch = rows_of_a, a_row
         end
         t.c_row, t.c_row3, t.c_row5 = ldc * SIZE, 3 * ldc * SIZE, 5 * ldc * SIZE
         for j = 0, n - 1, WIDE do
            local nj = min(WIDE, n - j)
            local vectors = ceil(nj / LANES)
            pack_panel(code, tb, b + (tb and j * ldb + l or l * ldb + j) * SIZE, ldb, kl, nj, vectors)
            set_rows(a_row)
            t.b, t.b_step, t.k, t.mask = panel, vectors * VECTOR, kl, mask_of(nj)
            local to, tiles = c + (i * ldc + j) * SIZE, code.tiles + (vectors - 1) * ROWS
            if more > 0 then
               local r = least + 1
               t.a, t.c, t.count, t.a_step = first, to, more, ta and r * SIZE or SIZE
               t.a_block, t.c_block = r * pitch, r * ldc * SIZE
               cast(code_t, tiles[r - 1])(t)
            end
            local at = more * (least + 1)
            t.a, t.c, t.count, t.a_step = first + at * pitch, to + at * ldc * SIZE, blocks - more,
               ta and least * SIZE or SIZE
            t.a_block, t.c_block = least * pitch, least * ldc * SIZE
            cast(code_t, tiles[least - 1])(t)
         end
      end
   end
end

end
