-- Logarithms and remainders of doubles in vectors, as machine code: f(code, d, x, [y]) as in vector_functions.lua.
-- Leading terms of logarithms have twice the digits: results are right within 0.54 units in the last place. Remainders
-- are exact.

local huge, sqrt = math.huge, math.sqrt

local arc_functions = require 'torch.kernels.elementwise.arc_functions'

local double_functions = {}
for name, f in pairs(arc_functions) do double_functions[name] = f end

local K, L, P, Q, R, S = 8, 9, 10, 11, 12, 13
local EQUAL, LESS, GREATER, NOT_LESS, GREATER_EQUAL = 0x00, 0x11, 0x1E, 0x15, 0x1D

-- ln 2 in two parts: products of the first with exponents are exact.
local LN2, REST = 0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45

-- log((1 + s) / (1 - s)) = 2 s + s^3 times the sum of these by the powers of s^2, for quotients from sqrt(1/2) to
-- sqrt(2).
local SERIES = { 0.66666666666666667, 0.40000000000000883, 0.28571428570799785, 0.22222222392581045,
   0.18181795547521136, 0.15386244737621667, 0.13268638369266824, 0.13088034850927554 }

local SMALLEST, SCALE, SCALE_PLACES = 2 ^ -1022, 2 ^ 54, 54
local MANTISSA, NAN = 2 ^ 52 - 1, 2 ^ 63 - 2 ^ 51

local function double(code, value) return code:number(value, 'double') end
local function bits(code, value) return code:number(value, 'int64_t') end

-- Splits x: f in P, where 1 + f is from sqrt(1/2) to sqrt(2), and the exponent in R. Changes L, Q and S.
local function split(code, x)
   code:compare(P, x, double(code, SMALLEST), LESS)
   code:multiply(Q, x, double(code, SCALE))
   code:choose(R, x, Q, P * 16)
   code:bit_and(L, P, double(code, SCALE_PLACES))
   code:subtract_bits(Q, R, double(code, sqrt(0.5)))
   code:add_bits(R, Q, double(code, 1))
   code:right_by(R, R, 52)
   -- The exponent, 1023 more, is the end of a number from 2^52 on.
   code:bit_or(R, R, double(code, 2 ^ 52))
   code:subtract(R, R, double(code, 2 ^ 52 + 1023))
   code:subtract(R, R, L)
   code:bit_and(Q, Q, bits(code, MANTISSA))
   code:add_bits(Q, Q, double(code, sqrt(0.5)))
   code:subtract(P, Q, double(code, 1))
end

-- Sets P to log(1 + f) + R log(2), for f in P; `added` is a register with a small number to add.
local function logarithm(code, added)
   -- s = f / (2 + f) in K, and what it lacks in P: 1 / (2 + f) is (1 - s) / 2.
   code:add(Q, P, double(code, 2))
   code:subtract(S, Q, double(code, 2))
   code:subtract(S, P, S)
   code:divide(K, P, Q)
   code:subtract_product(P, K, Q)
   code:subtract_product(P, K, S)
   code:move(S, double(code, 0.5))
   code:subtract_product(S, K, double(code, 0.5))
   code:multiply(P, P, S)
   code:multiply(Q, K, K)
   code:move(S, double(code, SERIES[#SERIES]))
   for k = #SERIES - 1, 1, -1 do code:multiply_add(S, Q, double(code, SERIES[k])) end
   code:multiply(S, S, Q)
   code:add(P, P, P)
   code:multiply_add(S, K, P)
   if added then code:add(S, S, added) end
   code:add_product(S, R, double(code, REST))
   code:multiply(Q, R, double(code, LN2))
   code:add(K, K, K)
   code:add(P, Q, K)
   code:subtract(Q, P, Q)
   code:subtract(K, K, Q)
   code:add(S, S, K)
   code:add(P, P, S)
end

-- Infinity and NaN are their own; 0 and negative numbers, of x less `zero`.
local function finish(code, d, x, zero)
   code:compare(Q, x, double(code, huge), NOT_LESS)
   code:choose(P, P, x, Q * 16)
   code:move(S, double(code, zero))
   code:compare(Q, x, S, EQUAL)
   code:choose(P, P, double(code, -huge), Q * 16)
   code:compare(Q, x, S, LESS)
   code:choose(d, P, bits(code, NAN), Q * 16)
end

function double_functions.log(code, d, x)
   split(code, x)
   logarithm(code)
   finish(code, d, x, 0)
end

-- Where x is small it is f itself; else u = 1 + x as rounded is split, and what it lacks divided by u is added.
function double_functions.log1p(code, d, x)
   code:add(K, x, double(code, 1))
   split(code, K)
   code:subtract(L, K, double(code, 1))
   code:subtract(L, x, L)
   code:divide(L, L, K)
   code:compare(Q, x, double(code, sqrt(0.5) - 1), GREATER)
   code:compare(S, x, double(code, sqrt(2) - 1), LESS)
   code:bit_and(Q, Q, S)
   code:choose(P, P, x, Q * 16)
   code:and_not(R, Q, R)
   code:and_not(L, Q, L)
   logarithm(code, L)
   -- Zero with its sign, and numbers whose halves may not be exact.
   code:move(S, double(code, -0.0))
   code:and_not(S, S, x)
   code:compare(Q, S, double(code, 2 ^ -54), LESS)
   code:choose(P, P, x, Q * 16)
   finish(code, d, x, -1)
end

-- Makes A >= 0 less by the divisor in R times the whole part of their quotient P: one too many, which is given back,
-- where the quotient was rounded up. Fused products make it exact. An infinite divisor leaves A.
local A, B = L, S

local function take_quotient(code)
   code:round(P, P, 11)
   code:compare(Q, R, double(code, huge), EQUAL)
   code:and_not(R, Q, R)
   code:subtract_product(A, P, R)
   code:compare(Q, A, double(code, 0), LESS)
   code:bit_and(Q, Q, R)
   code:add(A, A, Q)
end

-- Quotients from 2^53 on are no whole numbers that are near enough.
local QUOTIENT = 2 ^ 53

-- Uses registers 7 and 9 to 13.
function double_functions.fmod(code, d, x, y)
   code:move(7, double(code, -0.0))
   code:and_not(A, 7, x)
   code:move(B, y)
   code:and_not(B, 7, B)
   code:divide(P, A, B)
   code:compare(Q, P, double(code, QUOTIENT), GREATER_EQUAL)
   code:test_signs(Q, Q)
   local near, again = {}, {}
   code:jump('jz', near)
   code:place(again)
   -- The divisor times a power of two, so that the quotient is below 2^53; an infinite one may be above 2^2000.
   code:move(7, B)
   for _ = 1, 3 do
      code:multiply(R, 7, double(code, 2 ^ 500))
      code:compare(Q, P, double(code, huge), EQUAL)
      code:choose(7, 7, R, Q * 16)
      code:divide(P, A, 7)
   end
   code:bit_and(R, P, double(code, huge))
   code:multiply(R, R, double(code, 4 / QUOTIENT))
   code:multiply(R, R, 7)
   code:max(R, R, B)
   code:divide(P, A, R)
   take_quotient(code)
   code:divide(P, A, B)
   code:compare(Q, P, double(code, QUOTIENT), GREATER_EQUAL)
   code:test_signs(Q, Q)
   code:jump('jnz', again)
   code:place(near)
   code:move(R, B)
   take_quotient(code)
   code:bit_and(B, x, double(code, -0.0))
   code:bit_or(d, A, B)
end

return double_functions
