-- Half precision numbers as 16 bits, as in HalfTensors and NumPy's float16.

local bit = require 'bit'
local ffi = require 'ffi'
local band, rshift = bit.band, bit.rshift
local floor, frexp, huge = math.floor, math.frexp, math.huge

local half = {}

local power = ffi.new('double[32]')
for e = 0, 31 do power[e] = 2 ^ (e - 25) end

function half.to_number(bits)
   local exponent, mantissa = band(rshift(bits, 10), 31), band(bits, 1023)
   local value
   if exponent == 0 then value = mantissa * 2 ^ -24
   elseif exponent == 31 then value = mantissa == 0 and huge or 0 / 0
   else value = (mantissa + 1024) * power[exponent] end
   if bits >= 32768 then return -value end
   return value
end

local single = ffi.new('float[1]')

-- The 16 bits nearest to a number, ties to even, rounded to single precision first as in Torch7.
function half.from_number(number)
   single[0] = number
   number = single[0]
   if number ~= number then return 32256 end
   local sign = 0
   if number < 0 or 1 / number < 0 then sign, number = 32768, -number end
   if number >= 65520 then return sign + 31744 end
   local scaled, base
   if number < 2 ^ -14 then
      scaled, base = number * 2 ^ 24, 0
   else
      local mantissa, exponent = frexp(number)
      scaled, base = mantissa * 2048 - 1024, (exponent + 14) * 1024
   end
   local whole = floor(scaled)
   local rest = scaled - whole
   if rest > 0.5 or rest == 0.5 and whole % 2 == 1 then whole = whole + 1 end
   -- A mantissa that rounds up to 1024 carries into the exponent, as the bits are laid out.
   return sign + base + whole
end

return half
