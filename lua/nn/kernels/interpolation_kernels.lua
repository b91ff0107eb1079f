-- Linear interpolation of planes of up to three dimensions, for one element type, in the main state and in workers;
-- interpolation_chunks.lua has the struct. Each output row first becomes a weighted sum of up to four input rows, a
-- line, which is then interpolated along the row.

return function(T)

local floor, max, min = math.floor, math.max, math.min
local ffi = require 'ffi'
local cast, fill = ffi.cast, ffi.fill
local SIZE, p_t = T.size, T.pointer_ct
local axpy_t = ffi.typeof 'void (*)(int *, void *, void *, int *, void *, int *)'
local get = require('torch.loops.element').getter(T)
local memory = require 'nn.kernels.kernel_scratch'(T)

local columns, step, weight = ffi.new 'int[1]', ffi.new('int[1]', 1), ffi.new(T.c .. '[1]')

-- Elements of the lines computed at a time; at least one line is.
local ROOM = 2 ^ 14

-- Adds the terms of lines `first` to `last` - 1 to them; with `back`, adds the lines to the rows.
local function add_terms(g, x, lines, first, last, back)
   local axpy, of, row, part, size = cast(axpy_t, g.axpy), g.line, g.row, g.weight, g.size
   columns[0] = size
   for e = g.begin[first], g.begin[last] - 1 do
      local z, line = x + row[e], lines + (of[e] - first) * size
      weight[0] = part[e]
      if back then axpy(columns, weight, line, step, z, step) else axpy(columns, weight, z, step, line, step) end
   end
end

local function interpolate(g, lines, y, count)
   local out, size, first, second, part = g.out, g.size, g.first, g.second, g.part
   for line = 0, count - 1 do
      local x, z = lines + line * size, y + line * out
      for j = 0, out - 1 do
         local b = part[j]
         z[j] = (1 - b) * get(x, first[j]) + b * get(x, second[j])
      end
   end
end

-- The transpose of `interpolate`.
local function collect(g, y, lines, count)
   local out, size, first, second, part = g.out, g.size, g.first, g.second, g.part
   for line = 0, count - 1 do
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
   local each = min(max(floor(ROOM / g.size), 1), g.lines)
   local lines, back = memory(each * g.size), g.back == 1
   for plane = from, to - 1 do
      local x, y = cast(p_t, g.x) + plane * g.area, cast(p_t, g.y) + plane * g.lines * g.out
      if back then fill(x, g.area * SIZE) end
      for first = 0, g.lines - 1, each do
         local last = min(first + each, g.lines)
         fill(lines, (last - first) * g.size * SIZE)
         if back then
            collect(g, y + first * g.out, lines, last - first)
            add_terms(g, x, lines, first, last, true)
         else
            add_terms(g, x, lines, first, last, false)
            interpolate(g, lines, y + first * g.out, last - first)
         end
      end
   end
end

return interpolation_kernels
end
