-- The loop of convolutions and cross-correlations: one output from several images with a kernel each. Chunks are lines
-- of the output, see parallel/parallel_for.lua, so its arguments are in one C struct.

local floor, max, min = math.floor, math.max, math.min
local ffi = require 'ffi'
local element, template = require 'torch.base.element', require 'torch.jit.template'
local tuning = require 'torch.base.tuning'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill

local correlate = {}

-- A kernel has `taps` weights, read from `first` with a step; offset[i] is the start of the run of weight i in an
-- image. Images of `area` elements have rows of `columns` elements, `rows` per plane, of which the first `inner` start
-- an output. Lines are rows counted through all planes.
ffi.cdef [[
typedef struct {
   char *to, *images, *kernels; void *axpy; double *offset;
   double taps, first, step, inputs, area, rows, columns, inner_rows, inner_columns;
   int32_t type;
} t7_correlation;
]]

-- Runs are processed in pieces of some rows, or of a part of a long one, that fit the L1 cache.
local PIECE = tuning.CORRELATE_PIECE

-- The lines of a chunk, for rows of a length.
local function lines_of_piece(columns) return max(floor(PIECE / columns), 1) end
correlate.lines_of_piece = lines_of_piece

-- axpy(fn, count, weight, x, z) adds weight[0] times x to z: BLAS, and loops for integers, which wrap as C's do.
local axpy_source = [[
return function(fn, count, weight, x, z)
   local factor = read(weight, 0)
   for i = 0, count - 1 do z[i] = read(z, i) + factor * read(x, i) end
end]]

local axpy_t = ffi.typeof 'void (*)(int *, void *, void *, int *, void *, int *)'

local function make_axpy(T, routine)
   if not routine then
      local whole = ffi.typeof 'int64_t'
      local read = T.integer and function(data, i) return whole(data[i]) end or element.getter(T)
      return template.compile('axpy', axpy_source, nil, { read = read })
   end
   local n, one = ffi.new 'int[1]', ffi.new('int[1]', 1)
   return function(fn, count, weight, x, z)
      n[0] = count
      cast(axpy_t, fn)(n, weight, x, one, z, one)
   end
end

local function make(T, routine)
   local weight, z = ffi.new(T.c .. '[1]'), ffi.new(T.c .. '[?]', PIECE)
   local axpy, size, pointer_ct = make_axpy(T, routine), T.size, T.pointer_ct

   -- Adds all weights of a kernel to the `count` elements of z.
   local function accumulate(g, x, k, count)
      local fn, offset, first, step = g.axpy, g.offset, g.first, g.step
      for i = 0, g.taps - 1 do
         copy(weight, k + (first + step * i), size)
         axpy(fn, count, weight, x + offset[i], z)
      end
   end

   return function(g, from_line, to_line)
      local to, images, kernels = cast(pointer_ct, g.to), cast(pointer_ct, g.images), cast(pointer_ct, g.kernels)
      local rows, columns, inner_rows, inner_columns = g.rows, g.columns, g.inner_rows, g.inner_columns
      local some = lines_of_piece(columns)
      for line = from_line, to_line - 1, some do
         local last = min(line + some, to_line) - 1
         for column = 0, inner_columns - 1, PIECE do
            local width = min(inner_columns - column, PIECE)
            local count = (last - line) * columns + width
            fill(z, count * size)
            for i = 0, g.inputs - 1 do
               accumulate(g, images + i * g.area + line * columns + column, kernels + i * g.taps, count)
            end
            for l = line, last do
               local row = l % rows
               if row < inner_rows then
                  local at = ((l - row) / rows * inner_rows + row) * inner_columns + column
                  copy(to + at, z + (l - line) * columns, width * size)
               end
            end
         end
      end
   end
end

local loops, pointer_ct = {}, ffi.typeof 't7_correlation *'

-- A correlation to be filled in, with or without BLAS's axpy.
function correlate.new(T, axpy)
   local g = ffi.new 't7_correlation'
   g.type, g.axpy = T.index, axpy
   return g
end

-- Some lines of an output.
function correlate.lines(data, from, to)
   local g = cast(pointer_ct, data)
   if not loops[g.type] then
      loops[g.type] = make(require('torch.base.types').rows[g.type], g.axpy ~= nil)
   end
   loops[g.type](g, from, to)
end

return correlate
