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
--    code:repeatedly(r, step, work)         calls work() once, for code that runs while general register r, which is
--                                           made less by `step` each time, is at least `step`
--
-- The last operand of an instruction is a register, code:number(...), or { base = r }: memory at a general register,
-- with `index`, another one times `scale`, and `offset`, a number of bytes, where these are given.

local ffi, jit = require 'ffi', jit
local host, libc = require 'torch.native.host', require 'torch.native.libc'
local cast, floor = ffi.cast, math.floor

local assembler = {}
assembler.__index = assembler

-- Opcodes of vector instructions: map of opcodes, prefix, opcode; 'p' and 's' are the prefixes of packed and of scalar
-- floating-point numbers, 'w' tells that bit W is the width of an element. `two` have one source.
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
   -- Of Floats alone.
   to_integer = { 1, 1, 0x5B, two = true }, from_integer = { 1, 0, 0x5B, two = true },
   -- Integers of 32 bits, from smaller ones, and as doubles.
   load_bytes = { 2, 1, 0x31, two = true }, load_chars = { 2, 1, 0x21, two = true },
   load_shorts = { 2, 1, 0x23, two = true }, double_integers = { 1, 2, 0xE6, two = true },
   widen = { 1, 0, 0x5A, two = true }, narrow = { 1, 1, 0x5A, two = true },
   -- Of doubles, whatever the type of the elements. The upper half of a vector goes to a register.
   add_doubles = { 1, 1, 0x58 }, add_double = { 1, 3, 0x58, short = true }, upper_double = { 1, 1, 0x15, short = true },
   store_double = { 1, 3, 0x11, two = true, short = true }, store_doubles = { 1, 1, 0x11, two = true },
   upper_half = { 3, 1, 0x19, two = true },
   multiply_double = { 1, 3, 0x59, short = true }, clear = { 1, 0, 0x57 },
   -- Of Floats, whatever the type of the elements: four of them, or one.
   load_floats = { 1, 0, 0x10, two = true, short = true }, store_floats = { 1, 0, 0x11, two = true, short = true },
   load_float = { 1, 2, 0x10, two = true, short = true }, store_float = { 1, 2, 0x11, two = true, short = true },
   multiply_floats = { 1, 0, 0x59, short = true },
   -- Elements of two vectors: within halves, and whole halves.
   add_pairs = { 1, { 3, 1 }, 0x7C }, low_pairs = { 1, 'p', 0x14 }, high_pairs = { 1, 'p', 0x15 },
   shuffle = { 1, 'p', 0xC6 }, halves = { 3, 1, 0x06 }, quarters = { 3, 1, 0x01, two = true, wide = true },
   -- Of the first half alone; and elements whose sign in the second operand is set.
   add_first_half = { 1, 'p', 0x58, short = true }, load_half = { 1, 'p', 0x10, two = true, short = true },
   store_half = { 1, 'p', 0x11, two = true, short = true }, store_some = { 2, 1, { 0x2E, 0x2F } },
   load_some = { 2, 1, { 0x2C, 0x2D } },
   -- The zero flag tells that no element has its sign set in both operands.
   test_signs = { 2, 1, { 0x0E, 0x0F }, two = true },
}

-- Whether there is such code here: functions receive arguments in the registers of System V.
local possible

function assembler.possible()
   if possible == nil then
      possible = jit.arch == 'x64' and jit.os ~= 'Windows' and host.has_wide_vectors()
   end
   return possible
end

local function byte(self, value) self[#self + 1] = value end

local function word(self, value)
   value = value % 2 ^ 32
   for _ = 1, 4 do
      byte(self, value % 256)
      value = floor(value / 256)
   end
end

-- The bytes that name a register and memory.
local SCALES = { 0, 0x40, [4] = 0x80, [8] = 0xC0 }
local function memory(self, reg, rm)
   local place, offset = rm.base % 8, rm.offset or 0
   local mode = (offset < -128 or offset > 127) and 0x80 or (offset ~= 0 or place == 5) and 0x40 or 0
   if rm.index or place == 4 then
      byte(self, mode + reg % 8 * 8 + 4)
      byte(self, SCALES[rm.scale or 1] + (rm.index or 4) % 8 * 8 + place)
   else
      byte(self, mode + reg % 8 * 8 + place)
   end
   if mode == 0x80 then word(self, offset) elseif mode > 0 then byte(self, offset % 256) end
end

-- An instruction with a VEX prefix of three bytes: two registers, a register or memory, and up to one byte more.
local function encode(self, map, prefix, wide, long, opcode, reg, second, rm, last)
   local in_register = type(rm) == 'number'
   local constant, index = not in_register and rm.constant, not in_register and rm.index or 0
   local place = in_register and rm or rm.base or 0
   byte(self, 0xC4)
   byte(self, (reg < 8 and 0x80 or 0) + (index < 8 and 0x40 or 0) + (place < 8 and 0x20 or 0) + map)
   byte(self, (wide and 0x80 or 0) + (15 - second) * 8 + (long and 4 or 0) + prefix)
   byte(self, opcode)
   if in_register or constant then
      byte(self, (in_register and 0xC0 or 0) + reg % 8 * 8 + (constant and 5 or place % 8))
   else
      memory(self, reg, rm)
   end
   if constant then
      self.fixups[#self.fixups + 1] = { at = #self, constant = constant, after = last and 5 or 4 }
      word(self, 0)
   end
   if last then byte(self, last) end
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

-- General registers, by their numbers: 0 rax, 1 rcx, 2 rdx, 6 rsi, 7 rdi, 8 to 11; 3 rbx, 5 rbp, and 12 to 15, which
-- are the caller's: `keep` saves them, and `leave` with the same list brings them back.
local function general(self, opcode, reg, rm, long)
   local in_register = type(rm) == 'number'
   local place, index = in_register and rm or rm.base, not in_register and rm.index or 0
   byte(self, 0x48 + (reg >= 8 and 4 or 0) + (index >= 8 and 2 or 0) + (place >= 8 and 1 or 0))
   if long then byte(self, 0x0F) end
   byte(self, opcode)
   if in_register then byte(self, 0xC0 + reg % 8 * 8 + rm % 8) else memory(self, reg, rm) end
end

function assembler:get(to, base, offset) general(self, 0x8B, to, { base = base, offset = offset }) end
function assembler:set(base, offset, from) general(self, 0x89, from, { base = base, offset = offset }) end
function assembler:copy(to, from) general(self, 0x8B, to, from) end
function assembler:increase(to, from) general(self, 0x03, to, from) end
function assembler:multiply_by(to, from) general(self, 0xAF, to, from, true) end
function assembler:increase_at(base, offset, from) general(self, 0x01, from, { base = base, offset = offset }) end
function assembler:compare_with(a, b) general(self, 0x3B, a, b) end

function assembler:keep(registers)
   for _, reg in ipairs(registers) do
      if reg >= 8 then byte(self, 0x41) end
      byte(self, 0x50 + reg % 8)
   end
end

local IMMEDIATE = { add = 0, subtract = 5, compare = 7 }
function assembler:with_number(what, reg, number)
   local short = number >= -128 and number < 128
   general(self, short and 0x83 or 0x81, IMMEDIATE[what], reg)
   if short then byte(self, number % 256) else word(self, number) end
end

-- The address of memory that stays, in rax.
function assembler:address(pointer)
   byte(self, 0x48)
   byte(self, 0xB8)
   local address = tonumber(cast('intptr_t', pointer))
   word(self, address)
   word(self, floor(address / 2 ^ 32))
end

local JUMPS = { jb = 0x82, jae = 0x83, jz = 0x84, jnz = 0x85 }
function assembler:jump(condition, label)
   if condition == 'always' then
      byte(self, 0xE9)
   else
      byte(self, 0x0F)
      byte(self, JUMPS[condition])
   end
   self.fixups[#self.fixups + 1] = { at = #self, label = label, after = 4 }
   word(self, 0)
end

function assembler:place(label)
   label.at = #self
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

function assembler:leave(registers)
   for _, value in ipairs { 0xC5, 0xF8, 0x77 } do byte(self, value) end
   for i = registers and #registers or 0, 1, -1 do
      if registers[i] >= 8 then byte(self, 0x41) end
      byte(self, 0x58 + registers[i] % 8)
   end
   byte(self, 0xC3)
end

local VECTOR = 32

function assembler:number(value, c)
   local key = ('%s %.17g'):format(c, value)
   local k = self.places[key]
   if not k then
      k = #self.numbers + 1
      self.numbers[k], self.places[key] = ffi.new(ffi.typeof(c .. '[?]'), VECTOR / ffi.sizeof(c), value), k
   end
   return { constant = k }
end

-- A vector that is a number in the first element and 0 in the others.
function assembler:only_first(value, c)
   local array = ffi.new(ffi.typeof(c .. '[?]'), VECTOR / ffi.sizeof(c))
   array[0] = value
   self.numbers[#self.numbers + 1] = array
   return { constant = #self.numbers }
end

function assembler.new(T)
   return setmetatable({ T = T, numbers = {}, places = {}, fixups = {} }, assembler)
end

local kept = {}

local READ_WRITE, READ_EXECUTE, PRIVATE, PAGE = 3, 5, jit.os == 'OSX' and 0x1002 or 0x22, 4096

function assembler:finish()
   local size = #self
   local first = floor((size + VECTOR - 1) / VECTOR) * VECTOR
   local length = floor((first + VECTOR * #self.numbers + PAGE - 1) / PAGE) * PAGE
   for _, fixup in ipairs(self.fixups) do
      local to = fixup.label and fixup.label.at or first + (fixup.constant - 1) * VECTOR
      local distance = (to - fixup.at - fixup.after) % 2 ^ 32
      for i = 1, 4 do
         self[fixup.at + i] = distance % 256
         distance = floor(distance / 256)
      end
   end
   local block = libc.t7_mmap(nil, length, READ_WRITE, PRIVATE, -1, 0)
   if cast('intptr_t', block) == -1 then return nil end
   block = ffi.gc(block, function(pages) libc.t7_munmap(pages, length) end)
   local bytes = cast('uint8_t *', block)
   for i = 1, size do bytes[i - 1] = self[i] end
   for k, array in ipairs(self.numbers) do ffi.copy(bytes + first + (k - 1) * VECTOR, array, VECTOR) end
   if libc.t7_mprotect(block, length, READ_EXECUTE) ~= 0 then
      possible = false
      return nil
   end
   kept[#kept + 1] = block
   return cast('void *', block)
end

return assembler
