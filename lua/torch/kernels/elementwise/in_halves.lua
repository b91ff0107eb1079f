-- Functions of Floats that are computed in doubles, four at a time.
--
-- in_halves(code, formula) calls formula(read), which leaves its result in register 12, for each half of a vector;
-- read(d, x) sets d to an operand. The Floats are left in register 7, which the formula must not change.

local Double = require('torch.base.types').by_name.Double

local DONE, RESULT = 7, 12

-- Sets d to half of the Floats in x, a register or a number in memory, as doubles.
local function widen(code, d, x, upper)
   if upper and type(x) == 'number' then
      code:upper_half(x, d, 1)
      x = d
   end
   code:widen(d, x)
end

local function in_halves(code, formula)
   local T, half = code.T, code.half
   code.T, code.half = Double, false
   for upper = 0, half and 0 or 1 do
      formula(function(d, x) widen(code, d, x, upper == 1) end)
      code:narrow(RESULT, RESULT)
      if upper == 1 then code:halves(DONE, DONE, RESULT, 0x20) else code:move(DONE, RESULT) end
   end
   code.T, code.half = T, half
end

return in_halves
