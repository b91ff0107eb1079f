-- Functions of Floats that are computed in doubles, four at a time, as machine code: f(code, d, x, [y]) as in
-- vector_functions.lua. Results are the correctly rounded ones but for some 2^-17 of a unit in the last place; those of
-- fmod are exact. They use registers 7 and 9 to 13.

local huge, ipairs, pi, sqrt = math.huge, ipairs, math.pi, math.sqrt
local in_halves = require 'torch.kernels.elementwise.in_halves'

local wide_functions = {}

local DONE, A, B, P, Q, R = 7, 9, 10, 11, 12, 13
local LESS_EQUAL, GREATER, GREATER_EQUAL = 0x12, 0x1E, 0x1D

local function double(code, value) return code:number(value, 'double') end

local function magnitude(code, d)
   code:move(P, double(code, -0.0))
   code:and_not(d, P, d)
end

-- Sets d to register 7 with the sign of x.
local function with_sign(code, d, x)
   code:bit_and(A, x, code:number(-0.0, 'float'))
   code:bit_or(d, DONE, A)
end

-- Sets Q to R + R B times the polynomial of B with these coefficients.
local function evaluate(code, coefficients)
   code:move(Q, double(code, coefficients[#coefficients]))
   for k = #coefficients - 1, 1, -1 do code:multiply_add(Q, B, double(code, coefficients[k])) end
   code:multiply(Q, Q, B)
   code:multiply_add(Q, R, R)
end

-- arctan(y) = y + y z times the sum of these by the powers of z = y^2, for |y| up to tan(pi / 8).
local ARC = { -0.33333333333330923, 0.19999999997722234, -0.14285713930020149, 0.11111089630927445,
   -0.090902554980437895, 0.076810391019218465, -0.065508621995021005, 0.051686620804238905, -0.027230204129571138 }

-- Sets Q to the angle, up to a quarter turn, of the point at B >= 0 and A >= 0: by the lesser over the greater, or
-- where this is beyond tan(pi / 8), their difference over their sum, an eighth of a turn away.
local function angle(code)
   code:compare(P, A, B, GREATER)
   code:min(Q, A, B)
   -- NaN stays: both take the second operand then.
   code:max(B, B, A)
   code:move(A, double(code, 1e-300))
   code:max(B, A, B)
   code:multiply(A, B, double(code, sqrt(2) - 1))
   code:compare(A, Q, A, LESS_EQUAL)
   code:subtract(R, Q, B)
   code:choose(R, R, Q, A * 16)
   code:add(Q, Q, B)
   code:choose(Q, Q, B, A * 16)
   code:divide(R, R, Q)
   code:and_not(A, A, double(code, pi / 4))
   code:multiply(B, R, R)
   evaluate(code, ARC)
   code:add(Q, Q, A)
   code:move(B, double(code, pi / 2))
   code:subtract(B, B, Q)
   code:choose(Q, Q, B, P * 16)
end

function wide_functions.arctan(code, d, x)
   in_halves(code, function(read)
      read(A, x)
      magnitude(code, A)
      code:move(B, double(code, 1))
      angle(code)
   end)
   with_sign(code, d, x)
end

-- arcsin(y) = y + y z times the sum of these by the powers of z = y^2, for |y| up to 1/2.
local SINE = { 0.16666666666666951, 0.074999999997250403, 0.044642857580550685, 0.030381917382950569,
   0.022373012954292383, 0.017337146075635456, 0.014141394681575821, 0.010286921772543867, 0.015454961727659501,
   -0.0068416412831704345, 0.027887844469954972 }

-- Leaves x in A and marks in P where |x| is above 1/2; there Q is the arc sine of sqrt((1 - |x|) / 2), else that
-- of |x|.
local function half_angle(code, read, x)
   read(A, x)
   code:move(R, A)
   magnitude(code, R)
   code:move(P, double(code, 1))
   code:subtract(Q, P, R)
   code:multiply(Q, Q, double(code, 0.5))
   code:compare(P, R, double(code, 0.5), GREATER)
   code:multiply(B, R, R)
   code:choose(B, B, Q, P * 16)
   code:root(Q, B)
   code:choose(R, R, Q, P * 16)
   evaluate(code, SINE)
end

function wide_functions.arcsin(code, d, x)
   in_halves(code, function(read)
      half_angle(code, read, x)
      code:move(B, double(code, pi / 2))
      code:subtract_product(B, Q, double(code, 2))
      code:choose(Q, Q, B, P * 16)
   end)
   with_sign(code, d, x)
end

function wide_functions.arccos(code, d, x)
   in_halves(code, function(read)
      half_angle(code, read, x)
      -- Twice it, or what it lacks to half a turn; and what lacks to a quarter.
      code:add(R, Q, Q)
      code:move(B, double(code, pi))
      code:subtract(B, B, R)
      code:choose(R, R, B, A * 16)
      code:bit_and(B, A, double(code, -0.0))
      code:bit_or(Q, Q, B)
      code:move(B, double(code, pi / 2))
      code:subtract(Q, B, Q)
      code:choose(Q, Q, R, P * 16)
   end)
   code:move(d, DONE)
end

-- Infinities are numbers beside which all Floats are small.
local MOST = 1e300

function wide_functions.arctan2(code, d, y, x)
   in_halves(code, function(read)
      for _, pair in ipairs { { A, y }, { B, x } } do
         read(pair[1], pair[2])
         magnitude(code, pair[1])
         code:move(Q, double(code, MOST))
         code:min(pair[1], Q, pair[1])
      end
      angle(code)
      read(P, x)
      code:move(B, double(code, pi))
      code:subtract(B, B, Q)
      code:choose(Q, Q, B, P * 16)
   end)
   with_sign(code, d, y)
end

-- Quotients below 2^28 are cut to whole numbers rightly, whose products with Floats are exact. Larger ones are made
-- less by multiples of the divisor times a power of two, as often as it takes.
local QUOTIENT = 2 ^ 28

function wide_functions.fmod(code, d, x, y)
   in_halves(code, function(read)
      read(A, x)
      magnitude(code, A)
      read(B, y)
      magnitude(code, B)
      code:move(Q, double(code, MOST))
      code:min(B, Q, B)
      local last = {}
      local again = code:place {}
      code:divide(P, A, B)
      code:compare(Q, P, double(code, QUOTIENT), GREATER_EQUAL)
      code:test_signs(Q, Q)
      code:jump('jz', last)
      code:bit_and(R, P, double(code, huge))
      code:multiply(R, R, double(code, 2 / QUOTIENT))
      code:max(R, R, double(code, 1))
      code:multiply(R, R, B)
      code:divide(P, A, R)
      code:round(P, P, 11)
      code:subtract_product(A, P, R)
      code:jump('always', again)
      code:place(last)
      code:round(P, P, 11)
      code:subtract_product(A, P, B)
      code:move(Q, A)
   end)
   with_sign(code, d, x)
end

-- x - y w: in doubles, where the product is exact.
function wide_functions.rest(code, d, x, y, w)
   in_halves(code, function(read)
      read(Q, x)
      read(P, y)
      read(R, w)
      code:multiply(P, P, R)
      code:subtract(Q, Q, P)
   end)
   code:move(d, DONE)
end

return wide_functions
