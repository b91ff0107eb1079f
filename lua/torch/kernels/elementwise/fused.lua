-- Element-wise work as small programs in the rows of ops/: "z = 1 / (1 + exp(-x))", "a = tanh(x); z = a * a * y".
--
-- An assignment is `register = expression`. Registers: x y w r are the tensors of a call, v u t s its numbers, z the
-- result, a b c values that are used more than once, q the result of a comparison. Expressions have Lua's operators,
-- each rounded separately in the order written, and functions with NumPy's names; where(x > 0, a, b) is a if the
-- comparison holds, else b; residual(x, y, a) is x - y a in doubles, rounded once. A program that begins with "wide; "
-- computes Floats in doubles. z is written last, so the result may be one of the operands.
--
-- The build compiles all programs that are constants of a file: one loop with all steps, for each type
-- (t7shell/native/programs.py has the functions). Programs that are composed at run time run block by block through
-- the kernels of their steps. A program becomes a function run(x, x_step, [y, ...,] z, z_step, count): pointers, steps
-- in bytes. Rows name programs (see init.lua), and install.operation makes a function of one: tensors of any layout,
-- checked, on all cores. See docs/decisions/0028-vector-code.md.

local concat, error, find, floor = table.concat, error, string.find, math.floor
local ipairs, pairs, setmetatable, tonumber, unpack = ipairs, pairs, setmetatable, tonumber, unpack
local ffi = require 'ffi'
local anchor = require('torch.memory.buffers').anchor
local element, types = require 'torch.loops.element', require 'torch.base.types'
local kernels = require 'torch.native.kernels'
local native, template = require 'torch.native.native', require 'torch.jit.template'
local program_steps = require 'torch.kernels.elementwise.program_steps'
local cast, char_p = ffi.cast, ffi.typeof 'char *'

-- `composed` records the programs that run block by block.
local fused = { composed = {} }

local library
local function lib()
   library = library or kernels 'elementwise'
   return library
end

-- Registers of numbers, by their order in the library; and how many registers it has for programs of several kernels.
local NUMBERS, MAX_REGISTERS = { v = 1, u = 2, t = 3, s = 4 }, 24

local function uses(text, register) return find(text, '%f[%w_]' .. register .. '%f[^%w_]') ~= nil end

local work = ffi.new 'double[1]'

-- The library's kernel of a program, and nanoseconds for an element; nil if the build did not see it.
function fused.find(T, text)
   local found = lib().t7_find_program(T.name, text, work)
   if found == nil then return nil end
   return found, work[0]
end

-- The library's kernel of a step, and nanoseconds for an element.
local function kernel_of(T, name, count)
   local operands = name == 'select' and { 'q', 'x', 'y' } or { unpack({ 'x', 'y', 'w' }, 1, count) }
   local found, time = fused.find(T, program_steps.text_of(name, operands))
   if not found then error(string.format('program: no function %s of %s', name, T.name), 0) end
   return found, time
end

-- The steps of a program as the record of t7_run_steps, and nanoseconds.
local function steps_of(T, text, inputs)
   local record, register_of, time = ffi.new 't7_steps', {}, 0
   local function new(name)
      local n = record.registers
      if n == MAX_REGISTERS then error(string.format('program: too many registers (got %s)', text), 0) end
      register_of[name], record.registers = n, n + 1
      return n
   end
   for _, register in ipairs(inputs) do new(register) end
   new 'z'
   record.operands = record.registers
   local function register(name)
      if register_of[name] then return register_of[name] end
      local n, number = new(name), tonumber(name)
      record.size[n], record.number[n] = find(name, '^q') and 1 or T.size, NUMBERS[name] or 0
      if number then
         local constant = native.buffer(T.c, 1)
         constant[0], record.constant[n] = number, constant
      end
      return n
   end
   for k, step in ipairs(program_steps.of(text)) do
      local to, count = record.steps[k - 1], #step.operands
      local kernel, step_time = kernel_of(T, step.name, count)
      to.kernel, to.count, time = kernel, count + 1, time + step_time
      for i, operand in ipairs(step.operands) do to.operands[i - 1] = register(operand) end
      to.operands[count], record.count = register(step.to), k
   end
   return record, time
end

-- The record of calls of a program, for the library, and the inputs that it uses. `inputs` lists the tensor registers
-- in order; `numbers` maps v, u, t and s to buffers that hold the numbers of a call.
function fused.call(R, T, text, inputs, numbers)
   local kernel, time = fused.find(T, text)
   local used, call, kept = {}, ffi.new 't7_call', { numbers }
   for _, register in ipairs(inputs) do
      if not NUMBERS[register] and uses(text, register) then used[#used + 1] = register end
   end
   if not kernel then
      kept[2], time = steps_of(T, text, used)
      fused.composed[text] = true
      kernel, call.numbers[4] = lib().t7_run_steps, kept[2]
   end
   for name, k in pairs(NUMBERS) do
      if numbers[name] then call.numbers[k - 1] = numbers[name] end
   end
   anchor[call] = kept
   call.kernel, call.work, call.operands = kernel, time, #used + 1
   for k = 0, #used do
      local size = k < #used and T.size or R.size
      call.step[k], call.sizes[k] = size, size
   end
   return call, used
end

-- Source for each of the inputs that a program uses, with its register for X and its number for #.
function fused.each(used, text, separator)
   local list = {}
   for i, x in ipairs(used) do list[i] = (string.gsub(string.gsub(text, 'X', x), '#', i - 1)) end
   return concat(list, separator or ', ')
end

-- Nanoseconds below which a second core does not pay off: the kernel is then called directly.
local MIN_NANOSECONDS = 4000
local source = [[
local kernel, numbers, begin, step = call.kernel, call.numbers, call.begin, call.step
return function($all, z, z_step, count)
   if count < $few then
$set
      args[$last], steps[$last], dims[0] = cast(char_p, z), z_step, count
      return kernel(args, dims, steps, numbers)
   end
$fill
   begin[$last], step[$last] = cast(char_p, z), z_step
   lib.t7_run(call, count)
end]]

local args, dims, steps = native.buffer('char *', 8), native.buffer('int64_t', 1), native.buffer('int64_t', 8)

-- The calls of functions that `make` returned, for those that run row by row: { call, used, inputs, T }.
fused.records = setmetatable({}, { __mode = 'k' })

-- The function of a program.
function fused.make(name, R, T, text, inputs, numbers)
   local call, used = fused.call(R, T, text, inputs, numbers)
   local each = fused.each
   local run = template.compile(name, source, { all = each(inputs, 'X, X_step'), last = #used,
      few = floor(MIN_NANOSECONDS / call.work),
      set = each(used, '      args[#], steps[#] = cast(char_p, X), X_step', '\n'),
      fill = each(used, '   begin[#], step[#] = cast(char_p, X), X_step', '\n') }, { call = call, lib = lib(),
      args = args, dims = dims, steps = steps, cast = cast, char_p = char_p })
   fused.records[run] = { call = call, used = used, inputs = inputs, T = T }
   return run
end

local total_source = [[
return function($inputs, count)
$fill
   lib.t7_sum_all(call, count, total)
   return (get(total, 0))
end]]

-- The sum of the results of a program over contiguous operands, in double precision: f(x, ..., count).
function fused.total(name, T, text, inputs, numbers)
   local call, used = fused.call(T, T, text, inputs, numbers)
   return template.compile(name, total_source, { inputs = fused.each(inputs, 'X'),
      fill = fused.each(used, '   call.begin[#] = cast(char_p, X)', '\n') }, { call = call, lib = lib(), cast = cast,
      char_p = char_p, total = native.buffer('double', 1), get = element.getter(types.by_name.Double) })
end

local number_source = [[
return function($inputs)
   $stores
   run($pointers, z, size, 1)
   return (get(z, 0))
end]]

-- The number that a program gives for numbers, computed in the type T: f(x, y, w).
function fused.number(name, T, text, inputs)
   local stores, pointers = {}, {}
   local upvalues = { run = fused.make(name, T, T, text, inputs, {}), z = native.buffer(T.c, 1),
      get = element.getter(T), set = element.setter(T), size = T.size }
   for i, x in ipairs(inputs) do
      stores[i], pointers[i] = string.format('set(%s_p, 0, %s)', x, x), x .. '_p, size'
      upvalues[x .. '_p'] = native.buffer(T.c, 1)
   end
   return template.compile(name, number_source, { inputs = concat(inputs, ', '), stores = concat(stores, '; '),
      pointers = concat(pointers, ', ') }, upvalues)
end

return fused
