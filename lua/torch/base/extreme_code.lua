-- Extremes and their indices, from 1, as machine code with the arguments of a loop of NumPy: f(args, dims, steps,
-- data). Of equals the first is found, and the first NaN before all numbers. See docs/decisions/0028-vector-code.md.
--
--    extreme_code.rows(T, is_max)      of rows of neighbors, at least a vector of them
--    extreme_code.columns(T, is_max)   of columns
--
-- Pointers, nil where there is no code. args: addresses of the elements, the values and the indices, of 64 bits; for
-- rows, too, of the number of elements before the last vector, and of an int64 that is set to other than 0 where a row
-- has a NaN, whose index is 0 then. dims[0]: how many rows or columns. steps, in bytes: of the first three from one to
-- the next, 0 to 2. For rows, of neighbors as well, 5 is the number of whole vectors behind the first; for columns 3 is
-- the step from element to element, and 4 the number of elements.

local ffi = require 'ffi'
local assembler = require 'torch.native.assembler'

local extreme_code = {}

local RAX, RCX, STEPS, LEFT, ARGS = 0, 1, 2, 6, 7
local FROM, VALUES, INDICES, WALK = 8, 9, 10, 11
local VECTOR = 32

local LESS, GREATER, UNORDERED, ORDERED, EQUAL = 0x11, 0x1E, 0x03, 0x07, 0x00
-- Neither less nor equal, or greater or equal: NaN is.
local BEYOND, BELOW = 0x16, 0x19

local function begin(T)
   if T.name ~= 'Float' and T.name ~= 'Double' or not assembler.possible() then return nil end
   local code = assembler.new(T)
   code:get(LEFT, LEFT, 0)
   for k = 0, 2 do code:get(FROM + k, ARGS, 8 * k) end
   return code, VECTOR / T.size
end

-- A vector of the numbers from 1 on, as an operand in memory.
local function counting(code, lanes)
   local array = ffi.new(ffi.typeof(code.T.c .. '[?]'), lanes)
   for k = 0, lanes - 1 do array[k] = k + 1 end
   code.numbers[#code.numbers + 1] = array
   return { constant = #code.numbers }
end

-- All elements of `register` become the extreme of them.
local function spread_extreme(code, name, register, other)
   code:halves(other, register, register, 0x01)
   code[name](code, register, register, other)
   for _, order in ipairs(code.T.size == 8 and { 0x05 } or { 0x4E, 0xB1 }) do
      code:shuffle(other, register, register, order)
      code[name](code, register, register, other)
   end
end

function extreme_code.rows(T, is_max)
   local code, lanes = begin(T)
   if not code then return nil end
   local BEST, AT, COUNTED, ELEMENTS, MASK, NAN, TEMP = 0, 1, 2, 3, 4, 5, 6
   local STEP, FIRST, LAST, NONE, INTEGER = 8, 9, 10, 11, 12
   code:load(STEP, code:number(lanes, T.c))
   code:load(FIRST, counting(code, lanes))
   code:get(RAX, ARGS, 24)
   code:spread(LAST, { base = RAX })
   code:add(LAST, LAST, FIRST)
   code:load(NONE, code:number(1e30, T.c))
   -- Below 2^52 the bits of a double count in steps of one.
   code:load(INTEGER, code:number(2 ^ 52, 'double'))
   local function take()
      code:load(ELEMENTS, { base = WALK })
      code:compare(MASK, ELEMENTS, BEST, is_max and GREATER or LESS)
      code:compare(TEMP, ELEMENTS, ELEMENTS, UNORDERED)
      code:bit_or(NAN, NAN, TEMP)
      code:choose(BEST, BEST, ELEMENTS, MASK * 16)
      code:choose(AT, AT, COUNTED, MASK * 16)
   end
   code:repeatedly(LEFT, 1, function()
      local fine, done = {}, {}
      code:copy(WALK, FROM)
      code:load(BEST, { base = WALK })
      code:compare(NAN, BEST, BEST, UNORDERED)
      code:move(AT, FIRST)
      code:move(COUNTED, FIRST)
      code:get(RCX, STEPS, 40)
      code:repeatedly(RCX, 1, function()
         code:with_number('add', WALK, VECTOR)
         code:add(COUNTED, COUNTED, STEP)
         take()
      end)
      -- The last vector may have elements of the one before.
      code:copy(WALK, FROM)
      code:increase(WALK, { base = STEPS })
      code:with_number('subtract', WALK, VECTOR)
      code:move(COUNTED, LAST)
      take()
      code:test_signs(NAN, NAN)
      code:jump('jz', fine)
      code:clear(TEMP, TEMP, TEMP)
      code:store_double(TEMP, { base = INDICES })
      code:get(RAX, ARGS, 32)
      code:set(RAX, 0, RAX)
      code:jump('always', done)
      code:place(fine)
      code:move(ELEMENTS, BEST)
      spread_extreme(code, is_max and 'max' or 'min', ELEMENTS, TEMP)
      code:compare(MASK, BEST, ELEMENTS, EQUAL)
      code:choose(AT, NONE, AT, MASK * 16)
      spread_extreme(code, 'min', AT, TEMP)
      if T.size == 4 then code:widen(AT, AT) end
      code:add_doubles(AT, AT, INTEGER)
      code:bit_xor(AT, AT, INTEGER)
      code:store_double(AT, { base = INDICES })
      -- Of zeros with different signs it is the first.
      code:get(RCX, INDICES, 0)
      code:load_one(ELEMENTS, { base = FROM, index = RCX, scale = T.size, offset = -T.size })
      code:store_one(ELEMENTS, { base = VALUES })
      code:place(done)
      code:increase(FROM, { base = STEPS })
      code:with_number('add', VALUES, T.size)
      code:with_number('add', INDICES, 8)
   end)
   code:leave()
   return code:finish()
end

-- Vectors of columns that are worked on at a time.
local WIDE = 4

local function some_columns(code, is_max, lanes, vectors)
   local T = code.T
   local single = vectors == 0
   local COUNTED, ELEMENTS, MASK, TEMP, ONE, ZERO = 8, 9, 10, 11, 12, 13
   local function best(k) return k end
   local function at(k) return WIDE + k end
   local width = single and 1 or vectors * lanes
   local last = single and 0 or vectors - 1
   local load, store = single and 'load_one' or 'load', single and 'store_one' or 'store'
   local function store_indices(k)
      local to = { base = INDICES, offset = k * lanes * 8 }
      if T.size == 8 then return code[store](code, at(k), to) end
      code:low_pairs(ELEMENTS, at(k), ZERO)
      if single then return code:store_double(ELEMENTS, to) end
      code:high_pairs(MASK, at(k), ZERO)
      code:halves(TEMP, ELEMENTS, MASK, 0x20)
      code:store(TEMP, to)
      code:halves(TEMP, ELEMENTS, MASK, 0x31)
      code:store(TEMP, { base = INDICES, offset = to.offset + VECTOR })
   end
   code:load(ONE, code:number(1, ('int%d_t'):format(8 * T.size)))
   code:clear(ZERO, ZERO, ZERO)
   code:repeatedly(LEFT, width, function()
      code:copy(WALK, FROM)
      code:move(COUNTED, ONE)
      for k = 0, last do
         code[load](code, best(k), { base = WALK, offset = k * VECTOR })
         code:move(at(k), ONE)
      end
      code:get(RCX, STEPS, 32)
      code:with_number('subtract', RCX, 1)
      code:repeatedly(RCX, 1, function()
         code:increase(WALK, { base = STEPS, offset = 24 })
         code:add_bits(COUNTED, COUNTED, ONE)
         for k = 0, last do
            code[load](code, ELEMENTS, { base = WALK, offset = k * VECTOR })
            code:compare(MASK, ELEMENTS, best(k), is_max and BEYOND or BELOW)
            code:compare(TEMP, best(k), best(k), ORDERED)
            code:bit_and(MASK, MASK, TEMP)
            code:choose(best(k), best(k), ELEMENTS, MASK * 16)
            code:choose(at(k), at(k), COUNTED, MASK * 16)
         end
      end)
      for k = 0, last do
         code[store](code, best(k), { base = VALUES, offset = k * VECTOR })
         store_indices(k)
      end
      code:with_number('add', FROM, width * T.size)
      code:with_number('add', VALUES, width * T.size)
      code:with_number('add', INDICES, width * 8)
   end)
end

function extreme_code.columns(T, is_max)
   local code, lanes = begin(T)
   if not code then return nil end
   for _, vectors in ipairs { WIDE, 1, 0 } do some_columns(code, is_max, lanes, vectors) end
   code:leave()
   return code:finish()
end

return extreme_code
