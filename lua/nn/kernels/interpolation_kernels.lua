-- Linear interpolation of planes of up to three dimensions, for one element type, in the main state and in workers;
-- interpolation_chunks.lua has the struct. Rows of the output lie between up to four rows of the input: weighted sums
-- of these, the lines, are made first, and are interpolated along the rows then.

return function(T)

local ffi = require 'ffi'
local cast, fill = ffi.cast, ffi.fill
local SIZE, p_t = T.size, T.pointer_ct
local axpy_t = ffi.typeof 'void (*)(int *, void *, void *, int *, void *, int *)'
local get = require('torch.base.element').getter(T)
local memory = require 'nn.kernels.kernel_scratch'(T)

local columns, step, weight = ffi.new 'int[1]', ffi.new('int[1]', 1), ffi.new(T.c .. '[1]')

local function add_rows(g, x, lines)
   local axpy, of, row, part = cast(axpy_t, g.axpy), g.line, g.row, g.weight
   columns[0] = g.size
   for e = 0, g.terms - 1 do
      weight[0] = part[e]
      axpy(columns, weight, x + row[e], step, lines + of[e], step)
   end
end

local function add_lines(g, lines, x)
   local axpy, of, row, part = cast(axpy_t, g.axpy), g.line, g.row, g.weight
   columns[0] = g.size
   for e = 0, g.terms - 1 do
      weight[0] = part[e]
      axpy(columns, weight, lines + of[e], step, x + row[e], step)
   end
end

local function interpolate(g, lines, y)
   local out, size, first, second, part = g.out, g.size, g.first, g.second, g.part
   for line = 0, g.lines - 1 do
      local x, z = lines + line * size, y + line * out
      for j = 0, out - 1 do
         local b = part[j]
         z[j] = (1 - b) * get(x, first[j]) + b * get(x, second[j])
      end
   end
end

-- The transpose of `interpolate`.
local function collect(g, y, lines)
   local out, size, first, second, part = g.out, g.size, g.first, g.second, g.part
   for line = 0, g.lines - 1 do
      local x, z = lines + line * size, y + line * out
      for j = 0, out - 1 do
         local v, b, p, q = get(z, j), part[j], first[j], second[j]
         x[p] = get(x, p) + (1 - b) * v
         x[q] = get(x, q) + b * v
      end
   end
end

local interpolation_kernels = {}

-- Works on planes `from` to `to` - 1.
function interpolation_kernels.run(g, from, to)
   local room = g.lines * g.size
   local lines = memory(room)
   for plane = from, to - 1 do
      local x, y = cast(p_t, g.x) + plane * g.area, cast(p_t, g.y) + plane * g.lines * g.out
      fill(lines, room * SIZE)
      if g.back == 1 then
         fill(x, g.area * SIZE)
         collect(g, y, lines)
         add_lines(g, lines, x)
      else
         add_rows(g, x, lines)
         interpolate(g, lines, y)
      end
   end
end

return interpolation_kernels
end
