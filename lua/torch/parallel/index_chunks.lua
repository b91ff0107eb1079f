-- Chunks of gather and scatter: rows of elements that are moved by indices. See parallel_for.lua.

local ffi = require 'ffi'
local cast = ffi.cast

-- Code of base/index_code.lua with its arguments: addresses, steps in bytes, and the count of a row.
ffi.cdef 'typedef struct { void *fn; char *args[3]; double steps[7]; } t7_indexed;'

local index_chunks = {}

local pointer_ct, loop_type = ffi.typeof 't7_indexed *', require 'torch.native.loop_type'
local args, dims, steps = ffi.new 'char *[3]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[7]'

function index_chunks.rows(data, from, to)
   local p = cast(pointer_ct, data)
   for k = 0, 2 do args[k] = p.args[k] + from * p.steps[k] end
   for k = 0, 6 do steps[k] = p.steps[k] end
   dims[0] = to - from
   cast(loop_type, p.fn)(args, dims, steps, nil)
end

return index_chunks
