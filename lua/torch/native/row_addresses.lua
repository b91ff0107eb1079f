-- Rows of memory in machine code: the row stride in bytes is in registers, once in RDX, times three in RBX, times five
-- in RBP and, for eight rows, times seven in R10.
--
--    row_addresses.of(base, i, offset)    0-based row i of memory at a register, plus bytes
--    row_addresses.get(code, from)        loads RDX, RBX and RBP from three words of a struct at RDI, `from` bytes
--                                         in it

local row_addresses = {}

local RDX, RBX, RBP, RDI, R10 = 2, 3, 5, 7, 10
local INDICES, SCALES = { RDX, RDX, RBX, RDX, RBP, RBX, R10 }, { 1, 2, 1, 4, 1, 2, 1 }

function row_addresses.of(base, i, offset)
   return { base = base, index = INDICES[i], scale = SCALES[i], offset = offset }
end

function row_addresses.get(code, from)
   code:get(RDX, RDI, from)
   code:get(RBX, RDI, from + 8)
   code:get(RBP, RDI, from + 16)
end

return row_addresses
