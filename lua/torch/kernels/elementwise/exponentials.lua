-- Exponentials of doubles in vectors, as machine code: exp(code, d, x) as in vector_functions.lua, right within 0.6
-- units in the last place, denormal results within 0.8. They use registers 7 and 10 to 13.

local log = math.log
local exact_steps = require 'torch.kernels.elementwise.exact_steps'

local exponentials = {}

local EQUAL, NOT_LESS = 0x00, 0x15

-- exp(r) = 1 + r + r^2 / 2 + r^3 times the sum of these by the powers of r, for |r| up to log(2) / 2.
local EXP = { 0.16666666666666685, 0.04166666666666673, 0.00833333333331662, 0.0013888888888858287,
   0.00019841269897359845, 2.4801587374011163e-05, 2.7557233931299367e-06, 2.755723315116335e-07,
   2.5112347899304146e-08, 2.0927002275851136e-09 }

-- Numbers beyond these have 0 and infinity as their exponentials.
local LEAST, MOST = -746, 710

-- Numbers below have normal ones.
local NORMAL = 708

-- Whole numbers beside this are the lowest bits.
local WHOLE = 1.5 * 2 ^ 52

-- ln 2 is split: products of its first part with exponents are exact.
exponentials.LN2, exponentials.REST = 0x1.62e42feep-1, 1.90821492927058770e-10

local bounded, double, polynomial = exact_steps.bounded, exact_steps.double, exact_steps.polynomial
local product, sum = exact_steps.product, exact_steps.sum

-- Multiplies 7 by two to the power k.
function exponentials.scale(code, k)
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
   code:subtract_product(10, 7, double(code, exponentials.LN2))
   code:move(13, 10)
   code:subtract_product(13, 7, double(code, exponentials.REST))
   code:subtract(10, 10, 13)
   code:subtract_product(10, 7, double(code, exponentials.REST))
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
   exponentials.scale(code, 10)
   exponentials.scale(code, 12)
end

-- The same of any number in 10.
function exponentials.of_any(code, with_lack)
   local normal, done = {}, {}
   code:move(7, double(code, -0.0))
   code:and_not(7, 7, 10)
   code:compare(7, 7, double(code, NORMAL), NOT_LESS)
   code:test_signs(7, 7)
   code:jump('jz', normal)
   code:move(13, 10)
   bounded(code, 10, 13, LEAST, MOST, 7)
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

function exponentials.exp(code, d, x)
   code:move(10, x)
   exponentials.of_any(code, false)
   code:move(d, 7)
end

return exponentials
