-- Machine code for rows with two interleaved parts: split(T) copies each part to its own row, merge(T) interleaves
-- them. Both are functions of a t7_nn_tile (direct_code.lua).

local assembler = require 'torch.native.assembler'
local once = require('nn.kernels.direct_code').once

local interleaving_code = {}

local RAX, RCX, RDX, RSI, RDI = 0, 1, 2, 6, 7
local FROM, TAPS, COUNT, TO, WEIGHT_ROW, TO_ROW, SIZE = 0, 16, 40, 48, 56, 80, 112
local VECTOR = 32

local function field(offset) return { base = RDI, offset = offset } end

-- Rows at RAX, and their two parts at R10 and R11.
local function code_of(T, vectors, single)
   local code, S = assembler.new(T), T.size
   local lanes = VECTOR / S
   local row_again, again, rest, singles, done = {}, {}, {}, {}, {}
   code:get(8, RDI, FROM)
   code:get(9, RDI, TO)
   code:get(RSI, RDI, TAPS)
   code:get(RDX, RDI, COUNT)
   code:place(row_again)
   code:get(RAX, RSI, 0)
   code:increase(RAX, 8)
   code:get(10, RSI, 8)
   code:increase(10, 9)
   code:copy(11, 10)
   code:increase(10, field(WEIGHT_ROW))
   code:increase(11, field(TO_ROW))
   code:get(RCX, RDI, SIZE)
   code:with_number('subtract', RCX, 2 * lanes)
   code:jump('jb', rest)
   code:place(again)
   vectors(code, { base = RAX }, { base = RAX, offset = VECTOR }, { base = 10 }, { base = 11 })
   code:with_number('add', RAX, 2 * VECTOR)
   code:with_number('add', 10, VECTOR)
   code:with_number('add', 11, VECTOR)
   code:with_number('subtract', RCX, 2 * lanes)
   code:jump('jae', again)
   code:place(rest)
   code:with_number('add', RCX, 2 * lanes)
   code:jump('jz', done)
   code:place(singles)
   for _, part in ipairs { 10, 11 } do
      single(code, { base = RAX }, { base = part })
      code:with_number('add', RAX, S)
      code:with_number('add', part, S)
      code:with_number('subtract', RCX, 1)
      code:jump('jz', done)
   end
   code:jump('always', singles)
   code:place(done)
   code:with_number('add', RSI, 16)
   code:with_number('subtract', RDX, 1)
   code:jump('jnz', row_again)
   code:leave()
   return code:finish()
end

-- Every second element, of doubles and of Floats.
local FIRST, SECOND, ORDER = { [4] = 0x88, [8] = 0x00 }, { [4] = 0xDD, [8] = 0x0F }, 0xD8

interleaving_code.split = once(function(T)
   return code_of(T, function(code, low, high, first, second)
      code:load(0, low)
      code:load(1, high)
      code:shuffle(2, 0, 1, FIRST[T.size])
      code:quarters(2, 2, ORDER)
      code:store(2, first)
      code:shuffle(3, 0, 1, SECOND[T.size])
      code:quarters(3, 3, ORDER)
      code:store(3, second)
   end, function(code, row_element, part)
      code:load_one(0, row_element)
      code:store_one(0, part)
   end)
end)

interleaving_code.merge = once(function(T)
   return code_of(T, function(code, low, high, first, second)
      code:load(0, first)
      code:load(1, second)
      code:low_pairs(2, 0, 1)
      code:high_pairs(3, 0, 1)
      code:halves(0, 2, 3, 0x20)
      code:halves(1, 2, 3, 0x31)
      code:store(0, low)
      code:store(1, high)
   end, function(code, row_element, part)
      code:load_one(0, part)
      code:store_one(0, row_element)
   end)
end)

return interleaving_code
