-- Functions in vectors, as machine code: f(code, d, x) sets register d to the function of register x, which
-- may be the same. They use the registers from FIRST to 13 and SPARE, and are right within three units in the last
-- place, also for infinities, NaN and denormal numbers. Logarithms and exponentials of doubles are in
-- double_functions.lua and exponentials.lua. The coefficients of Floats make the largest error least, found by
-- weighted least squares.

local huge, log = math.huge, math.log
local double_functions = require 'torch.kernels.elementwise.double_functions'
local exponentials = require 'torch.kernels.elementwise.exponentials'

local vector_functions = {}

-- Conditions of comparisons.
local EQUAL, LESS, NOT_LESS = 0x00, 0x11, 0x15

-- Registers for what functions of functions keep, and for the innermost.
local K, L, P, Q, R, S = 8, 9, 10, 11, 12, 13
vector_functions.FIRST = K

-- That of a program's result, which no step reads.
local SPARE = 7

-- Constants by the size of an element. ln2 is split so that products of its upper part with exponents are exact;
-- exp(x) is 0 below `least` and infinite from `most` on; `places` is the width of a mantissa.
local LN2 = log(2)
local constants = {
   [4] = { ln2 = 0.693359375, rest = LN2 - 0.693359375, least = -104, most = 89, places = 23 },
   [8] = { ln2 = 0x1.62e42feep-1, rest = 1.90821492927058770e-10, places = 52 },
}

-- exp(r) = 1 + r + r^2 times the sum of these by the powers of r, for |r| up to log(2) / 2.
constants[4].exp = { 0.49999994, 0.166665211, 0.041668389, 0.00836874545, 0.00138145383 }
-- Taylor's series is right to the last place here.
local series, factorial = {}, 1
for k = 2, 13 do
   factorial = factorial * k
   series[k - 1] = 1 / factorial
end
constants[8].exp = series

-- log(1 + f) = f - f^2 / 2 + f^3 times the sum of these by the powers of f, for 1 + f from sqrt(1/2) to sqrt(2).
local LOG = { 0.333333313, -0.250008225, 0.200012267, -0.166233569, 0.142017618, -0.131601945, 0.127615497,
   -0.0763442963 }

local function float(code, value) return code:number(value, code.T.c) end
local function bits(code, value) return code:number(value, 'int32_t') end

-- |x| in d, and the sign of x in d.
local function magnitude(code, d, x)
   code:move(S, float(code, -0.0))
   code:and_not(d, S, x)
end

local function sign_of(code, d, x) code:bit_and(d, x, float(code, -0.0)) end

local function polynomial(code, d, x, coefficients)
   code:move(d, float(code, coefficients[#coefficients]))
   for k = #coefficients - 1, 1, -1 do code:multiply_add(d, x, float(code, coefficients[k])) end
end

-- Sets d to x, within limits: NaN stays.
local function bounded(code, d, x, least, most)
   code:move(d, float(code, most))
   code:min(d, d, x)
   code:move(S, float(code, least))
   code:max(d, S, d)
end

-- Splits P, which becomes r with log(2) (r + k) for the whole number k in Q.
local function reduce(code)
   local c = constants[code.T.size]
   code:multiply(Q, P, float(code, 1 / LN2))
   code:round(Q, Q, 8)
   code:subtract_product(P, Q, float(code, c.ln2))
   code:subtract_product(P, Q, float(code, c.rest))
end

-- Sets `to` to 2^k for whole numbers k: beside a large number they are the lowest bits.
local function power_of_two(code, to, k)
   local places = constants[code.T.size].places
   code:add(to, k, float(code, 1.5 * 2 ^ places))
   code:left_by(to, to, places)
   code:add_bits(to, to, float(code, 1))
end

function vector_functions.exp(code, d, x)
   if code.T.size == 8 then return exponentials.exp(code, d, x) end
   local c = constants[code.T.size]
   bounded(code, P, x, c.least, c.most)
   reduce(code)
   polynomial(code, R, P, c.exp)
   code:multiply_add(R, P, float(code, 1))
   code:multiply_add(R, P, float(code, 1))
   -- In two steps: 2^k itself may be no normal number.
   code:multiply(P, Q, float(code, 0.5))
   code:round(P, P, 9)
   code:subtract(Q, Q, P)
   power_of_two(code, S, P)
   code:multiply(R, R, S)
   power_of_two(code, S, Q)
   code:multiply(d, R, S)
end

-- exp(x) - 1 in d, for x in P from -87 to 87.
local function exp_less_one(code, d)
   reduce(code)
   polynomial(code, R, P, constants[code.T.size].exp)
   code:multiply(R, R, P)
   code:multiply_add(R, P, P)
   power_of_two(code, Q, Q)
   code:subtract(S, Q, float(code, 1))
   code:multiply_add(R, Q, S)
   code:move(d, R)
end

-- With e = exp(2 |x|) - 1 this is e / (e + 2).
function vector_functions.tanh(code, d, x)
   sign_of(code, K, x)
   magnitude(code, L, x)
   bounded(code, P, L, 0, 20)
   code:add(P, P, P)
   exp_less_one(code, L)
   code:add(P, L, float(code, 2))
   code:divide(L, L, P)
   code:bit_or(d, L, K)
end

-- exp(|x|) / 2 in d, for |x| in d: the square of exp(|x| / 2), which is finite where this is.
local function half_exp(code, d)
   code:multiply(d, d, float(code, 0.5))
   vector_functions.exp(code, d, d)
   code:multiply(P, d, float(code, 0.5))
   code:multiply(d, d, P)
end

function vector_functions.cosh(code, d, x)
   magnitude(code, K, x)
   half_exp(code, K)
   code:move(Q, float(code, 0.25))
   code:divide(Q, Q, K)
   code:add(d, K, Q)
end

-- With e = exp(|x|) - 1 this is (e + e / (e + 1)) / 2; from 20 on exp(|x|) / 2.
function vector_functions.sinh(code, d, x)
   magnitude(code, K, x)
   code:move(SPARE, K)
   half_exp(code, SPARE)
   bounded(code, P, K, 0, 20)
   exp_less_one(code, L)
   code:add(P, L, float(code, 1))
   code:divide(P, L, P)
   code:add(L, L, P)
   code:multiply(L, L, float(code, 0.5))
   code:compare(Q, K, float(code, 20), LESS)
   code:choose(L, SPARE, L, Q * 16)
   sign_of(code, K, x)
   code:bit_or(d, L, K)
end

local SMALLEST = 2 ^ -126
local HALF_ROOT = 0x3F3504F3        -- the bits of sqrt(1/2)

function vector_functions.log(code, d, x)
   if code.T.size == 8 then return double_functions.log(code, d, x) end
   code:move(K, x)
   -- Denormal numbers are multiplied by 2^23.
   code:compare(P, x, float(code, SMALLEST), LESS)
   code:multiply(Q, x, float(code, 2 ^ 23))
   code:choose(R, x, Q, P * 16)
   code:bit_and(L, P, float(code, 23))
   -- f in P and the exponent in R.
   code:subtract_bits(Q, R, bits(code, HALF_ROOT))
   code:right_signed_by(R, Q, 23)
   code:from_integer(R, R)
   code:subtract(R, R, L)
   code:bit_and(Q, Q, bits(code, 0x007FFFFF))
   code:add_bits(Q, Q, bits(code, HALF_ROOT))
   code:subtract(P, Q, float(code, 1))
   polynomial(code, Q, P, LOG)
   code:multiply(S, P, P)
   code:multiply(Q, Q, P)
   code:multiply(Q, Q, S)
   code:add_product(Q, R, float(code, constants[4].rest))
   code:subtract_product(Q, S, float(code, 0.5))
   code:add(P, P, Q)
   code:add_product(P, R, float(code, constants[4].ln2))
   -- Infinity and NaN are their own; 0 and negative numbers.
   code:compare(Q, K, float(code, huge), NOT_LESS)
   code:choose(P, P, K, Q * 16)
   code:clear(S, S, S)
   code:compare(Q, K, S, EQUAL)
   code:choose(P, P, float(code, -huge), Q * 16)
   code:compare(Q, K, S, LESS)
   code:choose(d, P, bits(code, 0x7FC00000), Q * 16)
end

-- With u = 1 + x as rounded this is log(u) x / (u - 1), and x where u is 1.
function vector_functions.log1p(code, d, x)
   if code.T.size == 8 then return double_functions.log1p(code, d, x) end
   code:add(K, x, float(code, 1))
   vector_functions.log(code, SPARE, K)
   code:add(K, x, float(code, 1))
   code:subtract(L, K, float(code, 1))
   code:divide(P, x, L)
   code:multiply(P, P, SPARE)
   code:compare(Q, K, float(code, huge), EQUAL)
   code:choose(P, P, K, Q * 16)
   code:clear(S, S, S)
   code:compare(Q, L, S, EQUAL)
   code:choose(d, P, x, Q * 16)
end

return vector_functions
