-- Programs of element-wise work (see program.lua) as data that any LuaJIT state can run: which loops of NumPy to call,
-- and with which registers.

local cast, min, tonumber = require('ffi').cast, math.min, tonumber
local ffi = require 'ffi'

local steps = {}

-- Scratch is worked through in blocks that stay in the first cache together with the operands.
local BLOCK = 1024
steps.BLOCK = BLOCK
steps.MOST_STEPS, steps.MOST_REGISTERS = 8, 12

-- `scratch` has the bytes of an element for the registers that are scratch, which whoever runs the program has of his
-- own, and 0 for others. `result` is a register. A call gives the others: where they begin, and their steps in bytes.
ffi.cdef [[
typedef struct { void *fn, *data; int32_t operands[4], arity; } t7_step;
typedef struct { t7_step step[8]; int32_t scratch[12]; int32_t count, registers, result; } t7_steps;
typedef struct { t7_steps *program; char *base[12]; intptr_t step[12]; double count; } t7_steps_call;
]]

steps.program_ct, steps.call_ct = ffi.typeof 't7_steps', ffi.typeof 't7_steps_call'
local loop_t = ffi.typeof 'void (*)(char **, const intptr_t *, const intptr_t *, void *)'

local scratch = {}
for register = 0, steps.MOST_REGISTERS - 1 do scratch[register] = ffi.new('double[?]', BLOCK) end
local char_p = ffi.typeof 'char *'
local args, dims, sizes = ffi.new 'char *[4]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[4]'

local function run_step(step, call)
   for k = 0, step.arity - 1 do
      local register = step.operands[k]
      args[k], sizes[k] = call.base[register], call.step[register]
   end
   cast(loop_t, step.fn)(args, dims, sizes, step.data)
end

-- Runs a program over the elements of a call.
function steps.run(call)
   local program = call.program
   for register = 0, program.registers - 1 do
      local size = program.scratch[register]
      if size > 0 then
         call.base[register], call.step[register] = cast(char_p, scratch[register]), size
      end
   end
   local left = call.count
   while left > 0 do
      local count = min(left, BLOCK)
      dims[0] = count
      for k = 0, program.count - 1 do run_step(program.step[k], call) end
      for register = 0, program.registers - 1 do
         if program.scratch[register] == 0 then
            call.base[register] = call.base[register] + tonumber(call.step[register]) * count
         end
      end
      left = left - count
   end
end

return steps
