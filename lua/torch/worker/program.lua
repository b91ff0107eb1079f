-- Programs of element-wise work (see kernels/program.lua) as data that any LuaJIT state can run, a part at a time:
-- which loops of NumPy to call, and with which registers.

local ffi = require 'ffi'
local tuning = require 'torch.core.tuning'
local min = math.min
local cast = ffi.cast

local program = {}

local BLOCK = tuning.PROGRAM_BLOCK
program.BLOCK = BLOCK
program.MOST_STEPS, program.MOST_REGISTERS = 8, 12

-- A step has up to three operands and a result. `scratch` has the bytes of an element for registers that are scratch,
-- which each state has of its own, and 0 for others: a call says where these begin, and their steps in bytes.
ffi.cdef [[
typedef struct { void *fn, *data; int32_t operands[4]; } t7_step;
typedef struct {
   t7_step step[8]; int32_t scratch[12], count, registers; char *base[12]; double stride[12];
} t7_program;
]]

program.ct = ffi.typeof 't7_program'
local pointer_ct, char_p = ffi.typeof 't7_program *', ffi.typeof 'char *'
local loop_t = require 'torch.core.loop_type'

local scratch = {}
for register = 0, program.MOST_REGISTERS - 1 do scratch[register] = ffi.new('double[?]', BLOCK) end
local args, dims, sizes = ffi.new 'char *[4]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[4]'
-- Where the block under way begins, and the steps, of each register.
local at, stride = ffi.new 'char *[12]', ffi.new 'double[12]'

local function run_steps(p, count)
   dims[0] = count
   for k = 0, p.count - 1 do
      local step = p.step[k]
      local x, y, z, w = step.operands[0], step.operands[1], step.operands[2], step.operands[3]
      args[0], args[1], args[2], args[3] = at[x], at[y], at[z], at[w]
      sizes[0], sizes[1], sizes[2], sizes[3] = stride[x], stride[y], stride[z], stride[w]
      cast(loop_t, step.fn)(args, dims, sizes, step.data)
   end
end

-- Runs a program over elements `from` to `to - 1`.
function program.run(data, from, to)
   local p = cast(pointer_ct, data)
   for register = 0, p.registers - 1 do
      local size = p.scratch[register]
      if size > 0 then
         at[register], stride[register] = cast(char_p, scratch[register]), size
      else
         local step = p.stride[register]
         at[register], stride[register] = p.base[register] + from * step, step
      end
   end
   while from < to do
      local count = min(to - from, BLOCK)
      run_steps(p, count)
      for register = 0, p.registers - 1 do
         if p.scratch[register] == 0 then at[register] = at[register] + stride[register] * count end
      end
      from = from + count
   end
end

return program
