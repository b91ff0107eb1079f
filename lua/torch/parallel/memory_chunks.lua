-- Chunks of work on plain memory: NumPy's inner loops. See parallel_for.lua.

local min = math.min
local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local tuning = require 'torch.base.tuning'
local cast = ffi.cast

local PIECE, DOT_BLOCK = tuning.TOTAL_PIECE, tuning.DOT_BLOCK

-- A NumPy loop over up to three inputs and a result: addresses and byte steps. Machine code over rows with `count`
-- operands. Reductions of pieces of elements, `step` bytes apart: by a NumPy loop, starting from the first element
-- of `size` bytes or from 0; sums of terms, see sum_loop.lua, of elements of a type, by index, with NumPy's maximum
-- loop for fractions, and `own`: 1 if nothing else writes to them, 2 if there is no NaN either; or sums of squares.
ffi.cdef [[
typedef struct { void *fn, *data; char *args[4]; double steps[4]; } t7_loop;
typedef struct {
   void *fn; char *args[6]; double rows[6], columns; int32_t count;
} t7_program_rows;
typedef struct {
   void *fn, *data; char *from, *totals; double step, size, shift; int32_t copied, type, term, own;
} t7_total;
]]

local memory_chunks = {}

local loop_ct, total_ct = ffi.typeof 't7_loop *', ffi.typeof 't7_total *'
local double_p, loop_function = ffi.typeof 'double *', require 'torch.native.loop_function'
local loop_type = require 'torch.native.loop_type'
local args, dims, steps = ffi.new 'char *[4]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[4]'

function memory_chunks.loop(data, from, to)
   local p = cast(loop_ct, data)
   local x, y, z, w = p.steps[0], p.steps[1], p.steps[2], p.steps[3]
   args[0], args[1], args[2], args[3] = p.args[0] + from * x, p.args[1] + from * y, p.args[2] + from * z,
      p.args[3] + from * w
   steps[0], steps[1], steps[2], steps[3], dims[0] = x, y, z, w, to - from
   cast(loop_type, p.fn)(args, dims, steps, p.data)
end

local pointers, counts, strides = ffi.new 'char *[6]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[7]'
local program_ct = ffi.typeof 't7_program_rows *'

local function set_program(p, first, rows)
   local last = p.count - 1
   for k = 0, last do
      strides[k] = p.rows[k]
      pointers[k] = p.args[k] + first * p.rows[k]
   end
   strides[last + 1], counts[0] = p.columns, rows
   return last
end

function memory_chunks.program_rows(data, from, to)
   local p = cast(program_ct, data)
   set_program(p, from, to - from)
   cast(loop_type, p.fn)(pointers, counts, strides, nil)
end

-- The same for each piece separately, by a loop that leaves one result.
function memory_chunks.pieces(data, from, to)
   for at = from, to - 1, PIECE do memory_chunks.loop(data, at, min(at + PIECE, to)) end
end

function memory_chunks.total(data, from, to)
   local p = cast(total_ct, data)
   for at = from, to - 1, PIECE do
      local x, total = p.from + at * p.step, p.totals + at / PIECE * p.size
      if p.copied == 1 then libc.t7_memmove(total, x, p.size) end
      args[0], args[1], args[2] = total, x, total
      steps[0], steps[1], steps[2], dims[0] = 0, p.step, 0, min(to - at, PIECE)
      cast(loop_type, p.fn)(args, dims, steps, p.data)
   end
end

-- Blocks of DOT_BLOCK doubles, by NumPy's vecdot.
local block_dims, block_steps = ffi.new 'intptr_t[2]', ffi.new 'intptr_t[5]'
local BLOCK_BYTES = 8 * DOT_BLOCK

function memory_chunks.squares(data, from, to)
   local p = cast(total_ct, data)
   local x = p.from + from * BLOCK_BYTES
   args[0], args[1], args[2], block_dims[0], block_dims[1] = x, x, p.totals + 8 * from, to - from, DOT_BLOCK
   block_steps[0], block_steps[1], block_steps[2], block_steps[3], block_steps[4] = BLOCK_BYTES, BLOCK_BYTES, 8, 8, 8
   cast(loop_type, p.fn)(args, block_dims, block_steps, p.data)
end

local sums = { [0] = {}, {}, {}, {} }

function memory_chunks.sum(data, from, to)
   local sum_loop, types = require 'torch.base.sum_loop', require 'torch.base.types'
   local p = cast(total_ct, data)
   local T = types.rows[p.type]
   local made = sums[p.term]
   local sum = made[T]
      or sum_loop.make(T, p.term, p.fn ~= nil and loop_function('maximum', p.fn, p.data, 2))
   local own = p.own > 0 and (p.own == 1 or 'plain')
   made[T], sum_loop.shift[0] = sum, p.shift
   for at = from, to - 1, PIECE do
      local x = cast(T.pointer_ct, p.from + at * p.step)
      cast(double_p, p.totals)[at / PIECE] = sum(x, p.step / T.size, min(to - at, PIECE), own)
   end
end

return memory_chunks
