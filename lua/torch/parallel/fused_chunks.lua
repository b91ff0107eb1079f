-- Fused element-wise programs (see kernels/elementwise/fused.lua) as data that any LuaJIT state can run, a chunk at a
-- time: the loops of NumPy to call, and their registers.

local ffi = require 'ffi'
local aligned, template = require 'torch.native.aligned', require 'torch.jit.template'
local tuning = require 'torch.base.tuning'
local concat, tonumber = table.concat, tonumber
local cast = ffi.cast

local fused_chunks = {}

local BLOCK = tuning.PROGRAM_BLOCK
fused_chunks.BLOCK = BLOCK
fused_chunks.MOST_STEPS, fused_chunks.MOST_REGISTERS = 8, 12

-- A step has up to three operands and a result. `scratch` is the element size for registers with a block each: repeated
-- numbers, which have an address, and scratch, which each state allocates separately. It is 0 for others: a call passes
-- their addresses and byte steps. All other fields are fixed when the program first runs.
ffi.cdef [[
typedef struct { void *fn, *data; int32_t operands[4], count; } t7_step;
typedef struct {
   t7_step step[8]; int32_t scratch[12], count, registers; char *base[12]; double stride[12];
} t7_program;
]]

fused_chunks.ct = ffi.typeof 't7_program'
local pointer_ct, char_p = ffi.typeof 't7_program *', ffi.typeof 'char *'
local loop_type = require 'torch.native.loop_type'

local scratch = {}
local function scratch_of(register)
   scratch[register] = scratch[register] or aligned('double', BLOCK)
   return cast(char_p, scratch[register])
end

local args, dims, sizes = ffi.new 'char *[4]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[4]'

local source = [[
return function(p, from, to)
   local base, stride = p.base, p.stride
$begin
   while from < to do
      local count = to - from
      if count > $BLOCK then count = $BLOCK end
      dims[0] = count
$calls
$forward
      from = from + count
   end
end]]

-- The loop of a program, with the loops of its steps as constants.
local function compile(p)
   local values = { args = args, dims = dims, sizes = sizes }
   local begin, calls, forward, address, step_of = {}, {}, {}, {}, {}
   for n = 0, p.registers - 1 do
      local at, step = 'r' .. n, p.scratch[n]
      address[n], step_of[n] = at, step
      if step > 0 then
         values[at] = p.base[n] ~= nil and p.base[n] or scratch_of(n)
      else
         step_of[n] = 's' .. n
         begin[#begin + 1] = ('   local s%d = stride[%d]; local r%d = base[%d] + from * s%d'):format(n, n, n, n, n)
         forward[#forward + 1] = ('      r%d = r%d + count * s%d'):format(n, n, n)
      end
   end
   for k = 0, p.count - 1 do
      local step = p.step[k]
      for i = 0, step.count - 1 do
         local n = step.operands[i]
         calls[#calls + 1] = ('      args[%d], sizes[%d] = %s, %s'):format(i, i, address[n], step_of[n])
      end
      values['f' .. k], values['d' .. k] = cast(loop_type, step.fn), step.data
      calls[#calls + 1] = ('      f%d(args, dims, sizes, d%d)'):format(k, k)
   end
   return template.compile('program', source, { begin = concat(begin, '\n'), calls = concat(calls, '\n'),
      forward = concat(forward, '\n'), BLOCK = BLOCK }, values)
end

local compiled = {}

-- Runs a program over elements `from` to `to - 1`.
function fused_chunks.run(data, from, to)
   local p = cast(pointer_ct, data)
   local address = tonumber(cast('intptr_t', p))
   local run = compiled[address]
   if not run then
      run = compile(p)
      compiled[address] = run
   end
   run(p, from, to)
end

return fused_chunks
