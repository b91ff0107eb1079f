-- The renewal of mt19937 as machine code, eight words at a time: f(state) for a struct of mersenne_twister.lua. See
-- docs/decisions/0028-vector-code.md.

local ffi = require 'ffi'
local assembler, native = require 'torch.native.assembler', require 'torch.native.native'
local types = require 'torch.base.types'

local N, M, VECTOR, WORDS = 624, 397, 32, 8
local WORD, RCX, RSI, RDI, BITS, UNIT = 8, 1, 6, 7, 9, 10
local UPPER, LOWER, MATRIX, FIRST, SECOND, HIGH, MINUS = 8, 9, 10, 11, 12, 13, 14

-- Vectors of words that are made of later words, after the first; of those made of new ones; all.
local LATER = math.floor((N - M) / WORDS)
local COUNTS = { LATER, N / WORDS - LATER - 1, N / WORDS }

local function constants(code)
   local function word(register, value) code:load(register, code:number(value, 'uint32_t')) end
   word(UPPER, 0x80000000)
   word(LOWER, 0x7fffffff)
   word(MATRIX, 0x9908b0df)
   word(FIRST, 0x9d2c5680)
   word(SECOND, 0xefc60000)
   -- The upper half of 2^20, below which a word counts in steps of 2^-32.
   word(HIGH, 0x41300000)
   code:load(MINUS, code:number(-2 ^ 20, 'double'))
end

-- A vector of new words, of the same ones, their successors and those `distance` words further.
local function twist(code, distance)
   code:bit_and(0, UPPER, { base = WORD })
   code:load(1, { base = WORD, offset = 4 })
   code:bit_and(2, 1, LOWER)
   code:bit_or(0, 0, 2)
   code:right_by(0, 0, 1)
   -- The lowest bit spread over all 32 selects the constant.
   code:left_by(1, 1, 31)
   code:right_signed_by(1, 1, 31)
   code:bit_and(1, 1, MATRIX)
   code:bit_xor(0, 0, 1)
   code:bit_xor(0, 0, { base = WORD, offset = 4 * distance })
   code:store(0, { base = WORD })
end

local function temper(code)
   code:load(0, { base = WORD })
   code:right_by(1, 0, 11)
   code:bit_xor(0, 0, 1)
   for _, part in ipairs { { 7, FIRST }, { 15, SECOND } } do
      code:left_by(1, 0, part[1])
      code:bit_and(1, 1, part[2])
      code:bit_xor(0, 0, 1)
   end
   code:right_by(1, 0, 18)
   code:bit_xor(0, 0, 1)
   code:store(0, { base = BITS })
   code:low_pairs(1, 0, HIGH)
   code:high_pairs(2, 0, HIGH)
   for half, which in ipairs { 0x20, 0x31 } do
      code:halves(3, 1, 2, which)
      code:add_doubles(3, 3, MINUS)
      code:store(3, { base = UNIT, offset = (half - 1) * VECTOR })
   end
end

-- nil where there is no such code.
return function()
   if not assembler.possible() then return nil end
   local code = assembler.new(types.by_name.Float)
   local function vectors(k, work)
      code:get(RCX, RSI, 8 * k)
      code:repeatedly(RCX, 1, function()
         work()
         code:with_number('add', WORD, VECTOR)
      end)
   end
   constants(code)
   code:get(WORD, RDI, 0)
   code:get(BITS, RDI, 8)
   code:get(UNIT, RDI, 16)
   -- New words follow the last one as well, in the memory of the numbers: no vector needs a separate end.
   twist(code, M)
   code:store(0, { base = WORD, offset = 4 * N })
   code:with_number('add', WORD, VECTOR)
   vectors(0, function() twist(code, M) end)
   vectors(1, function() twist(code, M - N) end)
   code:get(WORD, RDI, 0)
   vectors(2, function()
      temper(code)
      code:with_number('add', BITS, VECTOR)
      code:with_number('add', UNIT, 2 * VECTOR)
   end)
   code:leave()
   local fn = code:finish()
   if not fn then return nil end
   local run, args, counts = ffi.cast(native.loop_t, fn), native.buffer('char *', 3), native.buffer('intptr_t', 3)
   for k, count in ipairs(COUNTS) do counts[k - 1] = count end
   return function(g)
      args[0], args[1] = ffi.cast('char *', g.word), ffi.cast('char *', g.bits)
      args[2] = ffi.cast('char *', g.unit)
      run(args, counts, nil, nil)
   end
end
