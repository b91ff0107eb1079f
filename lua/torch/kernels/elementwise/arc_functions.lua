-- Arc functions of doubles in vectors, as machine code: f(code, d, x) and arctan2(code, d, y, x) as in
-- vector_functions.lua. What leading terms lack is added, so that results are right within 0.62 units in the last
-- place, denormal ones of arctan2 within 0.8. They use registers 7 to 13, and memory below the stack's end.

local pi = math.pi
local exact_steps = require 'torch.kernels.elementwise.exact_steps'

local arc_functions = {}

local EQUAL, UNORDERED, LESS, NOT_LESS, GREATER = 0x00, 0x03, 0x11, 0x15, 0x1E

-- What doubles of a quarter and of half a turn lack.
local QUARTER_LACK = 0x1.1a62633145c07p-54

-- arcsin(y) = y + y z times the sum of these by the powers of z = y^2, for |y| up to 1/2.
local SINE = { 0.16666666666666763, 0.07499999999970089, 0.04464285717529326, 0.030381942674984185,
   0.02237221591313743, 0.017351595386141516, 0.013981019741881534, 0.011397284270190025, 0.010789365271062902,
   0.0036720343086412946, 0.021790982041282374, -0.021117155713830695, 0.032702415407953246 }

-- arctan(y) = y + y z times the sum of these by the powers of z = y^2, for |y| up to tan(pi / 16) and some more.
local TANGENT = { -0.3333333333333329, 0.19999999999967633, -0.14285714277328918, 0.11111110059500237,
   -0.09090836002010391, 0.07689337897759607, -0.06596200142003826, 0.04968160461371519 }

local aside, double, polynomial = exact_steps.aside, exact_steps.double, exact_steps.polynomial

-- Marks in LARGE where |x|, in M, is above 1/2. There Y is 2 sqrt((1 - |x|) / 2) with the signs in SIGN, and LACK what
-- that lacks; else LACK is 0. The arc sine of Y / 2, or of M, is itself times 1 and C.
local M, LARGE, Y, LACK, C, SIGN, T = 8, 9, 10, 11, 12, 13, 7

local function half_angle(code, x)
   code:move(M, double(code, -0.0))
   code:and_not(M, M, x)
   code:compare(LARGE, M, double(code, 0.5), GREATER)
   code:move(LACK, double(code, 1))
   code:subtract(LACK, LACK, M)
   code:multiply(LACK, LACK, double(code, 0.5))
   code:multiply(C, M, M)
   code:choose(T, C, LACK, LARGE * 16)
   code:root(Y, LACK)
   code:subtract_product(LACK, Y, Y)
   code:max(C, Y, double(code, 1e-300))
   code:divide(LACK, LACK, C)
   code:bit_xor(LACK, LACK, SIGN)
   code:bit_and(LACK, LACK, LARGE)
   code:add(Y, Y, Y)
   code:bit_xor(Y, Y, SIGN)
   polynomial(code, C, T, SINE)
   code:multiply(C, C, T)
end

-- Sets M to the angle T, of which QUARTER_LACK / (pi / 2) is missing, plus Y, LACK and Y C.
local function add_angle(code)
   code:add(M, T, Y)
   code:subtract(SIGN, T, M)
   code:add(SIGN, SIGN, Y)
   code:add(SIGN, SIGN, LACK)
   code:add_product(SIGN, Y, C)
   code:add_product(SIGN, T, double(code, QUARTER_LACK / (pi / 2)))
   code:add(M, M, SIGN)
end

function arc_functions.arcsin(code, d, x)
   code:move(SIGN, double(code, -0.0))
   half_angle(code, x)
   code:choose(Y, M, Y, LARGE * 16)
   code:bit_and(T, LARGE, double(code, pi / 2))
   code:bit_and(LARGE, x, double(code, -0.0))
   add_angle(code)
   code:bit_or(d, M, LARGE)
end

function arc_functions.arccos(code, d, x)
   code:bit_and(SIGN, x, double(code, -0.0))
   half_angle(code, x)
   code:compare(T, x, double(code, 0), LESS)
   code:bit_and(T, T, double(code, pi))
   code:move(M, double(code, pi / 2))
   code:choose(T, M, T, LARGE * 16)
   code:move(M, double(code, 0))
   code:subtract(M, M, x)
   code:choose(Y, M, Y, LARGE * 16)
   add_angle(code)
   code:move(d, M)
end

-- An angle from 0 to an eighth of a turn is near 0, pi / 8 or pi / 4. EIGHTH is pi / 8 with so few digits that its
-- multiples are exact, and LACKING the fraction of them that is missing; MIDDLE is tan(pi / 8), whose arc is more than
-- pi / 8 by BESIDE.
local EIGHTH, LACKING = 0x1.921fb54442d00p-2, 3.4315733785529566e-15
local MIDDLE, BESIDE = 0x1.a827999fcef32p-2, -1.2247952842778023e-17
local LOWER, UPPER = 0.2072, 0.66818

-- Of lesser and of greater numbers, sums with products are not exact.
local SMALL, LARGEST = 2 ^ -900, 2 ^ 1000

-- Scales the numbers 10 >= 11 >= 0 where they are very large or small. Two infinities are like equal numbers.
local function scale(code)
   local plain = {}
   code:compare(9, 11, double(code, SMALL), LESS)
   code:compare(12, 10, double(code, LARGEST), NOT_LESS)
   code:bit_or(13, 9, 12)
   code:test_signs(13, 13)
   code:jump('jz', plain)
   code:move(13, double(code, 1))
   code:choose(13, 13, double(code, 2 ^ 110), 9 * 16)
   code:choose(13, 13, double(code, 2 ^ -100), 12 * 16)
   code:multiply(11, 11, 13)
   code:multiply(13, 10, 13)
   code:move(10, double(code, 2 ^ -1000))
   code:max(10, 10, 13)
   code:compare(9, 10, double(code, math.huge), EQUAL)
   code:compare(13, 11, 11, UNORDERED)
   code:and_not(9, 13, 9)
   code:compare(12, 11, 10, EQUAL)
   code:bit_and(12, 12, double(code, 1))
   code:choose(10, 10, double(code, 1), 9 * 16)
   code:choose(11, 11, 12, 9 * 16)
   code:place(plain)
end

-- Sets 7 to the angle of the point at y above and x, or 1 without it, to the right; uses registers 7 to 13.
local function angle(code, y, x)
   code:store(y, aside(1))
   code:move(7, double(code, -0.0))
   code:and_not(9, 7, y)
   if x then
      code:move(10, x)
      code:store(10, aside(2))
      code:and_not(10, 7, 10)
   else
      -- Beyond that the angle is a quarter of a turn.
      code:move(10, double(code, 2 ^ 60))
      code:min(9, 10, 9)
      code:move(10, double(code, 1))
   end
   -- The lesser in 11 and the greater in 10: NaN stays.
   code:compare(8, 9, 10, GREATER)
   code:min(11, 9, 10)
   code:max(10, 10, 9)
   if x then scale(code) end
   code:multiply(9, 10, double(code, LOWER))
   code:compare(9, 9, 11, LESS)
   code:multiply(12, 10, double(code, UPPER))
   code:compare(12, 12, 11, LESS)
   -- The angle to which another one is added, with their sign in register 12.
   code:bit_and(7, 9, double(code, BESIDE))
   code:and_not(7, 12, 7)
   code:bit_and(13, 9, double(code, EIGHTH))
   code:choose(13, 13, double(code, 2 * EIGHTH), 12 * 16)
   code:bit_and(9, 9, double(code, MIDDLE))
   code:choose(9, 9, double(code, 1), 12 * 16)
   if x then code:bit_xor(12, 8, aside(2)) else code:move(12, 8) end
   code:bit_and(12, 12, double(code, -0.0))
   code:bit_xor(13, 13, 12)
   code:bit_xor(7, 7, 12)
   code:store(7, aside(3))
   if x then
      code:load(7, aside(2))
      code:bit_and(7, 7, double(code, -0.0))
      code:bit_or(7, 7, double(code, 1))
      code:compare(7, 7, double(code, 0), LESS)
      code:bit_and(7, 7, double(code, 8 * EIGHTH))
      code:choose(7, 7, double(code, 4 * EIGHTH), 8 * 16)
   else
      code:bit_and(7, 8, double(code, 4 * EIGHTH))
   end
   code:add(13, 13, 7)
   code:store(13, aside(4))

   -- The lesser less c times the greater by the greater and c times the lesser, and what these lack.
   code:multiply(7, 9, 10)
   code:move(8, 7)
   code:subtract_product(8, 9, 10)
   code:move(13, 10)
   code:add_product(13, 9, 11)
   code:subtract(10, 10, 13)
   code:add_product(10, 9, 11)
   code:subtract(11, 11, 7)
   code:move(7, double(code, 1))
   code:divide(7, 7, 13)
   code:multiply(9, 11, 7)
   code:subtract_product(11, 9, 13)
   code:add(11, 11, 8)
   code:subtract_product(11, 9, 10)
   code:multiply(11, 11, 7)

   code:multiply(8, 9, 9)
   polynomial(code, 10, 8, TANGENT)
   code:multiply(10, 10, 8)
   code:bit_xor(9, 9, 12)
   code:bit_xor(11, 11, 12)
   code:add(11, 11, aside(3))
   code:multiply_add(10, 9, 11)
   code:load(13, aside(4))
   code:add(7, 13, 9)
   code:subtract(8, 13, 7)
   code:add(8, 8, 9)
   code:add(10, 10, 8)
   code:add_product(10, 13, double(code, LACKING))
   code:add(7, 7, 10)
   code:load(8, aside(1))
   code:bit_and(8, 8, double(code, -0.0))
   code:bit_or(7, 7, 8)
end

function arc_functions.arctan(code, d, x)
   angle(code, x)
   code:move(d, 7)
end

function arc_functions.arctan2(code, d, y, x)
   angle(code, y, x)
   code:move(d, 7)
end

return arc_functions
