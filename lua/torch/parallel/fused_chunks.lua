-- Fused element-wise programs (see kernels/elementwise/fused.lua) as data that any LuaJIT state can run, a chunk at a
-- time: the loops of NumPy to call, and their registers.

local ffi = require 'ffi'
local tuning = require 'torch.base.tuning'
local min = math.min
local cast = ffi.cast

local fused_chunks = {}

local BLOCK = tuning.PROGRAM_BLOCK
fused_chunks.BLOCK = BLOCK
fused_chunks.MOST_STEPS, fused_chunks.MOST_REGISTERS = 8, 12

-- A step has up to three operands and a result. `scratch` has the bytes of an element for registers of one block: rows
-- of a number, which have an address, and scratch, of which each state has its own. It is 0 for others: a call passes
-- their addresses and their steps in bytes.
ffi.cdef [[
typedef struct { void *fn, *data; int32_t operands[4]; } t7_step;
typedef struct {
   t7_step step[8]; int32_t scratch[12], count, registers; char *base[12]; double stride[12];
} t7_program;
]]

fused_chunks.ct = ffi.typeof 't7_program'
local pointer_ct, char_p = ffi.typeof 't7_program *', ffi.typeof 'char *'
local loop_type = require 'torch.native.loop_type'

local scratch = {}
for register = 0, fused_chunks.MOST_REGISTERS - 1 do scratch[register] = ffi.new('double[?]', BLOCK) end
local args, dims, sizes = ffi.new 'char *[4]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[4]'
-- The address of the current block of each register, and its step.
local at, stride = ffi.new 'char *[12]', ffi.new 'double[12]'

local function run_steps(p, count)
   dims[0] = count
   for k = 0, p.count - 1 do
      local step = p.step[k]
      local x, y, z, w = step.operands[0], step.operands[1], step.operands[2], step.operands[3]
      args[0], args[1], args[2], args[3] = at[x], at[y], at[z], at[w]
      sizes[0], sizes[1], sizes[2], sizes[3] = stride[x], stride[y], stride[z], stride[w]
      cast(loop_type, step.fn)(args, dims, sizes, step.data)
   end
end

-- Runs a program over elements `from` to `to - 1`.
function fused_chunks.run(data, from, to)
   local p = cast(pointer_ct, data)
   for register = 0, p.registers - 1 do
      local size = p.scratch[register]
      if size > 0 then
         local row = p.base[register]
         if row == nil then row = cast(char_p, scratch[register]) end
         at[register], stride[register] = row, size
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

return fused_chunks
