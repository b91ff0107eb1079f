-- The exponential of elements of one type, by loops of NumPy by name: exponential(x, z, n, m) sets z = exp(x) for m
-- contiguous rows of n elements, together at most MOST; x and z may be the same. Rows do not change the bits of others.
--
-- With vectors of 512 bits NumPy's exp2 is the fastest. Else its exp of Floats takes 40 cycles for a vector, more than
-- the 16 loops of the series below. Doubles have NumPy's exp alone.

local log = math.log
local ffi = require 'ffi'
local aligned = require 'torch.native.aligned'

-- 2^r is 1 and the sum of these coefficients by the powers of r, for |r| up to 1/2 with an error of 0.8 units in the
-- last place.
local SERIES = { 0.693147004, 0.240222454, 0.0555070862, 0.00967137422, 0.00132705702 }
-- Between -86.5 and 88 the result is no denormal number and not infinite: the bits of the largest such numbers of both
-- signs, as signed and as unsigned integers.
local LARGEST, LEAST = 0x42B00000, 0xC2AD0000
-- From here on Floats are whole numbers: their last bits are the number that is added.
local WHOLE, FRACTION_BITS = 1.5 * 2 ^ 23, 23

return function(T, loops, MOST)
   local SIZE = T.size
   local exp, exp2, add, subtract, multiply = loops.exp, loops.exp2, loops.add, loops.subtract, loops.multiply
   local function number(value) return ffi.new(T.c .. '[1]', value) end
   local log2_e = number(1 / log(2))

   if exp2 then
      return function(x, z, n, m)
         multiply(x, SIZE, log2_e, 0, z, SIZE, n * m)
         exp2(z, SIZE, z, SIZE, n * m)
      end
   elseif not loops.left_shift then
      return function(x, z, n, m) exp(x, SIZE, z, SIZE, n * m) end
   end

   local add_bits, left_shift = loops.add_bits, loops.left_shift
   local maximum_signed, maximum_unsigned = loops.maximum_signed, loops.maximum_unsigned
   local whole, one, places = number(WHOLE), number(1), ffi.new('uint32_t[1]', FRACTION_BITS)
   local c1, c2, c3 = number(SERIES[1]), number(SERIES[2]), number(SERIES[3])
   local c4, c5 = number(SERIES[4]), number(SERIES[5])
   local power, sum = aligned(T.c, MOST), aligned(T.c, MOST)

   -- x is log(2) (r + k) for a whole number k, and exp(x) is 2^r with k added to its exponent. The error of r is that
   -- of rounding x once more.
   local function series(x, z, n)
      multiply(x, SIZE, log2_e, 0, z, SIZE, n)
      add(z, SIZE, whole, 0, power, SIZE, n)
      subtract(power, SIZE, whole, 0, sum, SIZE, n)
      subtract(z, SIZE, sum, SIZE, z, SIZE, n)
      multiply(z, SIZE, c5, 0, sum, SIZE, n)
      add(sum, SIZE, c4, 0, sum, SIZE, n)
      multiply(sum, SIZE, z, SIZE, sum, SIZE, n)
      add(sum, SIZE, c3, 0, sum, SIZE, n)
      multiply(sum, SIZE, z, SIZE, sum, SIZE, n)
      add(sum, SIZE, c2, 0, sum, SIZE, n)
      multiply(sum, SIZE, z, SIZE, sum, SIZE, n)
      add(sum, SIZE, c1, 0, sum, SIZE, n)
      multiply(sum, SIZE, z, SIZE, sum, SIZE, n)
      add(sum, SIZE, one, 0, sum, SIZE, n)
      left_shift(power, SIZE, places, 0, power, SIZE, n)
      add_bits(sum, SIZE, power, SIZE, z, SIZE, n)
   end

   local signed, unsigned = ffi.new 'int32_t[1]', ffi.new 'uint32_t[1]'

   local function ordinary(x, n)
      signed[0], unsigned[0] = 0, 0
      maximum_signed(signed, 0, x, SIZE, signed, 0, n)
      maximum_unsigned(unsigned, 0, x, SIZE, unsigned, 0, n)
      return signed[0] <= LARGEST and unsigned[0] <= LEAST
   end

   return function(x, z, n, m)
      if ordinary(x, n * m) then return series(x, z, n * m) end
      for i = 0, m - 1 do
         local from, to = x + i * n, z + i * n
         if m > 1 and ordinary(from, n) then series(from, to, n) else exp(from, SIZE, to, SIZE, n) end
      end
   end
end
