-- Conversions between contiguous Floats and doubles as machine code, with the arguments of NumPy's loops. See
-- docs/decisions/0028-vector-code.md.

local assembler = require 'torch.native.assembler'
local types = require 'torch.base.types'

local FROM, TO, RDI, COUNT = 8, 9, 7, 6

-- Elements per iteration, in vectors of four.
local TURN, VECTOR = 16, 4

-- The loop from type S to type T as a pointer; nil if there is none.
return function(T, S)
   local widens = T.name == 'Double' and S.name == 'Float'
   if not widens and not (T.name == 'Float' and S.name == 'Double') or not assembler.possible() then return nil end
   local code = assembler.new(types.by_name.Double)
   code:get(FROM, RDI, 0)
   code:get(TO, RDI, 8)
   code:get(COUNT, COUNT, 0)
   local function advance(count)
      code:with_number('add', FROM, count * S.size)
      code:with_number('add', TO, count * T.size)
   end
   code:repeatedly(COUNT, TURN, function()
      for k = 0, TURN / VECTOR - 1 do
         local from, to = { base = FROM, offset = k * VECTOR * S.size }, { base = TO, offset = k * VECTOR * T.size }
         if widens then
            code:widen(k, from)
            code:store(k, to)
         else
            code:narrow(k, from)
            code:store_floats(k, to)
         end
      end
      advance(TURN)
   end)
   code:repeatedly(COUNT, 1, function()
      if widens then
         code:load_float(0, { base = FROM })
         code:widen(0, 0)
         code:store_one(0, { base = TO })
      else
         code:load_one(0, { base = FROM })
         code:narrow(0, 0)
         code:store_float(0, { base = TO })
      end
      advance(1)
   end)
   code:leave()
   return code:finish()
end
