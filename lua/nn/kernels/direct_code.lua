-- Machine code of convolutions without columns: sums of products over taps, which are offsets from the start of a
-- result vector, for several rows of weights at once. See docs/decisions/0029-convolutions-without-columns.md.
--
--    tile(T, m)    m rows of results, up to MOST, from one source; weights are numbers
--    own(T)        one row; each column of vectors has separate weights, one vector per tap
--    dots(T, m)    sums over vectors of products of m rows, up to MOST_DOTS, with TAPS taps of a source
--
-- They are functions of a t7_nn_tile, nil where there is no machine code, as are those of interleaving_code.lua. All
-- offsets are in bytes.

local ffi = require 'ffi'
local assembler, row_addresses = require 'torch.native.assembler', require 'torch.native.row_addresses'
local row, get_rows = row_addresses.of, row_addresses.get

-- Taps are pairs: offsets in `from` and in `weight`. `vectors` describes result vectors, WORDS words each: offsets in
-- `from` and in `to`, the address of an element mask or 0 for all elements, and the offset of its column in `weight`
-- and `bias`. Steps are between rows, three rows and five rows. For dots `weight` are rows of maps, and `to` rows of
-- sums. To split or merge rows, `taps` are pairs of offsets in `from` and `to`, `count` of them, each with `size`
-- elements; `weight_row` and `to_row` are the offsets of both parts.
ffi.cdef [[
typedef struct {
   char *from, *weight;
   intptr_t *taps, *taps_end, *vectors, count;
   char *to;
   intptr_t weight_row, weight_row3, weight_row5, to_row, to_row3, to_row5;
   char *bias;
   intptr_t size;
} t7_nn_tile;
]]

local direct_code = { MOST = 6, MOST_DOTS = 3, TAPS = 4, WORDS = 4 }

local RAX, RCX, RDX, RBX, RBP, RSI, RDI = 0, 1, 2, 3, 5, 6, 7
local FROM, WEIGHT, TAPS, TAPS_END, VECTORS, COUNT, TO, WEIGHT_ROW, TO_ROW, BIAS =
   0, 8, 16, 24, 32, 40, 48, 56, 80, 104
local SAVED = { RBX, RBP, 12, 13, 14, 15 }
local VECTOR_BYTES = 8 * direct_code.WORDS
-- Vectors per tile by its number of rows: all registers that the operands leave.
local WIDTHS = { 4, 4, 4, 3, 2, 2 }

local function field(offset) return { base = RDI, offset = offset } end

-- Stores m registers for the vector at R13: register(i) to row i.
local function store(code, offset, m, register, mask)
   local some, done = {}, {}
   code:get(RAX, 13, offset + 8)
   code:increase(RAX, field(TO))
   code:get(RCX, 13, offset + 16)
   code:with_number('compare', RCX, 0)
   code:jump('jnz', some)
   for i = 0, m - 1 do code:store(register(i), row(RAX, i)) end
   code:jump('always', done)
   code:place(some)
   code:load(mask, { base = RCX })
   for i = 0, m - 1 do code:store_some(register(i), mask, row(RAX, i)) end
   code:place(done)
end

-- A block of m rows and n vectors.
local function block(code, m, n, own)
   local P, Q, S = { 8, 9, 10, 11 }, { RDX, RBX, RBP, 15 }, code.T.size
   local function sum(i, j) return i * n + j end
   for j = 0, n - 1 do
      code:get(P[j + 1], 13, VECTOR_BYTES * j)
      code:increase(P[j + 1], field(FROM))
   end
   if own then
      for j = 0, n - 1 do
         code:get(RAX, 13, VECTOR_BYTES * j + 24)
         code:copy(Q[j + 1], RAX)
         code:increase(Q[j + 1], field(WEIGHT))
         code:increase(RAX, field(BIAS))
         code:load(sum(0, j), { base = RAX })
      end
   else
      get_rows(code, WEIGHT_ROW)
      code:get(RAX, RDI, BIAS)
      for i = 0, m - 1 do
         code:spread(sum(i, 0), { base = RAX, offset = S * i })
         for j = 1, n - 1 do code:move(sum(i, j), sum(i, 0)) end
      end
   end
   local again, done = {}, {}
   code:get(RSI, RDI, TAPS)
   code:compare_with(RSI, 12)
   code:jump('jz', done)
   code:place(again)
   code:get(RAX, RSI, 0)
   code:get(RCX, RSI, 8)
   local function source(j) return { base = P[j + 1], index = RAX } end
   if own then
      for j = 0, n - 1 do
         code:load(8 + j, source(j))
         code:add_product(sum(0, j), 8 + j, { base = Q[j + 1], index = RCX })
      end
   else
      code:increase(RCX, 15)
      if m <= n then
         for i = 0, m - 1 do code:spread(m * n + i, row(RCX, i)) end
         for j = 0, n - 1 do
            code:load(15, source(j))
            for i = 0, m - 1 do code:add_product(sum(i, j), 15, m * n + i) end
         end
      else
         for j = 0, n - 1 do code:load(12 + j, source(j)) end
         for i = 0, m - 1 do
            code:spread(15, row(RCX, i))
            for j = 0, n - 1 do code:add_product(sum(i, j), 12 + j, 15) end
         end
      end
   end
   code:with_number('add', RSI, 16)
   code:compare_with(RSI, 12)
   code:jump('jnz', again)
   code:place(done)
   if not own then get_rows(code, TO_ROW) end
   for j = 0, n - 1 do store(code, VECTOR_BYTES * j, m, function(i) return sum(i, j) end, 15) end
end

local function tile(T, m, own)
   local code, widest = assembler.new(T), WIDTHS[m]
   code:keep(SAVED)
   code:get(12, RDI, TAPS_END)
   code:get(13, RDI, VECTORS)
   code:get(14, RDI, COUNT)
   if not own then code:get(15, RDI, WEIGHT) end
   for n = widest, 1, -1 do
      local again, fewer = {}, {}
      code:place(again)
      code:with_number('compare', 14, n)
      code:jump('jb', fewer)
      block(code, m, n, own)
      code:with_number('subtract', 14, n)
      for _ = 1, n do code:with_number('add', 13, VECTOR_BYTES) end
      code:jump('always', again)
      code:place(fewer)
   end
   code:leave(SAVED)
   return code:finish()
end

-- Adds the sum of each of four registers, from `a` on, to one of four elements of memory.
local function add_sums(code, a, spare, to)
   code:add_pairs(a, a, a + 1)
   code:add_pairs(a + 2, a + 2, a + 3)
   if code.T.size == 8 then
      code:halves(spare, a, a + 2, 0x20)
      code:halves(a, a, a + 2, 0x31)
      code:add(a, a, spare)
      code:add(a, a, to)
      return code:store(a, to)
   end
   code:add_pairs(a, a, a + 2)
   code:upper_half(a, spare, 1)
   code:add_first_half(a, a, spare)
   code:load_half(spare, to)
   code:add_first_half(a, a, spare)
   code:store_half(a, to)
end

local function dots(T, m)
   local code, taps = assembler.new(T), { 8, 9, 10, 11 }
   code:keep(SAVED)
   for k = 0, 3 do
      code:get(RAX, RDI, TAPS)
      code:get(taps[k + 1], RAX, 16 * k)
      code:increase(taps[k + 1], field(FROM))
   end
   code:get(13, RDI, VECTORS)
   code:get(14, RDI, COUNT)
   code:get(15, RDI, WEIGHT)
   get_rows(code, WEIGHT_ROW)
   for r = 0, 4 * m - 1 do code:clear(r, r, r) end
   local again, some, done = {}, {}, {}
   local function work(load)
      for i = 0, m - 1 do load(12 + i, row(RCX, i)) end
      for k = 0, 3 do
         load(15, { base = taps[k + 1], index = RAX })
         for i = 0, m - 1 do code:add_product(4 * i + k, 15, 12 + i) end
      end
   end
   code:place(again)
   code:get(RAX, 13, 0)
   code:get(RCX, 13, 8)
   code:increase(RCX, 15)
   code:get(12, 13, 16)
   code:with_number('compare', 12, 0)
   code:jump('jnz', some)
   work(function(d, from) code:load(d, from) end)
   code:jump('always', done)
   code:place(some)
   work(function(d, from)
      code:load(d, { base = 12 })
      code:load_some(d, d, from)
   end)
   code:place(done)
   code:with_number('add', 13, VECTOR_BYTES)
   code:with_number('subtract', 14, 1)
   code:jump('jnz', again)
   get_rows(code, TO_ROW)
   code:get(RCX, RDI, TO)
   for i = 0, m - 1 do add_sums(code, 4 * i, 15, row(RCX, i)) end
   code:leave(SAVED)
   return code:finish()
end

-- Code is generated once per type and number of rows.
function direct_code.once(make)
   local made = {}
   return function(T, m)
      if not assembler.possible() then return nil end
      local key = T.name .. (m or '')
      made[key] = made[key] or make(T, m)
      return made[key]
   end
end

local once = direct_code.once
direct_code.tile, direct_code.dots = once(tile), once(dots)
direct_code.own = once(function(T) return tile(T, 1, true) end)

return direct_code
