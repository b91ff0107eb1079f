-- Machine code with vectors of 256 bits, for x86-64 with AVX2 and FMA. See docs/decisions/0028-vector-code.md.
--
--    local code = assembler.new(T)          instructions for elements of type T, Float or Double
--    code:add(d, a, b)                      a vector instruction, as in the list below: registers 0 to 15, result first
--    code.half = true                       from here on vectors of 128 bits, where registers have 256
--    code:jump('jz', label), code:label()   labels are tables; code:place(label) sets one to here
--    code:number(value, c)                  all elements of a vector as an operand in memory, by the C type c
--    code:finish()                          the code as a pointer; nil where memory may not be executed. It stays as
--                                           long as this state.
--
--    code:align()                           places what follows at the start of a line of the cache
--    code:emit(bytes)                       repeats instructions without jumps and numbers in memory, which
--                                           code:since(count) gives: those behind the first `count`, as code.count was
--    code:repeatedly(r, step, work)         calls work() once, for code that runs while general register r, which is
--                                           made less by `step` each time, is at least `step`
--
-- The last operand of an instruction is a register, code:number(...), or { base = r }: memory at a general register,
-- with `index`, another one times `scale`, and `offset`, a number of bytes, where these are given.

local ffi, jit = require 'ffi', jit
local code_pages, host = require 'torch.native.code_pages', require 'torch.native.host'
local cast, char, concat, floor = ffi.cast, string.char, table.concat, math.floor

-- Code is made once: compiling what makes it takes longer.
jit.off(true, true)

local assembler = {}
assembler.__index = assembler

-- Opcodes of vector instructions: opcode map, prefix, opcode; 'p' and 's' are the prefixes of packed and of scalar
-- floating-point numbers; 'w' sets bit W to the width of an element. Instructions with `two` have a single source.
local INSTRUCTIONS = {
   add = { 1, 'p', 0x58 }, multiply = { 1, 'p', 0x59 }, subtract = { 1, 'p', 0x5C }, divide = { 1, 'p', 0x5E },
   min = { 1, 'p', 0x5D }, max = { 1, 'p', 0x5F }, root = { 1, 'p', 0x51, two = true },
   bit_and = { 1, 'p', 0x54 }, and_not = { 1, 'p', 0x55 }, bit_or = { 1, 'p', 0x56 }, bit_xor = { 1, 'p', 0x57 },
   compare = { 1, 'p', 0xC2 }, move = { 1, 'p', 0x28, two = true }, load = { 1, 'p', 0x10, two = true },
   store = { 1, 'p', 0x11, two = true }, load_one = { 1, 's', 0x10, two = true, short = true },
   store_one = { 1, 's', 0x11, two = true, short = true },
   add_one = { 1, 's', 0x58, short = true },
   round = { 3, 1, { 0x08, 0x09 }, two = true }, choose = { 3, 1, { 0x4A, 0x4B } },
   spread = { 2, 1, { 0x18, 0x19 }, two = true },
   multiply_add = { 2, 1, 0xA8, 'w' }, add_product = { 2, 1, 0xB8, 'w' }, subtract_product = { 2, 1, 0xBC, 'w' },
   add_bits = { 1, 1, { 0xFE, 0xD4 } }, subtract_bits = { 1, 1, { 0xFA, 0xFB } },
   left = { 2, 1, 0x47, 'w' }, right = { 2, 1, 0x45, 'w' },
   -- Floats only.
   to_integer = { 1, 1, 0x5B, two = true }, from_integer = { 1, 0, 0x5B, two = true },
   widen = { 1, 0, 0x5A, two = true }, narrow = { 1, 1, 0x5A, two = true },
   -- Doubles, whatever the element type. The upper half of a vector goes to a register.
   add_doubles = { 1, 1, 0x58 }, add_double = { 1, 3, 0x58, short = true }, upper_double = { 1, 1, 0x15, short = true },
   store_double = { 1, 3, 0x11, two = true, short = true }, store_doubles = { 1, 1, 0x11, two = true },
   upper_half = { 3, 1, 0x19, two = true },
   multiply_double = { 1, 3, 0x59, short = true }, clear = { 1, 0, 0x57 },
   -- Floats, whatever the element type: four of them, or one.
   load_floats = { 1, 0, 0x10, two = true, short = true }, store_floats = { 1, 0, 0x11, two = true, short = true },
   load_float = { 1, 2, 0x10, two = true, short = true }, store_float = { 1, 2, 0x11, two = true, short = true },
   multiply_floats = { 1, 0, 0x59, short = true },
   -- Elements of two vectors: within halves, and whole halves.
   add_pairs = { 1, { 3, 1 }, 0x7C }, low_pairs = { 1, 'p', 0x14 }, high_pairs = { 1, 'p', 0x15 },
   shuffle = { 1, 'p', 0xC6 }, halves = { 3, 1, 0x06 }, quarters = { 3, 1, 0x01, two = true, wide = true },
   -- The first half only; and elements whose sign in the second operand is set.
   add_first_half = { 1, 'p', 0x58, short = true }, load_half = { 1, 'p', 0x10, two = true, short = true },
   store_half = { 1, 'p', 0x11, two = true, short = true }, store_some = { 2, 1, { 0x2E, 0x2F } },
   load_some = { 2, 1, { 0x2C, 0x2D } },
   -- Doubles at a base plus an index each, if the sign of the second operand is set, which is then cleared.
   gather = { 2, 1, 0x93, 'w' },
   -- Sets the zero flag if no element has its sign set in both operands, the carry flag if none has it in the second
   -- alone.
   test_signs = { 2, 1, { 0x0E, 0x0F }, two = true },
   -- Integers of 32 bits from bytes, signed bytes and words of 16 bits; those of 64 bits from them; and back, for
   -- numbers that fit.
   widen_bytes = { 2, 1, 0x31, two = true }, widen_chars = { 2, 1, 0x21, two = true },
   widen_shorts = { 2, 1, 0x23, two = true }, widen_integers = { 2, 1, 0x25, two = true },
   pack_integers = { 2, 1, 0x2B, short = true }, pack_words = { 1, 1, 0x67, short = true },
   equal_integers = { 1, 1, 0x76 },
   -- Integers from floats and doubles, -2^31 for those that do not fit; four doubles from integers.
   truncate_floats = { 1, 2, 0x5B, two = true }, truncate_doubles = { 1, 1, 0xE6, two = true },
   doubles_of = { 1, 2, 0xE6, two = true },
   -- A number: to a general register and from there, and from 64 bits in memory to the type.
   truncate_float = { 1, 2, 0x2C, two = true, wide = true, short = true },
   truncate_double = { 1, 3, 0x2C, two = true, wide = true, short = true },
   from_general = { 1, 1, 0x6E, two = true, wide = true, short = true },
   float_of_long = { 1, 2, 0x2A, wide = true, short = true },
   double_of_long = { 1, 3, 0x2A, wide = true, short = true },
   -- The first integer of a vector; those of fewer than 32 bits are followed by their index in it.
   load_byte = { 3, 1, 0x20, short = true }, load_short = { 1, 1, 0xC4, short = true },
   load_integer = { 1, 1, 0x6E, two = true, short = true }, load_long = { 1, 2, 0x7E, two = true, short = true },
   store_byte = { 3, 1, 0x14, two = true, short = true }, store_short = { 3, 1, 0x15, two = true, short = true },
   store_integer = { 1, 1, 0x7E, two = true, short = true }, store_long = { 1, 1, 0xD6, two = true, short = true },
}

-- Whether such code can run here: functions receive arguments in the registers of System V.
local possible

function assembler.possible()
   if possible == nil then
      possible = jit.arch == 'x64' and jit.os ~= 'Windows' and host.has_wide_vectors()
   end
   return possible
end
-- Programs call it for each convolution.
jit.on(assembler.possible)

-- Code is a list of strings until it is finished.
local function emit(self, bytes)
   local count = self.count + 1
   self.count, self[count], self.size = count, bytes, self.size + #bytes
end
assembler.emit = emit

function assembler:since(count) return concat(self, '', count + 1) end

local LINE = 64
function assembler:align() emit(self, ('\0'):rep(-self.size % LINE)) end

local function word(value)
   value = value % 2 ^ 32
   return char(value % 256, floor(value / 2 ^ 8) % 256, floor(value / 2 ^ 16) % 256, floor(value / 2 ^ 24))
end

-- Encodes a register and a memory operand.
local SCALES = { 0, 0x40, [4] = 0x80, [8] = 0xC0 }
local function memory(reg, rm)
   local number, offset, index = rm.base % 8, rm.offset or 0, rm.index
   local mode = (offset < -128 or offset > 127) and 0x80 or (offset ~= 0 or number == 5) and 0x40 or 0
   local first, second = mode + reg % 8 * 8, nil
   if index or number == 4 then
      first, second = first + 4, SCALES[rm.scale or 1] + (index or 4) % 8 * 8 + number
   else
      first = first + number
   end
   if mode == 0x80 then return (second and char(first, second) or char(first)) .. word(offset) end
   if mode == 0 then return second and char(first, second) or char(first) end
   return second and char(first, second, offset % 256) or char(first, offset % 256)
end

-- An instruction with a three-byte VEX prefix: two registers, a register or memory, and an optional byte.
local function encode(self, map, prefix, wide, long, opcode, reg, second, rm, last)
   local in_register = type(rm) == 'number'
   local constant, index = not in_register and rm.constant, not in_register and rm.index or 0
   local number = in_register and rm or rm.base or 0
   local name = (reg < 8 and 0x80 or 0) + (index < 8 and 0x40 or 0) + (number < 8 and 0x20 or 0) + map
   local form = (wide and 0x80 or 0) + (15 - second) * 8 + (long and 4 or 0) + prefix
   if in_register then
      emit(self, char(0xC4, name, form, opcode, 0xC0 + reg % 8 * 8 + number % 8))
   elseif constant then
      emit(self, char(0xC4, name, form, opcode, reg % 8 * 8 + 5))
      self.fixups[#self.fixups + 1] = { at = self.size, constant = constant, after = last and 5 or 4 }
      emit(self, '\0\0\0\0')
   else
      emit(self, char(0xC4, name, form, opcode) .. memory(reg, rm))
   end
   if last then emit(self, char(last)) end
end

for name, row in pairs(INSTRUCTIONS) do
   assembler[name] = function(self, reg, a, b, last)
      local prefix, opcode, double = row[2], row[3], self.T.size == 8
      if prefix == 'p' then prefix = double and 1 or 0 elseif prefix == 's' then prefix = double and 3 or 2 end
      if type(opcode) == 'table' then opcode = opcode[double and 2 or 1] end
      if type(prefix) == 'table' then prefix = prefix[double and 2 or 1] end
      if row.two then a, b, last = 0, a, b end
      local wide, long = row.wide or row[4] and double, not (row.short or self.half)
      encode(self, row[1], prefix, wide, long, opcode, reg, a, b, last)
   end
end

-- Shifts of all elements by a number of bits.
local function shift(self, digit, d, a, bits)
   encode(self, 1, 1, false, not self.half, self.T.size == 8 and 0x73 or 0x72, digit, d, a, bits)
end
function assembler:right_by(d, a, bits) shift(self, 2, d, a, bits) end
function assembler:right_signed_by(d, a, bits) shift(self, 4, d, a, bits) end
function assembler:left_by(d, a, bits) shift(self, 6, d, a, bits) end

-- General registers by number: 0 rax, 1 rcx, 2 rdx, 6 rsi, 7 rdi, 8 to 11; 3 rbx, 5 rbp, and 12 to 15, which are
-- callee-saved: `keep` pushes registers, and `bring_back` or `leave` with the same list restores them.
local function general(self, opcode, reg, rm, long, narrow)
   local in_register = type(rm) == 'number'
   local number, index = in_register and rm or rm.base, not in_register and rm.index or 0
   local prefix = (narrow and 0x40 or 0x48) + (reg >= 8 and 4 or 0) + (index >= 8 and 2 or 0)
      + (number >= 8 and 1 or 0)
   emit(self, (long and char(prefix, 0x0F, opcode) or char(prefix, opcode))
      .. (in_register and char(0xC0 + reg % 8 * 8 + rm % 8) or memory(reg, rm)))
end

function assembler:get(to, base, offset) general(self, 0x8B, to, { base = base, offset = offset }) end
function assembler:set(base, offset, from) general(self, 0x89, from, { base = base, offset = offset }) end
function assembler:copy(to, from) general(self, 0x8B, to, from) end
function assembler:increase(to, from) general(self, 0x03, to, from) end
function assembler:multiply_by(to, from) general(self, 0xAF, to, from, true) end
function assembler:increase_at(base, offset, from) general(self, 0x01, from, { base = base, offset = offset }) end
-- Asks for the line of the cache that memory is in.
function assembler:prefetch(rm) general(self, 0x18, 1, rm, true) end
function assembler:call_at(base, offset) general(self, 0xFF, 2, { base = base, offset = offset }) end
function assembler:compare_with(a, b) general(self, 0x3B, a, b) end

-- An element of 1, 2, 4 or 8 bytes at the address in a register, to a register and back.
function assembler:get_element(to, base, size)
   general(self, size == 1 and 0xB6 or size == 2 and 0xB7 or 0x8B, to, { base = base }, size < 4, size < 8)
end

function assembler:set_element(base, from, size)
   if size == 2 then emit(self, char(0x66)) end
   general(self, size == 1 and 0x88 or 0x89, from, { base = base }, false, size < 8)
end

-- Instructions of one byte and the number of a register.
local function short_form(self, opcode, reg)
   emit(self, reg >= 8 and char(0x41, opcode + reg % 8) or char(opcode + reg))
end

function assembler:keep(registers)
   for _, reg in ipairs(registers) do short_form(self, 0x50, reg) end
end

local IMMEDIATE = { add = 0, ['and'] = 4, subtract = 5, compare = 7 }
function assembler:with_number(what, reg, number)
   local short = number >= -128 and number < 128
   general(self, short and 0x83 or 0x81, IMMEDIATE[what], reg)
   emit(self, short and char(number % 256) or word(number))
end

-- Loads the address of permanent memory into rax.
function assembler:address(pointer)
   local address = tonumber(cast('intptr_t', pointer))
   emit(self, '\x48\xB8' .. word(address) .. word(floor(address / 2 ^ 32)))
end

local JUMPS = { jb = '\x0F\x82', jae = '\x0F\x83', jz = '\x0F\x84', jnz = '\x0F\x85', always = '\xE9' }
function assembler:jump(condition, label)
   emit(self, JUMPS[condition])
   self.fixups[#self.fixups + 1] = { at = self.size, label = label, after = 4 }
   emit(self, '\0\0\0\0')
end

function assembler:place(label)
   label.at = self.size
   return label
end

function assembler:repeatedly(reg, step, work)
   local again, done = {}, {}
   self:with_number('subtract', reg, step)
   self:jump('jb', done)
   self:place(again)
   work()
   self:with_number('subtract', reg, step)
   self:jump('jae', again)
   self:place(done)
   self:with_number('add', reg, step)
end

function assembler:bring_back(registers)
   for i = #registers, 1, -1 do short_form(self, 0x58, registers[i]) end
end

function assembler:leave(registers)
   emit(self, '\xC5\xF8\x77')
   self:bring_back(registers or {})
   emit(self, '\xC3')
end

local VECTOR = 32

function assembler:number(value, c)
   local key = ('%s %.17g'):format(c, value)
   local k = self.index_of[key]
   if not k then
      k = #self.numbers + 1
      self.numbers[k], self.index_of[key] = ffi.new(ffi.typeof(c .. '[?]'), VECTOR / ffi.sizeof(c), value), k
   end
   return { constant = k }
end

-- A vector with a number in the first element and 0 in the others.
function assembler:only_first(value, c)
   local array = ffi.new(ffi.typeof(c .. '[?]'), VECTOR / ffi.sizeof(c))
   array[0] = value
   self.numbers[#self.numbers + 1] = array
   return { constant = #self.numbers }
end

function assembler.new(T)
   return setmetatable({ T = T, count = 0, size = 0, numbers = {}, index_of = {}, fixups = {} }, assembler)
end

local PAGE = 4096

function assembler:finish()
   local size = self.size
   local first = floor((size + VECTOR - 1) / VECTOR) * VECTOR
   local length = floor((first + VECTOR * #self.numbers + PAGE - 1) / PAGE) * PAGE
   local bytes = code_pages.new(length)
   if not bytes then return nil end
   ffi.copy(bytes, concat(self), size)
   for _, fixup in ipairs(self.fixups) do
      local to = fixup.label and fixup.label.at or first + (fixup.constant - 1) * VECTOR
      ffi.copy(bytes + fixup.at, word(to - fixup.at - fixup.after), 4)
   end
   for k, array in ipairs(self.numbers) do ffi.copy(bytes + first + (k - 1) * VECTOR, array, VECTOR) end
   if not code_pages.seal(bytes, length) then
      possible = false
      return nil
   end
   return cast('void *', bytes)
end

return assembler
