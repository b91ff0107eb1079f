-- Logarithms of numbers near the middles of parts of an octave, in two parts: rows of a reciprocal n / 128 or n / 256,
-- the first digits of its logarithm's opposite, what these lack, and nothing. The octave begins in the middle of a part
-- before 1, so that around 1 the reciprocal is 1.
--
--    rows                 in memory, 32 bytes each
--    FIRST                where the octave begins, as bits
--    SHIFT, MASK          bits above FIRST, so shifted, are the index of a row
--    LN2, REST            log(2) in two parts as well

local ffi = require 'ffi'
local floor = math.floor

local logarithm_table = {}

local PARTS, PLACES, BEFORE = 128, 7, 75

-- Numbers as a whole part and 120 binary places, in pieces of 24.
local PIECES, PIECE = 6, 2 ^ 24

local function whole(n) return { n, 0, 0, 0, 0, 0 } end

-- The quotient of such a number and a whole number below 2^29.
local function divided(number, by)
   local result, rest = {}, 0
   for k = 1, PIECES do
      local all = rest * PIECE + number[k]
      result[k] = floor(all / by)
      rest = all - result[k] * by
   end
   return result
end

local function total(number, other)
   local result, carry = {}, 0
   for k = PIECES, 1, -1 do
      local all = number[k] + other[k] + carry
      carry = floor(all / PIECE)
      result[k] = all - carry * PIECE
   end
   return result
end

-- log((n + 1) / n): twice the sum of 1 / (k m^k) for odd k, where m = 2 n + 1.
local function step(n)
   local m = 2 * n + 1
   local power = divided(whole(2), m)
   local result = power
   for k = 3, 15, 2 do
      power = divided(power, m * m)
      result = total(result, divided(power, k))
   end
   return result
end

-- The first 42 places of a number, whose sums with products of LN2 are exact, and the others.
local function parts(number)
   local digits = floor(number[3] / 64)
   return number[1] + number[2] * 2 ^ -24 + digits * 2 ^ -42,
      (number[3] - 64 * digits) * 2 ^ -48 + number[4] * 2 ^ -72 + number[5] * 2 ^ -96
end

local rows = ffi.new('double[?]', 4 * PARTS)
local function set(i, reciprocal, sign, logarithm)
   local first, lack = parts(logarithm)
   rows[4 * i], rows[4 * i + 1], rows[4 * i + 2] = reciprocal, sign * first, sign * lack
end

-- The logarithms of n / 128 from 1 up, and those of 256 / n from 1 down.
local up, down = { [PARTS] = whole(0) }, { [2 * PARTS] = whole(0) }
for n = PARTS, 2 * PARTS - 1 do up[n + 1] = total(up[n], step(n)) end
for n = 2 * PARTS - 1, PARTS, -1 do down[n] = total(down[n + 1], step(n)) end

for i = 0, PARTS - 1 do
   if i <= BEFORE then
      local n = floor(PARTS / (1 - (BEFORE - i) / (2 * PARTS)) + 0.5)
      set(i, n / PARTS, -1, up[n])
   else
      local n = floor(2 * PARTS / (1 + (i - BEFORE) / PARTS) + 0.5)
      set(i, n / (2 * PARTS), 1, down[n])
   end
end

logarithm_table.rows = rows
logarithm_table.FIRST = 1023 * 2 ^ 52 - (2 * BEFORE + 1) * 2 ^ (51 - PLACES)
logarithm_table.SHIFT, logarithm_table.MASK = 52 - PLACES - 5, (PARTS - 1) * 32
logarithm_table.LN2, logarithm_table.REST = parts(down[PARTS])

return logarithm_table
