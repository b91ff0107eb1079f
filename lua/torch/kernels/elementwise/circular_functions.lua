-- Sine, cosine and tangent in vectors, as machine code, as in vector_functions.lua: f(code, d, x). Those of doubles are
-- right within 0.58 units in the last place, for all magnitudes; those of Floats are computed in doubles and rounded.
-- They use registers 7 to 13, and memory below the stack's end.

local exact_steps = require 'torch.kernels.elementwise.exact_steps'
local in_halves = require 'torch.kernels.elementwise.in_halves'
local reduced_angles = require 'torch.kernels.elementwise.reduced_angles'

local circular_functions = {}

local COUNT, R, LACK = 9, 10, 11

-- By z = r^2, for |r| up to pi / 4: sin(r) = r + r z times the sum of these by the powers of z, and cos(r) = 1 - z / 2
-- + z^2 times that of the others. Of doubles, the first of the former is less by -SIXTH, which multiplies exactly.
local SIXTH = 0.16666666666666666
local SINE = {
   [8] = { -9.25185853854297e-18, 0.00833333333333333, -0.0001984126984126115, 2.755731921685949e-06,
      -2.505210551760944e-08, 1.6058435366088298e-10, -7.581779856039808e-13 },
   [4] = { -0.16666666666631594, 0.008333333325271503, -0.0001984126382261423, 2.7555357645307816e-06,
      -2.4761642349883918e-08 },
}
local COSINE = {
   [8] = { 0.0416666666666666, -0.0013888888888874125, 2.4801587289482035e-05, -2.7557314352277083e-07,
      2.0875723264407054e-09, -1.1359647299908761e-11 },
   [4] = { 0.04166666666660221, -0.0013888888878267503, 2.4801580968407953e-05, -2.7555566503109697e-07,
      2.064769569772987e-09 },
}

local aside, double, polynomial = exact_steps.aside, exact_steps.double, exact_steps.polynomial

-- The sine of a reduced angle is 11 + 13, its cosine 12 + aside(1); uses registers 7 to 13.
local function of_doubles(code, x)
   code:move(8, double(code, -0.0))
   code:and_not(8, 8, x)
   reduced_angles(code, true)
   code:multiply(8, R, R)
   code:multiply(7, R, double(code, 0.5))
   code:move(12, double(code, 1))
   code:move(13, 12)
   code:subtract_product(12, R, 7)
   -- What 1 - z / 2 lacks, and r times what r lacks.
   code:subtract(13, 13, 12)
   code:subtract_product(13, R, 7)
   code:subtract_product(13, R, LACK)
   code:multiply(LACK, LACK, 12)
   code:store(LACK, aside(2))
   polynomial(code, 7, 8, COSINE[8])
   code:multiply(7, 7, 8)
   code:multiply_add(7, 8, 13)
   code:store(7, aside(1))
   polynomial(code, 13, 8, SINE[8])
   -- r^3 in two parts, the second one negative.
   code:multiply(11, 8, R)
   code:move(7, 11)
   code:subtract_product(7, 8, R)
   code:subtract_product(8, R, R)
   code:add_product(7, 8, R)
   code:multiply_add(13, 11, aside(2))
   code:add_product(13, 7, double(code, SIXTH))
   code:multiply(7, 11, double(code, SIXTH))
   code:move(8, 7)
   code:subtract_product(8, 11, double(code, SIXTH))
   code:add(13, 13, 8)
   code:subtract(11, R, 7)
   code:subtract(R, R, 11)
   code:subtract(R, R, 7)
   code:add(13, 13, R)
end

-- Sets register 11 to the sine, and 12 to the cosine, of half of the Floats in x; uses registers 8 to 13.
local function of_floats(code, x, read)
   read(8, x)
   code:move(12, double(code, -0.0))
   code:and_not(8, 12, 8)
   reduced_angles(code, false)
   code:multiply(8, R, R)
   polynomial(code, 11, 8, SINE[4])
   code:multiply(11, 11, 8)
   code:multiply_add(11, R, R)
   polynomial(code, 12, 8, COSINE[4])
   code:multiply_add(12, 8, double(code, -0.5))
   code:multiply_add(12, 8, double(code, 1))
end

-- Sets register 12 to `even` or `odd` by the count of quarter turns, which is negative in every second half of a turn.
local function by_quarters(code, even, odd)
   code:left_by(13, COUNT, 63)
   code:choose(12, even, odd, 13 * 16)
   code:left_by(COUNT, COUNT, 62)
   code:bit_and(COUNT, COUNT, double(code, -0.0))
   code:bit_xor(12, 12, COUNT)
end

-- Sets d to register `from`, with its sign changed where x is negative.
local function odd_function(code, d, x, from)
   code:bit_and(8, x, code:number(-0.0, code.T.c))
   code:bit_xor(d, from, 8)
end

-- Sets register 12 to the sine or, a quarter turn further, the cosine.
local function sine(code, x, further)
   of_doubles(code, x)
   code:add(12, 12, aside(1))
   code:add(11, 11, 13)
   if further then code:add_bits(COUNT, COUNT, code:number(1, 'int64_t')) end
   by_quarters(code, 11, 12)
end

local function sine_of_floats(code, x, further)
   in_halves(code, function(read)
      of_floats(code, x, read)
      if further then code:add_bits(COUNT, COUNT, code:number(1, 'int64_t')) end
      by_quarters(code, 11, 12)
   end)
end

function circular_functions.sin(code, d, x)
   if code.T.size == 8 then
      sine(code, x, false)
      odd_function(code, d, x, 12)
   else
      sine_of_floats(code, x, false)
      odd_function(code, d, x, 7)
   end
end

function circular_functions.cos(code, d, x)
   if code.T.size == 8 then
      sine(code, x, true)
      code:move(d, 12)
   else
      sine_of_floats(code, x, true)
      code:move(d, 7)
   end
end

-- Sine by cosine or, in every second quarter turn, the reverse with its sign changed: the quotient q, and what the
-- numerator less q times the denominator divided by the latter adds to it.
local function tangent(code, x)
   of_doubles(code, x)
   code:add(8, 12, aside(1))
   code:subtract(12, 12, 8)
   code:add(12, 12, aside(1))
   code:add(10, 11, 13)
   code:subtract(11, 11, 10)
   code:add(11, 11, 13)
   code:left_by(7, COUNT, 63)
   code:choose(13, 10, 8, 7 * 16)
   code:choose(8, 8, 10, 7 * 16)
   code:choose(10, 11, 12, 7 * 16)
   code:choose(12, 12, 11, 7 * 16)
   code:move(11, 10)
   code:move(9, double(code, 1))
   code:divide(9, 9, 8)
   code:multiply(10, 13, 9)
   code:subtract_product(13, 10, 8)
   code:add(13, 13, 11)
   code:subtract_product(13, 10, 12)
   code:multiply_add(13, 9, 10)
   code:bit_xor(12, 13, 7)
end

function circular_functions.tan(code, d, x)
   if code.T.size == 8 then
      tangent(code, x)
      return odd_function(code, d, x, 12)
   end
   in_halves(code, function(read)
      of_floats(code, x, read)
      code:left_by(10, COUNT, 63)
      code:choose(13, 11, 12, 10 * 16)
      code:choose(12, 12, 11, 10 * 16)
      code:divide(12, 13, 12)
      code:bit_xor(12, 12, 10)
   end)
   odd_function(code, d, x, 7)
end

return circular_functions
