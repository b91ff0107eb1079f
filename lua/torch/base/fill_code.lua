-- Filling memory with the vector of 32 bytes at its start, as machine code: a loop of one input with the arguments of
-- NumPy's, whose elements are such vectors. See docs/decisions/0028-vector-code.md.

local assembler = require 'torch.native.assembler'
local types = require 'torch.base.types'

local FROM, TO, RDI, COUNT = 8, 9, 7, 6

-- Vectors of a turn.
local TURN, VECTOR = 4, 32

-- The loop as a pointer; nil where there is none.
return function()
   if not assembler.possible() then return nil end
   local code = assembler.new(types.by_name.Double)
   code:get(FROM, RDI, 0)
   code:get(TO, RDI, 8)
   code:get(COUNT, COUNT, 0)
   code:load(0, { base = FROM })
   for _, vectors in ipairs { TURN, 1 } do
      code:repeatedly(COUNT, vectors, function()
         for k = 0, vectors - 1 do code:store(0, { base = TO, offset = k * VECTOR }) end
         code:with_number('add', TO, vectors * VECTOR)
      end)
   end
   code:leave()
   return code:finish()
end
