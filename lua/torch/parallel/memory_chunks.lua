-- Chunks of work on plain memory: NumPy's inner loops. See parallel_for.lua.

local ffi = require 'ffi'
local loop_type = require 'torch.native.loop_type'
local cast = ffi.cast

-- A NumPy loop over up to three inputs and a result: addresses and byte steps.
ffi.cdef 'typedef struct { void *fn, *data; char *args[4]; double steps[4]; } t7_loop;'

local memory_chunks = {}

local loop_ct = ffi.typeof 't7_loop *'
local args, dims, steps = ffi.new 'char *[4]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[4]'

function memory_chunks.loop(data, from, to)
   local p = cast(loop_ct, data)
   local x, y, z, w = p.steps[0], p.steps[1], p.steps[2], p.steps[3]
   args[0], args[1], args[2], args[3] = p.args[0] + from * x, p.args[1] + from * y, p.args[2] + from * z,
      p.args[3] + from * w
   steps[0], steps[1], steps[2], steps[3], dims[0] = x, y, z, w, to - from
   cast(loop_type, p.fn)(args, dims, steps, p.data)
end

return memory_chunks
