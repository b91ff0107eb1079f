-- Exponentials and powers of doubles in vectors, as machine code: f(code, d, x, [y]) as in vector_functions.lua.
-- Leading terms have twice the digits: exponentials are right within 0.6 units in the last place, powers within 0.54,
-- and denormal ones of both within 0.8. Powers of Floats are computed in doubles and rounded. They use registers 7 to
-- 13, and memory below the stack's end.

local huge, log = math.huge, math.log
local double_functions = require 'torch.kernels.elementwise.double_functions'
local in_halves = require 'torch.kernels.elementwise.in_halves'
local logarithm_table = require 'torch.kernels.elementwise.logarithm_table'

local power_functions = {}

local EQUAL, UNORDERED, NOT_EQUAL, LESS, NOT_LESS = 0x00, 0x03, 0x04, 0x11, 0x15
local NOT_GREATER_EQUAL, GREATER = 0x19, 0x1E
local RAX = 0

-- exp(r) = 1 + r + r^2 / 2 + r^3 times the sum of these by the powers of r, for |r| up to log(2) / 2.
local EXP = { 0.16666666666666685, 0.04166666666666673, 0.00833333333331662, 0.0013888888888858287,
   0.00019841269897359845, 2.4801587374011163e-05, 2.7557233931299367e-06, 2.755723315116335e-07,
   2.5112347899304146e-08, 2.0927002275851136e-09 }

-- The same with the powers from r^2 on.
local EXP_OF_FLOATS = { 0.4999999999960149, 0.16666666666566318, 0.04166666699067482, 0.008333333389323329,
   0.0013888807299196324, 0.00019841162080274854, 2.4882418681253065e-05, 2.7644132957145805e-06 }

-- log(1 + r) = r - r^2 / 2 + r^3 times the sum of these by the powers of r, for |r| up to 0.0079.
local LOG = { 0.3333333333333333, -0.25000000000000605, 0.2000000000000176, -0.1666666661584248, 0.14285714204256242,
   -0.12501278880855254, 0.11112577826217672 }

-- Numbers beyond these have 0 and infinity as their exponentials.
local LEAST, MOST = -746, 710

-- Numbers below have normal ones.
local NORMAL = 708

-- Whole numbers beside this are the lowest bits.
local WHOLE = 1.5 * 2 ^ 52

-- ln 2 is split: products of its first part with exponents are exact.
local LN2, REST = 0x1.62e42feep-1, 1.90821492927058770e-10

-- Numbers so large give 0, 1 or infinity, whatever the base.
local LARGE = 2 ^ 80

local SMALLEST = 2 ^ -1022
local NAN = 2 ^ 63 - 2 ^ 51

local function double(code, value) return code:number(value, 'double') end
local function bits(code, value) return code:number(value, 'int64_t') end

-- Vectors that are put aside, below the stack's end.
local function aside(k) return { base = 4, offset = -32 * k } end

local function polynomial(code, d, x, coefficients)
   code:move(d, double(code, coefficients[#coefficients]))
   for k = #coefficients - 1, 1, -1 do code:multiply_add(d, x, double(code, coefficients[k])) end
end

-- Sets d to a + b as rounded, and adds what it lacks to `lack`; changes a. a is 0 or not less than b.
local function sum(code, d, a, b, lack)
   code:add(d, a, b)
   code:subtract(a, a, d)
   code:add(a, a, b)
   code:add(lack, lack, a)
end

-- Sets d to the product of a and b as rounded, and `lack` to what it lacks.
local function product(code, d, lack, a, b)
   code:multiply(d, a, b)
   code:bit_xor(lack, d, double(code, -0.0))
   code:add_product(lack, a, b)
end

-- Sets d to x, within limits: NaN stays. Changes 7.
local function bounded(code, d, x, least, most)
   code:move(d, double(code, most))
   code:min(d, d, x)
   code:move(7, double(code, least))
   code:max(d, 7, d)
end

-- Multiplies 7 by two to the power k.
local function scale(code, k)
   code:add(k, k, double(code, WHOLE))
   code:left_by(k, k, 52)
   code:add_bits(k, k, double(code, 1))
   code:multiply(7, 7, k)
end

-- Sets 7 to the exponential of 10 and, with a lack, of 11 as well, where what r^2 / 2 lacks is added; uses 7 and 10 to
-- 13, and 8 with a lack. The result is normal, or what becomes of it in two steps: powers of two themselves may be no
-- normal numbers.
local function exponential(code, with_lack, normal)
   code:move(12, double(code, WHOLE))
   code:add_product(12, 10, double(code, 1 / log(2)))
   code:subtract(7, 12, double(code, WHOLE))
   code:subtract_product(10, 7, double(code, LN2))
   code:move(13, 10)
   code:subtract_product(13, 7, double(code, REST))
   code:subtract(10, 10, 13)
   code:subtract_product(10, 7, double(code, REST))
   if with_lack then
      code:add(7, 13, 11)
      code:subtract(13, 13, 7)
      code:add(13, 13, 11)
      code:add(10, 10, 13)
      code:move(13, 7)
   end
   -- What r lacks, times 1 + r.
   code:multiply_add(10, 13, 10)
   polynomial(code, 11, 13, EXP)
   code:multiply(7, 13, 13)
   if with_lack then
      code:multiply(7, 7, 13)
      code:multiply_add(11, 7, 10)
      code:multiply(7, 13, double(code, 0.5))
      product(code, 10, 8, 13, 7)
      code:add(11, 11, 8)
      code:move(8, double(code, 1))
      sum(code, 7, 8, 13, 11)
      sum(code, 8, 7, 10, 11)
      code:add(7, 8, 11)
   else
      code:multiply_add(11, 13, double(code, 0.5))
      code:multiply_add(11, 7, 10)
      code:move(10, double(code, 1))
      sum(code, 7, 10, 13, 11)
      code:add(7, 7, 11)
   end
   if normal then
      code:left_by(12, 12, 52)
      return code:add_bits(7, 7, 12)
   end
   code:subtract(12, 12, double(code, WHOLE))
   code:multiply(10, 12, double(code, 0.5))
   code:round(10, 10, 9)
   code:subtract(12, 12, 10)
   scale(code, 10)
   scale(code, 12)
end

-- The same of any number in 10.
local function exponential_of_any(code, with_lack)
   local normal, done = {}, {}
   code:move(7, double(code, -0.0))
   code:and_not(7, 7, 10)
   code:compare(7, 7, double(code, NORMAL), NOT_LESS)
   code:test_signs(7, 7)
   code:jump('jz', normal)
   code:move(13, 10)
   bounded(code, 10, 13, LEAST, MOST)
   if with_lack then
      code:compare(7, 13, 10, EQUAL)
      code:bit_and(11, 11, 7)
   end
   exponential(code, with_lack, false)
   code:jump('always', done)
   code:place(normal)
   exponential(code, with_lack, true)
   code:place(done)
end

function power_functions.exp(code, d, x)
   code:move(10, x)
   exponential_of_any(code, false)
   code:move(d, 7)
end

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
   bounded(code, 13, aside(2), -LARGE, LARGE)
   product(code, 9, 11, 13, 10)
   code:add_product(11, 13, 8)
   code:move(10, 9)
   exponential_of_any(code, true)
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
   bounded(code, 13, aside(2), -LARGE, LARGE)
   code:multiply(13, 13, 10)
   bounded(code, 10, 13, -200, 200)
   code:multiply(12, 10, double(code, 1 / log(2)))
   code:round(12, 12, 8)
   code:subtract_product(10, 12, double(code, LN2))
   code:subtract_product(10, 12, double(code, REST))
   polynomial(code, 7, 10, EXP_OF_FLOATS)
   code:multiply_add(7, 10, double(code, 1))
   code:multiply_add(7, 10, double(code, 1))
   scale(code, 12)
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
