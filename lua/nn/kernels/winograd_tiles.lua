-- Tiles of images for Winograd's algorithm (winograd_kernels.lua): gathers their elements into rows and scatters rows
-- back, for images and for the phases of kernels with gaps. For one element type.

return function(T)

local ceil, floor, min = math.ceil, math.floor, math.min
local ffi = require 'ffi'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local SIZE, byte_p = T.size, ffi.typeof 'char *'
local copy_t = ffi.typeof 'void (*)(int *, void *, int *, void *, int *)'
require 'nn.kernels.direct_code'

local n_, from_step, to_step = ffi.new 'int[1]', ffi.new 'int[1]', ffi.new 'int[1]'

-- Copies `n` elements with strides.
local function strided(g, x, x_step, z, z_step, n)
   n_[0], from_step[0], to_step[0] = n, x_step, z_step
   cast(copy_t, g.copy)(n_, x, from_step, z, to_step)
end

local pair, pair_t = ffi.new 't7_nn_tile', ffi.typeof 'void (*)(t7_nn_tile *)'
local no_offsets = ffi.new 'intptr_t[2]'

-- Moves elements between a row of 2 n and two parts of n, by the code of interleaving_code.lua.
local function halves(code, x, first, second, n)
   pair.from, pair.to, pair.taps, pair.count, pair.size = cast(byte_p, x), cast(byte_p, first), no_offsets, 1, 2 * n
   pair.weight_row, pair.to_row = 0, (second - first) * SIZE
   cast(pair_t, code)(pair)
end

-- Gathers the elements at x with stride `tile` into rows of n elements from z on; `free` is scratch for 4 n.
local function split(g, x, z, free, n)
   local tile = g.tile
   if g.split == nil or tile == 3 then
      for j = 0, tile - 1 do strided(g, x + j, tile, z + j * n, 1, n) end
   elseif tile == 2 then
      halves(g.split, x, z, z + n, n)
   else
      halves(g.split, x, free, free + 2 * n, 2 * n)
      halves(g.split, free, z, z + 2 * n, n)
      halves(g.split, free + 2 * n, z + n, z + 3 * n, n)
   end
end

-- The inverse: part j is at x + row_of[j] * point.
local function merge(g, x, row_of, point, z, free, n)
   local tile = g.tile
   if g.merge == nil or tile == 3 then
      for j = 0, tile - 1 do strided(g, x + row_of[j] * point, 1, z + j, tile, n) end
   elseif tile == 2 then
      halves(g.merge, z, x, x + row_of[1] * point, n)
   else
      halves(g.merge, free, x, x + row_of[2] * point, n)
      halves(g.merge, free + 2 * n, x + row_of[1] * point, x + row_of[3] * point, n)
      halves(g.merge, z, free, free + 2 * n, 2 * n)
   end
end

-- The source of row q of `rows` in each plane, from row `first` of the tiles on, if kernels have gaps: the plane, the
-- image, and the row and first column there. The slices are phases.
local function phase_row(g, q, rows, first, shift)
   local gap, high = g.gap, g.high
   local plane = floor(q / rows)
   local r = first + q - plane * rows
   local slice = floor(r / high)
   local image = floor(slice / gap ^ 2)
   local phase = slice - image * gap ^ 2
   local down = floor(phase / gap)
   return plane, image, ((r - slice * high) * g.tile + shift) * gap + down, phase - down * gap
end

-- `gather` and `scatter`, see below, for kernels with gaps.
local function gather_phases(g, x, all, h, w, shift, left, first, last, c, planes, z, tail, behind)
   local rows, gap = last - first, g.gap
   local pitch = g.wide * g.tile
   local most = ceil(w / gap)
   local room = pitch - left
   for q = 0, planes * rows - 1 do
      local plane, image, y, right = phase_row(g, q, rows, first, shift)
      local row, rest = z + (q * pitch + left), tail + q * behind
      fill(row, min(most, room) * SIZE)
      if most > room then fill(rest, min(most - room, behind) * SIZE) end
      if y >= 0 and y < h then
         local from, n = x + (((image * all + c + plane) * h + y) * w + right), ceil((w - right) / gap)
         strided(g, from, gap, row, 1, min(n, room))
         if n > room then strided(g, from + room * gap, gap, rest, 1, min(n - room, behind)) end
      end
   end
end

local function scatter_phases(g, z, all, h, w, shift, first, last, c, planes, x)
   local rows, gap = last - first, g.gap
   local pitch = g.wide * g.tile
   for q = 0, planes * rows - 1 do
      local plane, image, y, right = phase_row(g, q, rows, first, shift)
      if y < h then
         local to = x + (((image * all + c + plane) * h + y) * w + right)
         strided(g, z + q * pitch, 1, to, gap, ceil((w - right) / gap))
      end
   end
end

-- Copies row `shift` of each tile in rows `first` to `last` - 1 of `planes` planes from plane c of `all` on, with
-- `depth` slices each. Rows of the padded image that the tiles cover go to z, those of the `behind` elements on their
-- right to `tail`.
local function gather(g, x, all, depth, h, w, shift, left, first, last, c, planes, z, tail, behind)
   if g.gap > 1 then
      return gather_phases(g, x, all, h, w, shift, left, first, last, c, planes, z, tail, behind)
   end
   local rows, high, tile = last - first, g.high, g.tile
   local pitch = g.wide * tile
   local whole = min(w, pitch - left)
   local over = min(w - whole, behind)
   for q = 0, planes * rows - 1 do
      local plane = floor(q / rows)
      local r = first + q - plane * rows
      local slice = floor(r / high)
      local y, t = (r - slice * high) * tile + shift, depth > 1 and slice % depth or 0
      local row, rest = z + (q * pitch + left), tail + q * behind
      if y >= 0 and y < h then
         local from = x + (((slice - t) * all + (c + plane) * depth + t) * h + y) * w
         copy(row, from, whole * SIZE)
         if over > 0 then copy(rest, from + whole, over * SIZE) end
      else
         fill(row, whole * SIZE)
         if over > 0 then fill(rest, over * SIZE) end
      end
   end
end

-- Copies rows to row `shift` of their tiles.
local function scatter(g, z, all, depth, h, w, shift, first, last, c, planes, x)
   if g.gap > 1 then return scatter_phases(g, z, all, h, w, shift, first, last, c, planes, x) end
   local rows, high, tile = last - first, g.high, g.tile
   local pitch = g.wide * tile
   for q = 0, planes * rows - 1 do
      local plane = floor(q / rows)
      local r = first + q - plane * rows
      local slice = floor(r / high)
      local y, t = (r - slice * high) * tile + shift, depth > 1 and slice % depth or 0
      if y < h then
         copy(x + (((slice - t) * all + (c + plane) * depth + t) * h + y) * w, z + q * pitch, w * SIZE)
      end
   end
end

return { strided = strided, split = split, merge = merge, gather = gather, scatter = scatter }
end
