-- Conversions of contiguous elements between types as machine code, with the arguments of NumPy's loops. See
-- docs/decisions/0028-vector-code.md.
--
-- Integers are converted as vectors of eight 32-bit integers. If one of them does not fit, since C converts by way of
-- 64 bits, the eight are converted one by one.

local ipairs = ipairs
local assembler = require 'torch.native.assembler'
local types = require 'torch.base.types'

local FROM, TO, RDI, COUNT, RAX = 8, 9, 7, 6, 0

-- Elements per iteration: of Floats and doubles, in vectors of four, and of integers.
local TURN, VECTOR, EIGHT = 16, 4, 8

local function advance(code, T, S, count)
   code:with_number('add', FROM, count * S.size)
   code:with_number('add', TO, count * T.size)
end

local function fractions(code, T, S)
   local widens = T.name == 'Double'
   code:repeatedly(COUNT, TURN, function()
      for k = 0, TURN / VECTOR - 1 do
         local from, to = { base = FROM, offset = k * VECTOR * S.size }, { base = TO, offset = k * VECTOR * T.size }
         if widens then
            code:widen(k, from)
            code:store(k, to)
         else
            code:narrow(k, from)
            code:store_floats(k, to)
         end
      end
      advance(code, T, S, TURN)
   end)
   code:repeatedly(COUNT, 1, function()
      if widens then
         code:load_float(0, { base = FROM })
         code:widen(0, 0)
         code:store_one(0, { base = TO })
      else
         code:load_one(0, { base = FROM })
         code:narrow(0, 0)
         code:store_float(0, { base = TO })
      end
      advance(code, T, S, 1)
   end)
end

-- Load eight elements at `from` to register 0 as integers of 32 bits; `slow` is where to go if one does not fit T.
local function behind(place) return { base = place.base, offset = place.offset + 32 } end

local function check_fraction(code, slow)
   code:equal_integers(1, 0, code:number(-2 ^ 31, 'int32_t'))
   code:test_signs(1, 1)
   code:jump('jnz', slow)
end

local LOADS = {
   Byte = function(code, from) code:widen_bytes(0, from) end,
   Char = function(code, from) code:widen_chars(0, from) end,
   Short = function(code, from) code:widen_shorts(0, from) end,
   Int = function(code, from) code:load(0, from) end,
   Long = function(code, from, T, slow)
      code:load(1, from)
      code:load(2, behind(from))
      code:shuffle(0, 1, 2, 0x88)
      if not T.integer then
         code:shuffle(1, 1, 2, 0xDD)
         code:right_signed_by(2, 0, 31)
         code:equal_integers(1, 1, 2)
         code:test_signs(1, code:number(-1, 'int32_t'))
         code:jump('jae', slow)
      end
      code:quarters(0, 0, 0xD8)
   end,
   Float = function(code, from, _, slow)
      code:truncate_floats(0, from)
      check_fraction(code, slow)
   end,
   Double = function(code, from, _, slow)
      code:truncate_doubles(0, from)
      code:truncate_doubles(1, behind(from))
      code:halves(0, 0, 1, 0x20)
      check_fraction(code, slow)
   end,
}

-- Store the lowest bits of the eight integers in register 0.
local function packed(mask, finish)
   return function(code, to)
      code:bit_and(0, 0, code:number(mask, 'int32_t'))
      code:upper_half(0, 1, 1)
      code:pack_integers(0, 0, 1)
      finish(code, to)
   end
end

local bytes = packed(255, function(code, to)
   code:pack_words(0, 0, 0)
   code:store_long(0, to)
end)

-- Both halves by an instruction that makes four elements of 64 bits.
local function doubled(instruction)
   return function(code, to)
      code:upper_half(0, 1, 1)
      code[instruction](code, 0, 0)
      code[instruction](code, 1, 1)
      code:store(0, to)
      code:store(1, behind(to))
   end
end

local STORES = {
   Byte = bytes, Char = bytes,
   Short = packed(65535, function(code, to) code:store_floats(0, to) end),
   Int = function(code, to) code:store(0, to) end,
   Long = doubled 'widen_integers',
   Float = function(code, to)
      code:from_integer(0, 0)
      code:store(0, to)
   end,
   Double = doubled 'doubles_of',
}

-- The same for one element, of which fractions and Longs have 64 bits.
local function truncated(instruction)
   return function(code, from)
      code[instruction](code, RAX, from)
      code:from_general(0, RAX)
   end
end

local LOADS_ONE = {
   Byte = function(code, from) code:load_byte(0, 0, from, 0) end,
   Char = function(code, from)
      code:load_byte(0, 0, from, 0)
      code:widen_chars(0, 0)
   end,
   Short = function(code, from)
      code:load_short(0, 0, from, 0)
      code:widen_shorts(0, 0)
   end,
   Int = function(code, from) code:load_integer(0, from) end,
   Long = function(code, from) code:load_long(0, from) end,
   Float = truncated 'truncate_float', Double = truncated 'truncate_double',
}

local function store_byte(code, to) code:store_byte(0, to, 0) end

local STORES_ONE = {
   Byte = store_byte, Char = store_byte,
   Short = function(code, to) code:store_short(0, to, 0) end,
   Int = function(code, to) code:store_integer(0, to) end,
   Long = function(code, to, S)
      if S.integer then code:widen_integers(0, 0) end
      code:store_long(0, to)
   end,
   Float = function(code, to, S, from)
      if S.name == 'Long' then code:float_of_long(0, 0, from) else code:from_integer(0, 0) end
      code:store_float(0, to)
   end,
   Double = function(code, to, S, from)
      if S.name == 'Long' then code:double_of_long(0, 0, from) else code:doubles_of(0, 0) end
      code:store_double(0, to)
   end,
}

local function integers(code, T, S)
   local function places(i) return { base = FROM, offset = i * S.size }, { base = TO, offset = i * T.size } end
   local function single(i)
      local from, to = places(i)
      code:clear(0, 0, 0)
      LOADS_ONE[S.name](code, from)
      STORES_ONE[T.name](code, to, S, from)
   end
   local function eight(i)
      local slow, done = {}, {}
      local from, to = places(i)
      LOADS[S.name](code, from, T, slow)
      STORES[T.name](code, to)
      slow.from, slow.back = i, code:place(done)
      return slow
   end
   local function turn(count)
      local after, slow = {}, {}
      code:repeatedly(COUNT, count, function()
         for i = 0, count - EIGHT, EIGHT do slow[#slow + 1] = eight(i) end
         advance(code, T, S, count)
      end)
      code:jump('always', after)
      for _, group in ipairs(slow) do
         code:place(group)
         for i = group.from, group.from + EIGHT - 1 do single(i) end
         code:jump('always', group.back)
      end
      code:place(after)
   end
   turn(4 * EIGHT)
   turn(EIGHT)
   code:repeatedly(COUNT, 1, function()
      single(0)
      advance(code, T, S, 1)
   end)
end

-- The loop from type S to type T as a pointer; nil where there is none. Types of devices have the names of those below.
return function(T, S)
   if T.name == S.name or not (STORES[T.name] and LOADS[S.name]) or not assembler.possible() then return nil end
   local whole = T.integer or S.integer
   local code = assembler.new(types.by_name[whole and 'Float' or 'Double'])
   code:get(FROM, RDI, 0)
   code:get(TO, RDI, 8)
   code:get(COUNT, COUNT, 0)
   if whole then integers(code, T, S) else fractions(code, T, S) end
   code:leave()
   return code:finish()
end
