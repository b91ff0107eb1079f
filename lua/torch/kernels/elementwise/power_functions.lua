-- Powers of doubles in vectors, as machine code: power(code, d, x, y) as in vector_functions.lua. Logarithms have twice
-- the digits: results are right within 0.54 units in the last place, denormal ones within 0.8. Powers of Floats are
-- computed in doubles and rounded. They use registers 7 to 13, and memory below the stack's end.

local huge, log = math.huge, math.log
local double_functions = require 'torch.kernels.elementwise.double_functions'
local exact_steps = require 'torch.kernels.elementwise.exact_steps'
local exponentials = require 'torch.kernels.elementwise.exponentials'
local in_halves = require 'torch.kernels.elementwise.in_halves'
local logarithm_table = require 'torch.kernels.elementwise.logarithm_table'

local power_functions = {}

local EQUAL, UNORDERED, NOT_EQUAL, LESS = 0x00, 0x03, 0x04, 0x11
local NOT_GREATER_EQUAL, GREATER = 0x19, 0x1E
local RAX = 0

-- exp(r) = 1 + r + r^2 times the sum of these by the powers of r, for |r| up to log(2) / 2.
local EXP_OF_FLOATS = { 0.4999999999960149, 0.16666666666566318, 0.04166666699067482, 0.008333333389323329,
   0.0013888807299196324, 0.00019841162080274854, 2.4882418681253065e-05, 2.7644132957145805e-06 }

-- log(1 + r) = r - r^2 / 2 + r^3 times the sum of these by the powers of r, for |r| up to 0.0079.
local LOG = { 0.3333333333333333, -0.25000000000000605, 0.2000000000000176, -0.1666666661584248, 0.14285714204256242,
   -0.12501278880855254, 0.11112577826217672 }

-- Numbers so large give 0, 1 or infinity, whatever the base.
local LARGE = 2 ^ 80

local SMALLEST = 2 ^ -1022
local NAN = 2 ^ 63 - 2 ^ 51

local aside, bits, bounded, double = exact_steps.aside, exact_steps.bits, exact_steps.bounded, exact_steps.double
local polynomial, product, sum = exact_steps.polynomial, exact_steps.product, exact_steps.sum

-- Sets 10 to the logarithm of 8 > 0, and 8 to what it lacks.
local function logarithm(code)
   code:compare(7, 8, double(code, SMALLEST), LESS)
   code:multiply(9, 8, double(code, 2 ^ 54))
   code:choose(8, 8, 9, 7 * 16)
   code:bit_and(7, 7, double(code, 54))
   -- The exponent in 10, the mantissa in 8, and its row of the table in 9.
   code:subtract_bits(9, 8, bits(code, logarithm_table.FIRST))
   code:add_bits(10, 9, double(code, 1))
   code:right_by(10, 10, 52)
   code:bit_or(10, 10, double(code, 2 ^ 52))
   code:subtract(10, 10, double(code, 2 ^ 52 + 1023))
   code:subtract(10, 10, 7)
   code:bit_and(11, 9, bits(code, -2 ^ 52))
   code:subtract_bits(8, 8, 11)
   code:right_by(9, 9, logarithm_table.SHIFT)
   code:bit_and(9, 9, bits(code, logarithm_table.MASK))
   code:address(logarithm_table.rows)
   local function read(d, column)
      code:move(11, double(code, -0.0))
      code:gather(d, 11, { base = RAX, index = 9, scale = 1, offset = 8 * column })
   end
   -- 8 times a reciprocal is 1 + r, exactly, for r in 13.
   read(12, 0)
   code:move(13, double(code, -1))
   code:add_product(13, 8, 12)
   read(12, 1)
   read(8, 2)
   code:add_product(12, 10, double(code, logarithm_table.LN2))
   code:add_product(8, 10, double(code, logarithm_table.REST))
   sum(code, 10, 12, 13, 8)
   code:multiply(12, 13, double(code, -0.5))
   product(code, 9, 11, 13, 12)
   code:add(8, 8, 11)
   sum(code, 12, 10, 9, 8)
   polynomial(code, 11, 13, LOG)
   code:multiply(9, 13, 13)
   code:multiply(9, 9, 13)
   code:add_product(8, 9, 11)
   code:add(10, 12, 8)
   code:subtract(12, 12, 10)
   code:add(8, 8, 12)
end

-- Mends the power in 7 where the base is no positive normal number, or the exponent is NaN, as C has it.
local function mend(code)
   local ordinary = {}
   code:load(8, aside(1))
   code:load(9, aside(2))
   code:compare(10, 8, double(code, SMALLEST), NOT_GREATER_EQUAL)
   code:compare(11, 8, double(code, huge), EQUAL)
   code:bit_or(10, 10, 11)
   code:compare(11, 9, 9, UNORDERED)
   code:bit_or(10, 10, 11)
   code:test_signs(10, 10)
   code:jump('jz', ordinary)
   code:move(10, double(code, -0.0))
   code:and_not(10, 10, 8)
   code:compare(11, 10, double(code, 0), EQUAL)
   code:compare(12, 10, double(code, huge), EQUAL)
   code:compare(13, 9, double(code, 0), GREATER)
   code:bit_xor(13, 13, 11)
   code:bit_and(13, 13, double(code, huge))
   code:bit_or(11, 11, 12)
   code:choose(7, 7, 13, 11 * 16)
   for x = 8, 9 do
      code:compare(11, x, x, UNORDERED)
      code:choose(7, 7, x, 11 * 16)
   end
   -- Of negative numbers: odd powers are negative, and those of fractions unknown.
   code:round(11, 9, 11)
   code:compare(11, 11, 9, NOT_EQUAL)
   code:multiply(12, 9, double(code, 0.5))
   code:round(13, 12, 11)
   code:compare(13, 13, 12, NOT_EQUAL)
   code:and_not(13, 11, 13)
   code:bit_and(13, 13, 8)
   code:bit_and(13, 13, double(code, -0.0))
   code:bit_xor(7, 7, 13)
   code:compare(12, 8, double(code, 0), LESS)
   code:bit_and(11, 11, 12)
   code:compare(12, 10, double(code, huge), LESS)
   code:bit_and(11, 11, 12)
   code:choose(7, 7, bits(code, NAN), 11 * 16)
   code:compare(11, 9, double(code, 0), EQUAL)
   code:compare(12, 8, double(code, 1), EQUAL)
   code:bit_or(11, 11, 12)
   code:choose(7, 7, double(code, 1), 11 * 16)
   code:place(ordinary)
end

-- Sets 7 to 8 to the power 9; uses 7 to 13.
local function power(code)
   code:keep { RAX }
   code:store(8, aside(1))
   code:store(9, aside(2))
   code:move(10, double(code, -0.0))
   code:and_not(8, 10, 8)
   logarithm(code)
   bounded(code, 13, aside(2), -LARGE, LARGE, 11)
   product(code, 9, 11, 13, 10)
   code:add_product(11, 13, 8)
   code:move(10, 9)
   exponentials.of_any(code, true)
   mend(code)
   code:bring_back { RAX }
end

-- The same for Floats, in doubles that have digits enough. Powers beyond e^200 are infinite.
local function power_of_floats(code)
   code:store(8, aside(1))
   code:store(9, aside(2))
   code:move(10, double(code, -0.0))
   code:and_not(7, 10, 8)
   double_functions.log(code, 10, 7)
   bounded(code, 13, aside(2), -LARGE, LARGE, 11)
   code:multiply(13, 13, 10)
   bounded(code, 10, 13, -200, 200, 7)
   code:multiply(12, 10, double(code, 1 / log(2)))
   code:round(12, 12, 8)
   code:subtract_product(10, 12, double(code, exponentials.LN2))
   code:subtract_product(10, 12, double(code, exponentials.REST))
   polynomial(code, 7, 10, EXP_OF_FLOATS)
   code:multiply_add(7, 10, double(code, 1))
   code:multiply_add(7, 10, double(code, 1))
   exponentials.scale(code, 12)
   mend(code)
end

function power_functions.power(code, d, x, y)
   if code.T.size == 8 then
      code:move(9, y)
      code:move(8, x)
      power(code)
      return code:move(d, 7)
   end
   in_halves(code, function(read)
      code:store(7, aside(4))
      read(9, y)
      read(8, x)
      power_of_floats(code)
      code:move(12, 7)
      code:load(7, aside(4))
   end)
   code:move(d, 7)
end

return power_functions
