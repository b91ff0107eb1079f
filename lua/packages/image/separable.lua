-- Convolutions of images with a product of a column and a row, by BLAS's axpy. Chunks are rows of the result, counted
-- through all planes, see torch/parallel/parallel_for.lua.

local ffi = require 'ffi'
local native, tuning = require 'torch.native.native', require 'torch.base.tuning'
local types = require 'torch.base.types'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local floor, max, min, tonumber = math.floor, math.max, math.min, tonumber

-- Planes of height x width and of rows x columns. Result row 0 reads `down` rows from `top` rows above the image on,
-- and column 0 reads `across` elements from `left` before it on; outside are zeros. Weights are in the order in which
-- they are read.
ffi.cdef [[
typedef struct {
   char *to, *from, *column, *row; void *axpy;
   double height, width, rows, columns, top, left, down, across; int32_t single;
} t7_separable;
]]

local separable, made = {}, {}
local pointer_ct = ffi.typeof 't7_separable *'
local axpy_t = ffi.typeof 'void (*)(int *, void *, void *, int *, void *, int *)'
local n, one = ffi.new 'int[1]', ffi.new('int[1]', 1)

-- Rows are processed in pieces that fit the L1 cache.
local PIECE = tuning.CORRELATE_PIECE

-- Adds weight[0] times x to z.
local function add(axpy, count, weight, x, z)
   n[0] = count
   axpy(n, weight, x, one, z, one)
end

local function make(element)
   local pointer, array, size = ffi.typeof(element .. ' *'), ffi.typeof(element .. '[?]'), ffi.sizeof(element)
   local scratch, held = nil, 0

   return function(g, from, to)
      local axpy, images, result = cast(axpy_t, g.axpy), cast(pointer, g.from), cast(pointer, g.to)
      local column, row = cast(pointer, g.column), cast(pointer, g.row)
      local height, width, rows, columns, top = g.height, g.width, g.rows, g.columns, g.top
      -- Elements of a row that outputs read.
      local span = columns + g.across - 1
      local some = max(1, floor(PIECE / span))
      local room = some * (width + 2 * span)
      if room > held then scratch, held = array(room), room end
      local sums, wide = scratch, scratch + some * width
      local outputs = wide + some * span

      local line = from
      while line < to do
         local plane = floor(line / rows)
         local y = line - plane * rows
         local count = min(some, to - line, rows - y)
         fill(sums, count * width * size)
         for i = 0, g.down - 1 do
            local first = y + i - top
            local skip, stop = max(0, -first), min(count, height - first)
            if stop > skip then
               add(axpy, (stop - skip) * width, column + i, images + (plane * height + first + skip) * width,
                  sums + skip * width)
            end
         end
         fill(wide, 2 * some * span * size)
         for l = 0, count - 1 do copy(wide + l * span + g.left, sums + l * width, width * size) end
         for j = 0, g.across - 1 do add(axpy, (count - 1) * span + columns, row + j, wide + j, outputs) end
         for l = 0, count - 1 do
            copy(result + (line + l) * columns, outputs + l * span, columns * size)
         end
         line = line + count
      end
   end
end

function separable.lines(data, from, to)
   local g = cast(pointer_ct, data)
   local single = tonumber(g.single)
   made[single] = made[single] or make(single == 1 and 'float' or 'double')
   made[single](g, from, to)
end

local routines = {}

-- The struct for work on elements of 'float' or 'double', to be filled in; nil without BLAS.
function separable.new(kind)
   local axpy = routines[kind]
   if axpy == nil then
      axpy = native.routine('blas', types.by_name[kind == 'float' and 'Float' or 'Double'], 'axpy') or false
      routines[kind] = axpy
   end
   if not axpy then return end
   local g = ffi.new 't7_separable'
   g.axpy, g.single = axpy, kind == 'float' and 1 or 0
   return g
end

return separable
