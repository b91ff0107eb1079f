-- Conversions of neighbors between Floats and doubles, and of integers up to 32 bits to them, as machine code: a loop
-- with the arguments of NumPy's. See docs/decisions/0028-vector-code.md.

local assembler = require 'torch.native.assembler'
local types = require 'torch.base.types'

local FROM, TO, RDI, COUNT = 8, 9, 7, 6

-- Elements of a turn, in vectors of four.
local TURN, VECTOR = 16, 4

-- Instructions that load four elements as integers of 32 bits.
local integers = { Byte = 'load_bytes', Char = 'load_chars', Short = 'load_shorts', Int = 'load_floats' }

local function convert_four(code, T, S, k, from, to)
   local double = T.name == 'Double'
   if integers[S.name] then
      code.half = true
      code[integers[S.name]](code, k, from)
      if not double then code:from_integer(k, k) end
      code.half = false
      if double then code:double_integers(k, k) end
   else
      code[double and 'widen' or 'narrow'](code, k, from)
   end
   if double then code:store(k, to) else code:store_floats(k, to) end
end

local function convert_one(code, widens)
   if widens then
      code:load_float(0, { base = FROM })
      code:widen(0, 0)
      code:store_one(0, { base = TO })
   else
      code:load_one(0, { base = FROM })
      code:narrow(0, 0)
      code:store_float(0, { base = TO })
   end
end

-- The loop from type S to type T as a pointer, and the number of which its count is a multiple; nil where there is
-- none.
return function(T, S)
   local fractions = T.name == 'Double' and S.name == 'Float' or T.name == 'Float' and S.name == 'Double'
   local from_integers = integers[S.name] and (T.name == 'Double' or T.name == 'Float')
   if not (fractions or from_integers) or not assembler.possible() then return nil end
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
         convert_four(code, T, S, k, { base = FROM, offset = k * VECTOR * S.size },
            { base = TO, offset = k * VECTOR * T.size })
      end
      advance(TURN)
   end)
   -- There are no loads of one byte.
   if fractions then
      code:repeatedly(COUNT, 1, function()
         convert_one(code, T.name == 'Double')
         advance(1)
      end)
   end
   code:leave()
   return code:finish(), fractions and 1 or TURN
end
