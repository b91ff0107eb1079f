-- Angles without their quarter turns, of doubles in vectors: the first step of sine, cosine and tangent.
--
-- reduced_angles(code, exact): for numbers >= 0 in register 8, register 9 gets the count of quarter turns in its lowest
-- bits, and register 10 what remains, from -pi/4 to pi/4; with `exact`, register 11 has what that lacks. Changes
-- registers 8 to 13, and with `exact` register 7. Infinity gives NaN.

local ffi = require 'ffi'
local exact_steps = require 'torch.kernels.elementwise.exact_steps'

local X, COUNT, REST, A, B = 8, 9, 10, 12, 13
local GREATER_EQUAL, LESS = 0x1D, 0x11

-- A quarter turn in parts: the first is exact beside numbers that are near its multiples, products of counts with the
-- second one are exact. And in parts with all digits of a double.
local PARTS = { 0x1.921fb54442d18p+0, 0x1.1a62633000000p-54, 0x1.45c06e0e68948p-86, 0x1.27044533e63a0p-142 }
local QUARTER, FURTHER = PARTS[1], 0x1.1a62633145c07p-54

-- Whole numbers beside this are the lowest bits.
local WHOLE = 1.5 * 2 ^ 52

-- From here on the parts of a quarter turn have too few digits.
local LARGE = 2 ^ 24

-- The bytes of 2 / pi behind the point, the last one first, then zeros. Larger exponents skip the first bytes, whose
-- products with the number are multiples of four.
local DIGITS = 'a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921c'
   .. 'fe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f'
   .. '118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d085603'
local LAST = 144
local bytes = ffi.new('uint8_t[?]', LAST + 16)
for j = 0, LAST do bytes[LAST - j] = tonumber(DIGITS:sub(2 * j + 1, 2 * j + 2), 16) end

-- Six bytes of them at a time; and their index for the greatest exponent, that of infinity.
local CHUNK, GREATEST = 6, LAST + 130

local RAX = 0

local aside, bits, double, product = exact_steps.aside, exact_steps.bits, exact_steps.double, exact_steps.product

-- Makes d less by its whole part, which is added to `count`.
local function take_whole(code, d, count, t)
   code:round(t, d, 8)
   code:subtract(d, d, t)
   code:add(count, count, t)
end

-- Sets s to a + b as rounded, and a to what it lacks; changes b and t.
local function exact_sum(code, s, a, b, t)
   code:add(s, a, b)
   code:subtract(t, s, a)
   code:subtract(b, b, t)
   code:subtract(t, s, t)
   code:subtract(a, a, t)
   code:add(a, a, b)
end

-- Replaces the results of elements whose sign is set in T. The number is a factor below 256, times 256 to the power g:
-- the factor times the bytes from g - 7 on is right modulo four, and 24 of them are digits enough.
local function reduce_large(code, LACK, T, exact)
   code:compare(A, X, double(code, math.huge), LESS)
   code:bit_and(T, T, A)
   code:keep { RAX }
   code:address(bytes)
   for k, register in ipairs { COUNT, REST, LACK, T } do code:store(register, aside(k)) end
   local function replace(k, register, mask)
      code:load(mask, aside(4))
      code:store_some(register, mask, aside(k))
   end

   local factor, index, chunk, whole = X, A, B, T
   code:right_by(index, X, 52)
   code:add_bits(index, index, bits(code, 1))
   code:bit_and(chunk, index, bits(code, 7))
   code:add_bits(chunk, chunk, bits(code, 1023))
   code:left_by(chunk, chunk, 52)
   code:bit_and(factor, X, bits(code, 2 ^ 52 - 1))
   code:bit_or(factor, factor, chunk)
   code:right_by(index, index, 3)
   code:move(chunk, bits(code, GREATEST))
   code:subtract_bits(index, chunk, index)
   local function read(k)
      code:load(whole, aside(4))
      code:gather(chunk, whole, { base = RAX, index = index, scale = 1, offset = CHUNK * (1 - k) })
      code:bit_and(chunk, chunk, bits(code, 2 ^ (8 * CHUNK) - 1))
      code:bit_or(chunk, chunk, double(code, 2 ^ 52))
      code:subtract(chunk, chunk, double(code, 2 ^ 52))
      code:multiply(chunk, chunk, double(code, 2 ^ (8 + 8 * CHUNK * (1 - k))))
   end

   -- The products of the first two chunks have whole parts.
   local sum, rest, count = COUNT, REST, LACK
   read(1)
   product(code, whole, rest, factor, chunk)
   code:multiply(chunk, whole, double(code, 0.25))
   code:round(chunk, chunk, 8)
   code:subtract_product(whole, chunk, double(code, 4))
   code:move(count, double(code, WHOLE))
   take_whole(code, whole, count, chunk)
   take_whole(code, rest, count, chunk)
   code:add(sum, whole, rest)
   read(2)
   product(code, whole, rest, factor, chunk)
   take_whole(code, whole, count, chunk)
   code:add(chunk, sum, whole)
   code:round(chunk, chunk, 8)
   code:subtract(sum, sum, chunk)
   code:add(count, count, chunk)
   replace(1, count, chunk)

   -- The sum of the remaining terms, from the smallest on: `lack` is the rounding error of `sum`.
   local lack = COUNT
   sum = LACK
   exact_sum(code, sum, lack, whole, chunk)
   read(4)
   code:add_product(lack, factor, chunk)
   read(3)
   product(code, whole, index, factor, chunk)
   code:add(lack, lack, index)
   exact_sum(code, chunk, whole, rest, index)
   code:add(lack, lack, whole)
   exact_sum(code, rest, sum, chunk, index)
   code:add(lack, lack, sum)

   -- The fraction of a quarter turn, in two parts, times a quarter turn.
   local first, second = chunk, lack
   code:add(first, rest, lack)
   code:subtract(rest, rest, first)
   code:add(second, second, rest)
   product(code, whole, index, first, double(code, QUARTER))
   code:multiply(second, second, double(code, QUARTER))
   code:add_product(second, first, double(code, FURTHER))
   code:add(second, second, index)
   code:add(first, whole, second)
   code:subtract(whole, whole, first)
   code:add(second, second, whole)
   replace(2, first, T)
   if exact then replace(3, second, T) end
   for k, register in ipairs { COUNT, REST, LACK } do code:load(register, aside(k)) end
   code:bring_back { RAX }
end

local function reduced_angles(code, exact)
   local LACK, T = exact and 11 or 7, exact and 7 or 11
   code:move(COUNT, double(code, WHOLE))
   code:add_product(COUNT, X, double(code, 2 / math.pi))
   code:subtract(A, COUNT, double(code, WHOLE))
   code:move(B, X)
   code:subtract_product(B, A, double(code, PARTS[1]))
   code:move(REST, B)
   code:subtract_product(REST, A, double(code, exact and PARTS[2] or FURTHER))
   if exact then
      code:subtract(LACK, B, REST)
      for k = 2, 4 do code:subtract_product(LACK, A, double(code, PARTS[k])) end
   end
   local small = {}
   code:compare(T, X, double(code, LARGE), GREATER_EQUAL)
   code:test_signs(T, T)
   code:jump('jz', small)
   reduce_large(code, LACK, T, exact)
   code:place(small)
end

return reduced_angles
