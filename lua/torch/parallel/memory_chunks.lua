-- Chunks of work on plain memory: NumPy's inner loops, copies and fills. See parallel_for.lua.

local min = math.min
local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local tuning = require 'torch.base.tuning'
local cast = ffi.cast

local PIECE = tuning.TOTAL_PIECE

-- A NumPy loop over up to three inputs and a result: addresses and byte steps; also row by row of `count` elements,
-- with steps between rows. A program of rows, see row_programs.lua, with `count` operands: by rows, by `planes` of
-- rows, by columns of elements of `sizes`, or in pieces of `piece` of the `whole` rows; if it `adds`, results are
-- added to doubles. Copies of bytes, also of the `size` bytes at `from` repeatedly. A run, or rows of a matrix,
-- between two layouts: types by index, steps in elements between elements and rows; `plain` runs contain no NaN. Up to
-- four nested copy loops, the innermost first, for the function of layout_code.lua: addresses advance by the bytes
-- to_next[k] and from_next[k] after each iteration of loop k, whose inner loops have advanced them already; `to_step`
-- and `from_step` are those of loop `outer`.
ffi.cdef [[
typedef struct { void *fn, *data; char *args[4]; double steps[4]; } t7_loop;
typedef struct { t7_loop loop; double rows[4], count; } t7_loop_rows;
typedef struct {
   void *fn; char *args[6]; double rows[6], planes[6], sizes[6], columns, piece, whole; int32_t count, adds;
} t7_program_rows;
typedef struct { char *to, *from; double size; } t7_copy;
typedef struct {
   char *to, *from; double to_step, to_row, from_step, from_row, count; int32_t types[2], plain;
} t7_layout;
typedef struct { char *to, *from; int64_t counts[4], to_next[4], from_next[4]; } t7_nest;
typedef struct { t7_nest nest; void *fn; double to_step, from_step; int32_t outer; } t7_shared_nest;
]]

local memory_chunks = {}

local rows_ct, loop_ct = ffi.typeof 't7_loop_rows *', ffi.typeof 't7_loop *'
local copy_ct, layout_ct = ffi.typeof 't7_copy *', ffi.typeof 't7_layout *'
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

function memory_chunks.loop_rows(data, from, to)
   local p = cast(rows_ct, data)
   local args_of, rows, steps_of = p.loop.args, p.rows, p.loop.steps
   local fn, loop_data = cast(loop_type, p.loop.fn), p.loop.data
   local x, y, w, z = args_of[0], args_of[1], args_of[2], args_of[3]
   local x_row, y_row, w_row, z_row = rows[0], rows[1], rows[2], rows[3]
   for k = 0, 3 do steps[k] = steps_of[k] end
   dims[0] = p.count
   for i = from, to - 1 do
      args[0], args[1], args[2], args[3] = x + i * x_row, y + i * y_row, w + i * w_row, z + i * z_row
      fn(args, dims, steps, loop_data)
   end
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

-- The same for all rows of some of the planes.
function memory_chunks.program_planes(data, from, to)
   local p = cast(program_ct, data)
   local fn = cast(loop_type, p.fn)
   for i = from, to - 1 do
      for k = 0, set_program(p, 0, p.whole) do pointers[k] = pointers[k] + i * p.planes[k] end
      fn(pointers, counts, strides, nil)
   end
end

-- The same for a part of the columns.
function memory_chunks.program_columns(data, from, to)
   local p = cast(program_ct, data)
   local last = set_program(p, 0, p.whole)
   for k = 0, last do pointers[k] = pointers[k] + from * p.sizes[k] end
   strides[last + 1] = to - from
   if p.adds == 1 then ffi.fill(pointers[last], 8 * (to - from)) end
   cast(loop_type, p.fn)(pointers, counts, strides, nil)
end

-- Each piece accumulates into separate doubles.
function memory_chunks.program_pieces(data, from, to)
   local p = cast(program_ct, data)
   local bytes = 8 * p.columns
   for k = from, to - 1 do
      local first = k * p.piece
      local last = set_program(p, first, min(p.piece, p.whole - first))
      pointers[last] = p.args[last] + k * bytes
      ffi.fill(pointers[last], bytes)
      cast(loop_type, p.fn)(pointers, counts, strides, nil)
   end
end

-- The same for each piece separately, by a loop that leaves one result.
function memory_chunks.pieces(data, from, to)
   for at = from, to - 1, PIECE do memory_chunks.loop(data, at, min(at + PIECE, to)) end
end

function memory_chunks.copy(data, from, to)
   local p = cast(copy_ct, data)
   libc.t7_memmove(p.to + from, p.from + from, to - from)
end

-- The first copy may be the original.
function memory_chunks.spread(data, from, to)
   local p = cast(copy_ct, data)
   local first, size = p.from, p.size
   local at, stop = p.to + from, p.to + to
   if at == first then at = at + size end
   while at < stop do
      libc.t7_memmove(at, first, stop - at < size and stop - at or size)
      at = at + size
   end
end

local function types_of(p)
   local rows = require('torch.base.types').rows
   return rows[p.types[0]], rows[p.types[1]]
end

function memory_chunks.run(data, from, to)
   local p = cast(layout_ct, data)
   local T, S = types_of(p)
   require('torch.base.copy_loops').run(T, S, p.plain == 1)(cast(T.pointer_ct, p.to) + from * p.to_step, p.to_step,
      cast(S.pointer_ct, p.from) + from * p.from_step, p.from_step, to - from)
end

function memory_chunks.layout(data, from, to)
   local p = cast(layout_ct, data)
   local T, S = types_of(p)
   require('torch.base.copy_loops').matrix(T, S)(cast(T.pointer_ct, p.to) + from * p.to_row, p.to_step, p.to_row,
      cast(S.pointer_ct, p.from) + from * p.from_row, p.from_step, p.from_row, p.count, to - from)
end

local shared_nest_ct, nest = ffi.typeof 't7_shared_nest *', ffi.new 't7_nest'
local copy_nest_p = ffi.typeof 'void (*)(t7_nest *)'

function memory_chunks.nest(data, from, to)
   local p = cast(shared_nest_ct, data)
   ffi.copy(nest, p.nest, ffi.sizeof(nest))
   nest.to, nest.from = nest.to + from * p.to_step, nest.from + from * p.from_step
   nest.counts[p.outer] = to - from
   cast(copy_nest_p, p.fn)(nest)
end

return memory_chunks
