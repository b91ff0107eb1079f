-- The parts of work on plain memory: NumPy's inner loops, copies and fills. See share.lua.

local tonumber = tonumber
local ffi = require 'ffi'
local C = require 'torch.core.cdef'
local cast = ffi.cast

-- A loop of NumPy over up to three inputs and a result: where they begin, and their steps in bytes.
-- Copies of bytes, also of the `size` bytes at `from` again and again, and of rows of `size` bytes by a list of places,
-- counted from 1.
-- Rows of a matrix between two layouts: types by their indices, steps in elements between elements and rows.
ffi.cdef [[
typedef struct { void *fn, *data; char *args[4]; double steps[4]; } t7_loop;
typedef struct { char *to, *from; double size; int64_t *places; } t7_copy;
typedef struct { char *to, *from; double to_step, to_row, from_step, from_row, count; int32_t types[2]; } t7_layout;
]]

local parts = {}

local loop_ct, copy_ct, layout_ct = ffi.typeof 't7_loop *', ffi.typeof 't7_copy *', ffi.typeof 't7_layout *'
local loop_t = ffi.typeof 'void (*)(char **, const intptr_t *, const intptr_t *, void *)'
local args, dims, steps = ffi.new 'char *[4]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[4]'

function parts.loop(data, from, to)
   local p = cast(loop_ct, data)
   local x, y, z, w = p.steps[0], p.steps[1], p.steps[2], p.steps[3]
   args[0], args[1], args[2], args[3] = p.args[0] + from * x, p.args[1] + from * y, p.args[2] + from * z,
      p.args[3] + from * w
   steps[0], steps[1], steps[2], steps[3], dims[0] = x, y, z, w, to - from
   cast(loop_t, p.fn)(args, dims, steps, p.data)
end

function parts.copy(data, from, to)
   local p = cast(copy_ct, data)
   C.t7_memmove(p.to + from, p.from + from, to - from)
end

-- The first copy may be the original.
function parts.spread(data, from, to)
   local p = cast(copy_ct, data)
   local first, size = p.from, p.size
   local at, stop = p.to + from, p.to + to
   if at == first then at = at + size end
   while at < stop do
      C.t7_memmove(at, first, stop - at < size and stop - at or size)
      at = at + size
   end
end

function parts.rows(data, from, to)
   local p = cast(copy_ct, data)
   local first, size, places = p.from, p.size, p.places
   local at = p.to + from * size
   for k = from, to - 1 do
      C.t7_memmove(at, first + (tonumber(places[k]) - 1) * size, size)
      at = at + size
   end
end

function parts.layout(data, from, to)
   local copy_loops, types = require 'torch.core.copy_loops', require 'torch.core.types'
   local p = cast(layout_ct, data)
   local T, S = types.rows[p.types[0]], types.rows[p.types[1]]
   copy_loops.matrix(T, S)(cast(T.pointer_ct, p.to) + from * p.to_row, p.to_step, p.to_row,
      cast(S.pointer_ct, p.from) + from * p.from_row, p.from_step, p.from_row, p.count, to - from)
end

return parts
