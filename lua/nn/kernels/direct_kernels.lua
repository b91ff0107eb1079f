-- Convolutions without columns, by the machine code of direct_code.lua and the lists of direct_plan.lua. For one
-- element type, in the main state and in workers; direct_chunks.lua has the struct of a call.

return function(T)

local ceil, floor, min = math.ceil, math.floor, math.min
local ffi = require 'ffi'
local direct_code = require 'nn.kernels.direct_code'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local get = require('torch.base.element').getter(T)
local SIZE, p_t, byte_p = T.size, T.pointer_ct, ffi.typeof 'char *'
local code_t = ffi.typeof 'void (*)(t7_nn_tile *)'
local copy_t = ffi.typeof 'void (*)(int *, void *, int *, void *, int *)'
local axpy_t = ffi.typeof((('void (*)(int *, $ *, $ *, int *, $ *, int *)'):gsub('%$', T.c)))
local memory = require 'nn.kernels.kernel_scratch'(T)

-- Elements beyond a copy that the last vector may read.
local LANES = 32 / SIZE

local t, biases = ffi.new 't7_nn_tile', ffi.new(T.c .. '[?]', direct_code.MOST)
local n_, from_step, to_step, one = ffi.new 'int[1]', ffi.new 'int[1]', ffi.new 'int[1]', ffi.new('int[1]', 1)
local factor = ffi.new(T.c .. '[1]')

local function strided(g, x, x_step, z, z_step, n)
   n_[0], from_step[0], to_step[0] = n, x_step, z_step
   cast(copy_t, g.copy)(n_, x, from_step, z, to_step)
end

-- Moves rows between memory at x, with interleaved columns, and their deinterleaved parts at z.
local function move_rows(g, code, list, rows, width, step, counts, offsets, x, z)
   if step == 2 then
      t.from, t.to, t.taps, t.count, t.size = cast(byte_p, x), cast(byte_p, z), list, rows, width
      t.weight_row, t.to_row = offsets[0], offsets[1]
      return cast(code_t, code)(t)
   end
   local back = code == g.merge
   for r = 0, rows - 1 do
      for i = 0, step - 1 do
         local row = cast(p_t, cast(byte_p, x) + list[2 * r]) + i
         local part = cast(p_t, cast(byte_p, z) + (list[2 * r + 1] + offsets[i]))
         if back then strided(g, part, 1, row, step, counts[i]) else strided(g, row, step, part, 1, counts[i]) end
      end
   end
end

-- Copies the planes at x into v, whose margins are already zero.
local function source(g, plan, x, v)
   if plan.copied == 0 then return x end
   local list, sizes, rows = plan.fill, plan.sizes, plan.rows
   for plane = 0, plan.inputs - 1 do
      local from, to = x + plane * plan.source_area, v + plane * plan.plane
      if plan.step == 1 then
         for r = 0, rows - 1 do
            copy(cast(byte_p, to) + list[2 * r + 1], cast(byte_p, from) + list[2 * r], sizes[r])
         end
      elseif rows > 0 and plan.width > 0 then
         move_rows(g, g.split, list, rows, plan.width, plan.step, plan.part_counts, plan.part_offsets, from, to)
      end
   end
   return v
end

local function set_rows(weight_row, to_row)
   t.weight_row, t.weight_row3, t.weight_row5 = weight_row * SIZE, 3 * weight_row * SIZE, 5 * weight_row * SIZE
   t.to_row, t.to_row3, t.to_row5 = to_row * SIZE, 3 * to_row * SIZE, 5 * to_row * SIZE
end

local function size_of_copy(plan) return plan.copied * plan.inputs * plan.plane * plan.batch + LANES end

-- Sets weights and biases of block b of group k, planes `o` to `o` + m - 1.
local function set_weights(g, k, b, o, m)
   t.weight = cast(byte_p, cast(p_t, g.weight) + (k * g.weight_group + b * g.weight_block))
   if g.own == 1 then
      t.bias = g.bias
      return
   end
   for i = 0, m - 1 do
      biases[i] = g.bias == nil and 0 or get(cast(p_t, g.bias), k * g.bias_group + (o + i) * g.bias_step)
   end
   t.bias = cast(byte_p, biases)
end

-- Computes `count` result vectors of a phase, from number `first` on, for the blocks `from` to `to` - 1 of group k;
-- their planes at z are `pitch` apart.
local function tiles(g, plan, phase, first, count, k, from, to, z, pitch)
   local block = g.block
   set_rows(g.weight_row, pitch)
   t.taps, t.taps_end = plan.taps[phase], plan.taps_end[phase]
   t.vectors, t.count = plan.vectors[phase] + first * direct_code.WORDS, count
   for b = from, to - 1 do
      local m = min(block, g.outputs - b * block)
      set_weights(g, k, b, b * block, m)
      t.to = cast(byte_p, z + (b - from) * block * pitch)
      cast(code_t, g.own == 1 and g.own_tile or g.tiles[m - 1])(t)
   end
end

-- Computes parts of the result planes of all images and groups.
local function convolve(g, from, to)
   local plan, chunk, block, blocks = g.plan, g.plan.chunk, g.block, ceil(g.outputs / g.block)
   local most = ceil(blocks / g.parts) * block
   local copied, area = size_of_copy(plan), plan.to_area
   local v = memory(copied + most * plan.to_plane)
   local merged, last = v + copied, -1
   fill(v, copied * SIZE)
   for unit = from, to - 1 do
      local q = floor(unit / g.parts)
      local part, s = unit - q * g.parts, floor(q / g.groups)
      local k = q - s * g.groups
      if q ~= last then
         t.from = cast(byte_p, source(g, plan, cast(p_t, g.from) + (s * g.from_step + k * g.from_group), v))
         last = q
      end
      local b, stop = floor(part * blocks / g.parts), floor((part + 1) * blocks / g.parts)
      local z = cast(p_t, g.to) + (s * g.to_step + k * g.to_group + b * block * area)
      local joined = plan.to_step == 1
      for phase = 0, plan.phases - 1 do
         local count = plan.counts[phase]
         for first = 0, count - 1, chunk do
            tiles(g, plan, phase, first, min(chunk, count - first), k, b, stop, joined and z or merged,
               joined and area or plan.to_plane)
         end
      end
      if not joined then
         local from_copy = t.from
         for i = 0, min(stop * block, g.outputs) - b * block - 1 do
            move_rows(g, g.merge, plan.merge, plan.to_rows, plan.to_width, plan.to_step, plan.to_counts,
               plan.to_offsets, z + i * area, merged + i * plan.to_plane)
         end
         t.from = from_copy
      end
   end
end

-- Vectors of maps that stay in the L1 cache while all taps are summed.
local CHUNK = 128

-- Adds sums of products of maps and images to weights, for blocks of the maps of groups.
local function weigh(g, from, to)
   local plan, block, TAPS = g.plan, direct_code.MOST_DOTS, direct_code.TAPS
   local blocks, copied = ceil(g.outputs / block), size_of_copy(plan)
   local taps = (plan.taps_end[0] - plan.taps[0]) / 2
   local row, count = ceil(taps / TAPS) * TAPS, plan.counts[0]
   local one_copy, batch = plan.inputs * plan.plane, plan.batch
   local v = memory(copied + g.outputs * row)
   local sums, vectors = v + copied, plan.vectors[0]
   fill(v, copied * SIZE)
   for k = floor(from / blocks), floor((to - 1) / blocks) do
      local first, stop = k * blocks > from and 0 or (from - k * blocks) * block, (to - k * blocks) * block
      if stop > g.outputs then stop = g.outputs end
      fill(sums + first * row, (stop - first) * row * SIZE)
      for s = 0, g.images - 1, batch do
         local images, at = min(batch, g.images - s), v
         for i = 0, images - 1 do
            local x = cast(p_t, g.from) + ((s + i) * g.from_step + k * g.from_group)
            at = source(g, plan, x, v + i * one_copy)
         end
         at = at - (images - 1) * plan.copied * one_copy
         local y, number = cast(p_t, g.to) + (s * g.to_step + k * g.to_group), images * count
         set_rows(plan.to_area, row)
         for chunk = 0, number - 1, CHUNK do
            t.from, t.vectors = cast(byte_p, at), vectors + chunk * direct_code.WORDS
            t.count = min(CHUNK, number - chunk)
            for i = 0, taps - 1, TAPS do
               t.taps = plan.taps[0] + 2 * i
               for o = first, stop - 1, block do
                  t.weight, t.to = cast(byte_p, y + o * plan.to_area), cast(byte_p, sums + o * row + i)
                  cast(code_t, g.dots[min(block, stop - o) - 1])(t)
               end
            end
         end
      end
      n_[0], factor[0] = taps, g.scale
      for o = first, stop - 1 do
         cast(axpy_t, g.axpy)(n_, factor, sums + o * row, one,
            cast(p_t, g.weight) + (k * g.weight_group + o * g.weight_row), one)
      end
   end
end

-- The same for vectors of columns with separate weights; the taps are all maps of their rows.
local function weigh_columns(g, from, to)
   local plan, kernel = g.plan, g.outputs
   local area, out = plan.source_area, plan.to_area
   local count, width = plan.counts[0], g.weight_row
   local v = memory(plan.copied * (area + out) + kernel * width + 3 * LANES)
   local maps = v + plan.copied * area + LANES
   local sums = maps + plan.copied * out + LANES
   fill(sums, kernel * width * SIZE)
   t.taps, t.taps_end, t.vectors = plan.taps[0], plan.taps_end[0], plan.vectors[0] + from * direct_code.WORDS
   for s = 0, g.images - 1 do
      local x, y = cast(p_t, g.from) + s * area, cast(p_t, g.to) + s * out
      if plan.copied == 1 then
         copy(v, x, area * SIZE)
         copy(maps, y, out * SIZE)
         x, y = v, maps
      end
      t.weight = cast(byte_p, y)
      for i = 0, kernel - 1 do
         t.from, t.count, t.bias = cast(byte_p, x + i * width), to - from, cast(byte_p, sums + i * width)
         t.to = t.bias
         cast(code_t, g.own_tile)(t)
      end
   end
   local weight = cast(p_t, g.weight)
   for c = from * LANES, (to < count and to * LANES or width) - 1 do
      for i = 0, kernel - 1 do
         local at = c * kernel + i
         weight[at] = get(weight, at) + g.scale * get(sums, i * width + c)
      end
   end
end

-- Lays out the weights of blocks of result planes: those of a tap are next to each other.
local function lay_out(g, from, to)
   local plan, block, MOST = g.plan, g.block, direct_code.MOST
   local n, pairs, taps, row = plan.weights, plan.weight_sources, g.taps, g.source_row
   local blocks = ceil(g.outputs / block)
   for q = from, to - 1 do
      local k = floor(q / blocks)
      local o = (q - k * blocks) * block
      local m = min(block, g.outputs - o)
      local x = cast(p_t, g.laid) + (k * g.source_group + o * taps)
      local z = cast(p_t, g.weight) + q * n * MOST
      for i = 0, m - 1 do
         for w = 0, n - 1 do
            z[w * MOST + i] = get(x, pairs[2 * w] * row + pairs[2 * w + 1] + i * taps)
         end
      end
   end
end

local WHAT = { [0] = convolve, weigh, weigh_columns, lay_out }

return { run = function(g, from, to) WHAT[g.what](g, from, to) end }
end
