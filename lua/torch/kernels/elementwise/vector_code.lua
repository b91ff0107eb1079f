-- Programs of fused.lua as machine code, in one pass over memory. An element has the same bits wherever it lies and
-- whatever the steps are, and those of NumPy's loops where these are exact. See docs/decisions/0028-vector-code.md.

local pairs, tonumber, type, unpack = pairs, tonumber, type, unpack
local assembler = require 'torch.native.assembler'
local circular_functions = require 'torch.kernels.elementwise.circular_functions'
local double_functions = require 'torch.kernels.elementwise.double_functions'
local power_functions = require 'torch.kernels.elementwise.power_functions'
local vector_functions = require 'torch.kernels.elementwise.vector_functions'
local wide_functions = require 'torch.kernels.elementwise.wide_functions'

local vector_code = {}

-- Vector registers by the names of programs, and three that operations may change; general registers of a loop.
local REGISTERS = { x = 0, y = 1, w = 2, a = 3, b = 4, c = 5, q = 6, z = 7, v = 14, u = 15 }
local T1 = vector_functions.FIRST
local T2, T3 = T1 + 1, T1 + 2
local POINTERS, STEPS = { 8, 9, 10, 11 }, { 1, 7, 0, 2 }
local RAX, RCX, RDX, RSI, RDI = 0, 1, 2, 6, 7
local COUNT = RSI

local LESS, UNORDERED = 0x11, 0x03

local function direct(name)
   return function(code, d, a, b) code[name](code, d, a, b) end
end

local function comparison(condition)
   return function(code, d, a, b) code:compare(d, a, b, condition) end
end

-- The instructions give b where a or b is NaN. NaN stays, or numbers do.
local function extreme(name, numbers)
   return function(code, d, a, b)
      if numbers and type(b) ~= 'number' then return code[name](code, d, a, b) end
      local tested = numbers and b or a
      code:compare(T2, tested, tested, UNORDERED)
      code[name](code, T3, a, b)
      code:choose(d, T3, a, T2 * 16)
   end
end

local function rounding(mode)
   return function(code, d, a) code:round(d, a, mode) end
end

local operations = {
   add = direct 'add', subtract = direct 'subtract', multiply = direct 'multiply', divide = direct 'divide',
   ['bitwise_or:i'] = direct 'bit_or', ['right_shift:u'] = direct 'right',
   maximum = extreme('max', false), minimum = extreme('min', false),
   fmax = extreme('max', true), fmin = extreme('min', true),
   less = comparison(LESS), less_equal = comparison(0x12), greater = comparison(0x1E),
   greater_equal = comparison(0x1D), equal = comparison(0x00), not_equal = comparison(0x04),
   floor = rounding(9), ceil = rounding(10), trunc = rounding(11),
   sqrt = direct 'root', positive = direct 'move',
   square = function(code, d, a) code:multiply(d, a, a) end,
   absolute = function(code, d, a)
      code:move(T1, code:number(-0.0, code.T.c))
      code:and_not(d, T1, a)
   end,
   sign = function(code, d, a)
      code:clear(T3, T3, T3)
      code:compare(T1, T3, a, LESS)
      code:bit_and(T1, T1, code:number(1, code.T.c))
      code:compare(T2, a, T3, LESS)
      code:bit_and(T2, T2, code:number(-1, code.T.c))
      code:bit_or(T1, T1, T2)
      code:compare(T2, a, a, UNORDERED)
      code:choose(d, T1, a, T2 * 16)
   end,
   select = function(code, d, q, a, b)
      if type(b) ~= 'number' then
         code:move(T1, b)
         b = T1
      end
      code:choose(d, b, a, q * 16)
   end,
}

-- Functions and how many instructions they have; some are of Floats alone.
local LENGTHS = { exp = 24, log = 30, log1p = 40, tanh = 30, cosh = 30, sinh = 60 }
local OF_FLOATS = {}
for name in pairs(LENGTHS) do operations[name] = vector_functions[name] end
for name, f in pairs(circular_functions) do operations[name], LENGTHS[name] = f, 60 end
operations.power, LENGTHS.power = power_functions.power, 120
for name, of_floats in pairs(wide_functions) do
   local of_doubles = double_functions[name]
   LENGTHS[name], OF_FLOATS[name] = 90, not of_doubles
   operations[name] = function(code, ...) return (code.T.size == 8 and of_doubles or of_floats)(code, ...) end
end
vector_code.functions = LENGTHS

-- Nanoseconds for an element of 4 bytes: of memory, and for an instruction.
local MEMORY, INSTRUCTION = 0.15, 0.012

-- The nanoseconds for an element and the number of instructions for a vector; nil where a step has no code.
local function work_of(T, steps, inputs, most)
   if T.name ~= 'Float' and T.name ~= 'Double' or #inputs > (most or 3) or not assembler.possible() then return nil end
   local length = 0
   for _, step in ipairs(steps) do
      if not operations[step.ufunc] or OF_FLOATS[step.ufunc] and T.name ~= 'Float' then return nil end
      length = length + (LENGTHS[step.ufunc] or 1)
   end
   return (MEMORY + INSTRUCTION * length) * T.size / 4, length
end

-- Computes z from the loaded operands.
local function compute(code, steps)
   local T = code.T
   for _, step in ipairs(steps) do
      local operands = {}
      for i, name in ipairs(step.operands) do
         operands[i] = REGISTERS[name]
         if not operands[i] then
            local digits, bits = name:match '^(.-)(:?i?)$'
            operands[i] = code:number(tonumber(digits), bits == ':i' and 'int' .. T.size * 8 .. '_t' or T.c)
            -- Only the last operand of an instruction can be memory.
            if i == 1 then
               code:move(T1, operands[1])
               operands[1] = T1
            end
         end
      end
      operations[step.ufunc](code, REGISTERS[step.to], unpack(operands))
   end
end

-- Numbers of a call are read from their buffers, which stay as long as the code.
local kept = {}

local function load_numbers(code, scalars)
   for name, buffer in pairs(scalars) do
      if buffer then
         kept[#kept + 1] = buffer
         code:address(buffer)
         code:spread(REGISTERS[name], { base = RAX })
      end
   end
end

local function begin(T, inputs, scalars, spread)
   local code = assembler.new(T)
   for i = 1, #inputs + 1 do code:get(POINTERS[i], RDI, 8 * (i - 1)) end
   code:get(COUNT, RSI, 0)
   load_numbers(code, scalars)
   for i, name in ipairs(inputs) do
      if spread[name] then code:spread(REGISTERS[name], { base = POINTERS[i] }) end
   end
   return code
end

-- The operands of a vector, `at` elements from the pointers.
local function load(code, inputs, spread, instruction, pointers, at)
   for i, name in ipairs(inputs) do
      if not spread[name] then
         code[instruction](code, REGISTERS[name], { base = pointers[i], offset = (at or 0) * code.T.size })
      end
   end
end

-- Calls work(at) for code that runs for each of `count` vectors of `lanes` elements while that many are left; then
-- pointers to elements of `sizes` bytes move on. The count of those that remain is left.
local function turns(code, pointers, sizes, count, lanes, work)
   code:repeatedly(COUNT, count * lanes, function()
      for k = 0, count - 1 do work(k * lanes) end
      for i, pointer in pairs(pointers) do code:with_number('add', pointer, count * lanes * sizes[i]) end
   end)
end

-- Whole vectors. Where programs are short, counting and moving pointers would take a good part of the time.
local SHORT, TURN = 10, 4
local function vectors(code, pointers, sizes, length, work)
   local lanes = 32 / code.T.size
   if length <= SHORT then turns(code, pointers, sizes, TURN, lanes, work) end
   turns(code, pointers, sizes, 1, lanes, work)
end

-- A loop with the arguments of NumPy's loops, as a pointer, and the nanoseconds for an element; nil where a step has no
-- code. `steps`, `inputs` and `scalars` are as in fused.lua. Inputs of the set `spread` are one element, whose step is
-- not looked at.
function vector_code.loop(T, steps, inputs, scalars, spread)
   spread = spread or {}
   local work, length = work_of(T, steps, inputs)
   if not work then return nil end
   local code, count, single = begin(T, inputs, scalars, spread), #inputs + 1, {}
   local pointers, sizes = {}, {}
   for i = 1, count do
      pointers[i], sizes[i] = POINTERS[i], T.size
      code:get(STEPS[i], RDX, 8 * (i - 1))
   end
   for i = 1, count do
      if not spread[inputs[i]] then
         code:with_number('compare', STEPS[i], T.size)
         code:jump('jnz', single)
      end
   end
   vectors(code, pointers, sizes, length, function(at)
      load(code, inputs, spread, 'load', pointers, at)
      compute(code, steps)
      code:store(REGISTERS.z, { base = pointers[count], offset = at * T.size })
   end)
   code:place(single)
   code:repeatedly(COUNT, 1, function()
      load(code, inputs, spread, 'load_one', pointers)
      compute(code, steps)
      code:store_one(REGISTERS.z, { base = pointers[count] })
      for i = 1, count do code:increase(pointers[i], STEPS[i]) end
   end)
   code:leave()
   return code:finish(), work
end

-- Adds z to doubles in memory.
local function add_up(code, to, lanes)
   local z, half = REGISTERS.z, code.half
   if code.T.size == 8 then
      if lanes == 1 then code:add_double(z, z, to) else code:add_doubles(z, z, to) end
      if lanes == 1 then return code:store_double(z, to) end
      return code:store_doubles(z, to)
   end
   code.half = false
   code:widen(T1, z)
   if lanes == 1 then
      code:add_double(T1, T1, to)
      code:store_double(T1, to)
   else
      code:add_doubles(T1, T1, to)
      code:store_doubles(T1, to)
   end
   if lanes == 8 then
      local next_to = { base = to.base, offset = to.offset + 32 }
      code:upper_half(z, T2, 1)
      code:widen(T2, T2)
      code:add_doubles(T2, T2, next_to)
      code:store_doubles(T2, next_to)
   end
   code.half = half
end

-- Whether all inputs but those that are spread have a general register in a loop over rows.
local function has_registers(inputs, spread)
   local moved = 0
   for _, name in ipairs(inputs) do
      if not spread[name] then moved = moved + 1 end
   end
   return moved <= #POINTERS
end

-- A loop over rows of neighbors, f(args, dims, steps): pointers of up to five inputs and of z, which are moved on; the
-- number of rows; the bytes between rows of each, and the number of columns behind them. Inputs of the set `spread` are
-- one element for a row; up to four others. `adds`: z is doubles, to which results are added. nil where a step has no
-- code.
function vector_code.rows(T, steps, inputs, spread, adds, scalars)
   if not has_registers(inputs, spread) then return nil end
   local work, length = work_of(T, steps, inputs, 5)
   if not work then return nil end
   local code, count, pointers, sizes, moved = assembler.new(T), #inputs + 1, {}, {}, 0
   for i, name in ipairs(inputs) do
      if not spread[name] then
         moved = moved + 1
         pointers[i], sizes[i] = POINTERS[moved], T.size
      end
   end
   pointers[count], sizes[count] = POINTERS[moved + 1] or RAX, adds and 8 or T.size
   local function part(instruction, store_instruction, lanes)
      return function(at)
         local to = { base = pointers[count], offset = at * sizes[count] }
         load(code, inputs, spread, instruction, pointers, at)
         compute(code, steps)
         if adds then add_up(code, to, lanes) else code[store_instruction](code, REGISTERS.z, to) end
      end
   end
   code:get(RCX, RSI, 0)
   load_numbers(code, scalars or {})
   code:repeatedly(RCX, 1, function()
      code:get(COUNT, RDX, 8 * count)
      for i, name in ipairs(inputs) do
         if spread[name] then
            code:get(RAX, RDI, 8 * (i - 1))
            code:spread(REGISTERS[name], { base = RAX })
         end
      end
      for i = 1, count do
         if pointers[i] then code:get(pointers[i], RDI, 8 * (i - 1)) end
      end
      vectors(code, pointers, sizes, length, part('load', 'store', 32 / T.size))
      code.half = true
      turns(code, pointers, sizes, 1, 16 / T.size, part('load', 'store', 16 / T.size))
      code.half = false
      turns(code, pointers, sizes, 1, 1, part('load_one', 'store_one', 1))
      for i = 1, count do
         code:get(RAX, RDX, 8 * (i - 1))
         code:increase_at(RDI, 8 * (i - 1), RAX)
      end
   end)
   code:leave()
   return code:finish(), work
end

-- Two or four registers that a program does not use.
local function free(steps, inputs, scalars)
   local used, found = { z = true }, {}
   for _, step in ipairs(steps) do used[step.to] = true end
   for _, name in ipairs(inputs) do used[name] = true end
   for name, buffer in pairs(scalars) do used[name] = buffer and true end
   for name, register in pairs(REGISTERS) do
      if not used[name] then found[#found + 1] = register end
   end
   table.sort(found)
   for i = #found >= 4 and 5 or 3, #found do found[i] = nil end
   return found
end

-- A loop over contiguous operands that adds up z in double precision, and stores the sum where z would be. Several sums
-- hide the time of an addition: two for a vector of Floats, one for one of doubles.
function vector_code.total(T, steps, inputs, scalars)
   local work = work_of(T, steps, inputs)
   if not work then return nil end
   local code, z = begin(T, inputs, scalars, {}), REGISTERS.z
   local sums = free(steps, inputs, scalars)
   local lanes, each = 32 / T.size, 8 / T.size
   for _, sum in ipairs(sums) do code:clear(sum, sum, sum) end
   local function add(sum)
      if T.size == 8 then return code:add_doubles(sum, sum, z) end
      code:widen(T1, z)
      code:add_doubles(sum, sum, T1)
   end
   local pointers, sizes = {}, {}
   for i = 1, #inputs do pointers[i], sizes[i] = POINTERS[i], T.size end
   local function whole(at)
      load(code, inputs, {}, 'load', pointers, at)
      compute(code, steps)
      add(sums[each * at / lanes + 1])
      if T.size == 4 then
         local other = sums[2 * at / lanes + 2]
         code:upper_half(z, T2, 1)
         code:widen(T2, T2)
         code:add_doubles(other, other, T2)
      end
   end
   turns(code, pointers, sizes, #sums / each, lanes, whole)
   if #sums > each then turns(code, pointers, sizes, 1, lanes, whole) end
   local first, sum = code:only_first(-1, 'int' .. T.size * 8 .. '_t'), sums[1]
   turns(code, pointers, sizes, 1, 1, function()
      load(code, inputs, {}, 'load_one', pointers)
      compute(code, steps)
      code:bit_and(z, z, first)
      add(sum)
   end)
   for k = 2, #sums do code:add_doubles(sum, sum, sums[k]) end
   code:upper_half(sum, T1, 1)
   code:add_doubles(sum, sum, T1)
   code:upper_double(T1, sum, sum)
   code:add_double(sum, sum, T1)
   code:store_double(sum, { base = POINTERS[#inputs + 1] })
   code:leave()
   return code:finish(), work
end

return vector_code
