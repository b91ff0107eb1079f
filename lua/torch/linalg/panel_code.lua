-- Machine code that makes the panels of products; packed_gemm.lua says of what. See docs/decisions/0030-products.md.
--
--    panel_code.pack(code, n)      copies rows of up to n vectors
--    panel_code.turn(code, n)      makes a panel of n vectors from columns
--    panel_code.gather(code)       the same for fewer columns than a panel has

local packed_gemm = require 'torch.linalg.packed_gemm'
local vector_masks, row_addresses = require 'torch.native.vector_masks', require 'torch.native.row_addresses'
local row, get_rows = row_addresses.of, row_addresses.get

-- Code is made once: compiling what makes it takes longer.
jit.off(true, true)

local panel_code = {}

local RAX, RCX, RDX, RBX, RBP, RSI, RDI = 0, 1, 2, 3, 5, 6, 7
local A, C, A_STEP, A_BLOCK, C_BLOCK, K, COUNT, A_ROW, MASK = 0, 16, 24, 40, 48, 56, 64, 72, 120
local SAVED, VECTOR = { RBX, RBP }, packed_gemm.VECTOR

function panel_code.pack(code, n)
   code:get(11, RDI, A)
   code:get(RCX, RDI, C)
   code:get(8, RDI, A_STEP)
   code:get(9, RDI, C_BLOCK)
   code:get(10, RDI, COUNT)
   code:get(RDX, RDI, MASK)
   code:load(15, { base = RDX })
   code:repeatedly(10, 1, function()
      code:copy(RSI, 11)
      code:get(RAX, RDI, K)
      code:repeatedly(RAX, 1, function()
         for j = 0, n - 1 do
            local from = { base = RSI, offset = VECTOR * j }
            if j == n - 1 then code:load_some(j, 15, from) else code:load(j, from) end
            code:store(j, { base = RCX, offset = VECTOR * j })
         end
         code:increase(RSI, 8)
         code:increase(RCX, 9)
      end)
      code:increase(11, { base = RDI, offset = A_BLOCK })
   end)
   code:leave()
end

-- One element at a time.
function panel_code.gather(code)
   local size = code.T.size
   code:get(11, RDI, A)
   code:get(10, RDI, C)
   code:get(9, RDI, C_BLOCK)
   code:get(RDX, RDI, COUNT)
   code:repeatedly(RDX, 1, function()
      code:copy(RSI, 11)
      code:copy(RCX, 10)
      code:get(RAX, RDI, K)
      code:repeatedly(RAX, 1, function()
         code:load_one(0, { base = RSI })
         code:store_one(0, { base = RCX })
         code:with_number('add', RSI, size)
         code:increase(RCX, 9)
      end)
      code:increase(11, { base = RDI, offset = A_STEP })
      code:with_number('add', 10, size)
   end)
   code:leave()
end

-- Stores eight columns of the eight rows at a register as rows at RCX, which are `pitch` bytes apart; R9 points to the
-- mask of the columns.
local function turn_eight(code, base, offset, pitch)
   code:load(15, { base = 9 })
   for i = 0, 7 do code:load_some(i, 15, row(base, i)) end
   for i = 0, 3 do
      code:low_pairs(8 + 2 * i, 2 * i, 2 * i + 1)
      code:high_pairs(9 + 2 * i, 2 * i, 2 * i + 1)
   end
   for i = 0, 1 do
      local p, q = 8 + 4 * i, 10 + 4 * i
      code:shuffle(4 * i, p, q, 0x44)
      code:shuffle(4 * i + 1, p, q, 0xEE)
      code:shuffle(4 * i + 2, p + 1, q + 1, 0x44)
      code:shuffle(4 * i + 3, p + 1, q + 1, 0xEE)
   end
   for i = 0, 3 do
      code:halves(8 + i, i, i + 4, 0x20)
      code:halves(12 + i, i, i + 4, 0x31)
   end
   for i = 0, 7 do code:store(8 + i, { base = RCX, offset = offset + i * pitch }) end
end

-- The same for four columns of four rows of doubles.
local function turn_four(code, base, offset, pitch)
   code:load(15, { base = 9 })
   for i = 0, 3 do code:load_some(i, 15, row(base, i)) end
   for i = 0, 1 do
      code:low_pairs(4 + 2 * i, 2 * i, 2 * i + 1)
      code:high_pairs(5 + 2 * i, 2 * i, 2 * i + 1)
   end
   for i = 0, 1 do
      code:halves(8 + i, 4 + i, 6 + i, 0x20)
      code:halves(10 + i, 4 + i, 6 + i, 0x31)
   end
   for i = 0, 3 do code:store(8 + i, { base = RCX, offset = offset + i * pitch }) end
end

function panel_code.turn(code, n)
   local pitch, lanes = n * VECTOR, VECTOR / code.T.size
   local square, all = lanes == 8 and turn_eight or turn_four, {}
   code:keep(SAVED)
   code:get(RSI, RDI, A)
   code:get(RCX, RDI, C)
   get_rows(code, A_ROW)
   -- The last of eight rows, and the first behind those of the first vector.
   code:copy(10, RBP)
   code:increase(10, RDX)
   code:increase(10, RDX)
   code:copy(11, lanes == 8 and 10 or RBX)
   code:increase(11, RDX)
   code:increase(11, RSI)
   code:address(vector_masks(code.T.size) + lanes * VECTOR)
   code:copy(9, RAX)
   code:get(RAX, RDI, COUNT)
   code:repeatedly(RAX, 1, function()
      code:with_number('compare', RAX, 0)
      code:jump('jnz', all)
      code:get(9, RDI, MASK)
      code:place(all)
      square(code, RSI, 0, pitch)
      if n > 1 then square(code, 11, VECTOR, pitch) end
      code:with_number('add', RSI, VECTOR)
      code:with_number('add', 11, VECTOR)
      code:with_number('add', RCX, lanes * pitch)
   end)
   code:leave(SAVED)
end

return panel_code
