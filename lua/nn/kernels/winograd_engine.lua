-- Convolutions by Winograd's algorithm: which ones qualify, and the division of their work. See winograd_kernels.lua.
-- They take a quarter of the multiplications, and no columns. See docs/decisions/0027-convolutions.md.

local ceil, floor, max, min = math.ceil, math.floor, math.max, math.min
local ffi = require 'ffi'
local kernels, native = require 'torch.native.kernels', require 'torch.native.native'
local parallel_for, lazy_table = require 'torch.parallel.parallel_for', require 'torch.jit.lazy_table'
local interleaving_code, winograd_code = require 'nn.kernels.interleaving_code', require 'nn.kernels.winograd_code'
local winograd_programs = require 'nn.kernels.winograd_programs'
require 'nn.kernels.winograd_chunks'
local cast = ffi.cast
local byte_p, null = ffi.typeof 'char *', ffi.cast('char *', 0)

local winograd_engine = {}

local CORRELATE, TRANSFORM_WEIGHTS, TRANSFORM, WEIGH, ADD_WEIGHTS, MULTIPLY, WRITE, MULTIPLY_SLICES,
   WEIGH_SLICES = 0, 1, 2, 3, 4, 5, 6, 7, 8
local POINTS = 6
local ALL = POINTS * POINTS

local run_parts = parallel_for.kind('nn.kernels.winograd_chunks', 'run')

-- Values of a row of `kernel` taps at the points 0, p, -p, q, -q and infinity.
local function values(kernel)
   local p, q = 3 / 4, 3 / 2
   local of_p, of_q = 1 / (2 * p ^ 2 * (p ^ 2 - q ^ 2)), 1 / (2 * q ^ 2 * (q ^ 2 - p ^ 2))
   local v = { {}, {}, {}, {}, {}, {} }
   for i = 1, kernel do
      local power = i - 1
      v[1][i], v[6][i] = i == 1 and 1 / (p * q) ^ 2 or 0, i == kernel and 1 or 0
      v[2][i], v[3][i] = of_p * p ^ power, of_p * (-p) ^ power
      v[4][i], v[5][i] = of_q * q ^ power, of_q * (-q) ^ power
   end
   return v
end

-- The matrix from a kernel to its values; `turned` for the kernel turned by 180 degrees.
local function matrix(k, kernel, turned)
   local taps = kernel * kernel
   local m, v = k.buffer(ALL * taps), values(kernel)
   for i = 0, ALL - 1 do
      for at = 0, taps - 1 do
         local y, x = floor(at / kernel), at % kernel
         local value = v[floor(i / POINTS) + 1][y + 1] * v[i % POINTS + 1][x + 1]
         m[i * taps + (turned and taps - 1 - at or at)] = value
      end
   end
   return m
end

-- Kernel sizes that are supported here.
local LEAST_KERNEL, MOST_KERNEL = 3, 5

-- The struct of a type, its matrices and its scratch.
local calls = lazy_table(function(k)
   local g = ffi.new 't7_nn_winograd'
   g.gemm = cast('void *', kernels 'linalg/gemm' ['t7_gemm_' .. k.T.name])
   g.copy = native.routine('blas', k.T, 'copy')
   g.type = k.T.index
   local T = k.T.base or k.T
   g.input = winograd_code(T, winograd_programs.input)
   g.split, g.merge = interleaving_code.split(T), interleaving_code.merge(T)
   for tile in pairs(winograd_programs.output_rows) do
      g.gradients[tile] = winograd_code(T, winograd_programs.gradient[tile])
      g.results[tile] = winograd_code(T, winograd_programs.output[tile])
   end
   for _, name in ipairs { 'add', 'subtract', 'multiply' } do
      g[name], g[name .. '_data'] = native.raw_loop(name, k.T, k.T, k.T)
   end
   local call = { g = g, straight = {}, turned = {} }
   for kernel = LEAST_KERNEL, MOST_KERNEL do
      call.straight[kernel], call.turned[kernel] = matrix(k, kernel, false), matrix(k, kernel, true)
   end
   return call
end)

-- Fewest planes of both sides. Transformed kernels and rows of tiles take memory: most kernels, and most tiles of all
-- planes of a row.
local PLANES, KERNELS, ROW = 16, 2 ^ 20, 2 ^ 17

-- Whether a convolution with the sizes of a plan and a shape can be computed here.
local function fits(p, shape)
   local s = p.numbers
   local deep, kernel, gap, planes, outputs = s[4], s[5], s[14], shape.planes, shape.outputs
   local pad_t, pad_h, pad_w = s[10], s[11] / gap, s[12] / gap
   return kernel >= LEAST_KERNEL and kernel <= MOST_KERNEL and s[6] == kernel and shape.groups == 1
      and s[7] == 1 and s[8] == 1 and s[9] == 1 and s[13] == 1 and s[15] == gap
      and (gap == 1 or s[1] == 1 and deep == 1 and floor(pad_h) == pad_h and floor(pad_w) == pad_w)
      and pad_t < deep and pad_h < kernel and pad_w < kernel
      and s[16] == s[1] + 2 * pad_t - deep + 1 and s[17] == s[2] + gap * (2 * pad_h - kernel + 1)
      and s[18] == s[3] + gap * (2 * pad_w - kernel + 1)
      and planes >= PLANES and outputs >= PLANES and planes * outputs * deep <= KERNELS
      and (planes + outputs) * ceil(max(s[3], s[18]) / (POINTS + 1 - kernel)) <= ROW
end

-- Costs of an element of columns, a value of a tile, and a value of a kernel, in multiplications of a product; the
-- share of the cost of a product on columns that justifies less precise results; and fewest tiles. Then the cost of a
-- value of a phase's tile, and most tiles of all planes of a volume's slices that are processed together, since they
-- take memory.
local COLUMN, VALUE, WEIGHT, WORTH, TILES, PHASE_VALUE, SLICES = 32, 35, 15, 0.8, 32, 90, 2 ^ 20

-- Whether a convolution runs here, which depends on sizes alone; `spread` for one from the map to the image.
function winograd_engine.suits(p, shape, spread)
   if not fits(p, shape) then return false end
   local s, planes, outputs, images = p.numbers, shape.planes, shape.outputs, shape.images
   local deep, kernel, gap = s[4], s[5], s[14]
   local taps, tile, pairs = deep * kernel * kernel, POINTS + 1 - kernel, deep * planes * outputs
   local depth, high, wide = s[16], s[17], s[18]
   local columns = images * depth * high * wide * planes * taps
   if spread then depth, high, wide = s[1], s[2], s[3] end
   local area = gap ^ 2 * ceil(high / gap / tile) * ceil(wide / gap / tile)
   local tiles = images * depth * area
   local value = gap == 1 and VALUE or PHASE_VALUE
   local cost = ALL * (tiles * (pairs + (planes + outputs) * value) + pairs * WEIGHT)
   return tiles >= TILES and (deep == 1 or area * deep * (planes + outputs) <= SLICES)
      and cost < WORTH * columns * (outputs + COLUMN)
end

-- Nanoseconds per multiplication, per transformed element, and per weight.
local MULTIPLY_WORK, TRANSFORM_WORK, WEIGHT_WORK = 0.02, 0.5, 0.4

-- Fills in the struct for a convolution from one side to the other.
local function set(k, p, shape, from, to, spread)
   local call, s = calls[k], p.numbers
   local g, kernel, gap = call.g, s[5], s[14]
   g.spread, g.matrix = spread and 1 or 0, cast(byte_p, (spread and call.turned or call.straight)[kernel])
   g.taps, g.tile = kernel * kernel, POINTS + 1 - kernel
   if spread then
      g.planes, g.outputs, g.h, g.w, g.out_h, g.out_w = shape.outputs, shape.planes, s[17], s[18], s[2], s[3]
      g.pad_h, g.pad_w = kernel - 1 - s[11] / gap, kernel - 1 - s[12] / gap
   else
      g.planes, g.outputs, g.h, g.w, g.out_h, g.out_w = shape.planes, shape.outputs, s[2], s[3], s[17], s[18]
      g.pad_h, g.pad_w = s[11] / gap, s[12] / gap
   end
   g.depth, g.out_depth, g.deep, g.pad_t = s[1], s[16], s[4], s[10]
   if spread then g.depth, g.out_depth = s[16], s[1] end
   g.from, g.to, g.bias = cast(byte_p, k.ptr(from)), cast(byte_p, k.ptr(to)), null
   g.gap, g.high, g.wide = gap, ceil(g.out_h / gap / g.tile), ceil(g.out_w / gap / g.tile)
   g.rows, g.all = shape.images * g.out_depth * gap ^ 2 * g.high, g.outputs
   return call, g
end

-- Scratch for the transformed weights of some output planes.
local function set_transformed(call, k, g, outputs)
   call.transformed = k.sized(call.transformed, g.deep * ALL * g.planes * outputs)
   g.transformed = cast(byte_p, k.ptr(call.transformed))
end

-- Scratch for the values of a block of at most `columns` tiles, which chunks share; returns its rows of tiles.
local function set_values(call, k, g, columns)
   local rows = min(max(ceil(columns / g.wide), 1), g.rows)
   call.values = k.sized(call.values, ALL * (g.planes + g.outputs) * rows * g.wide)
   g.inputs = cast(byte_p, k.ptr(call.values))
   return rows
end

-- Fills in the struct for a block; returns its number of tiles.
local function set_block(call, k, g, first, rows)
   g.first, g.last = first, min(first + rows, g.rows)
   g.to_first, g.to_last = g.first, g.last
   local n = (g.last - first) * g.wide
   g.maps = cast(byte_p, k.ptr(call.values) + ALL * g.planes * n)
   return n
end

local function step(g, what, count, work)
   g.what = what
   run_parts(count, 1, work, g)
end

-- Bytes of transformed weights that fit the L2 cache: chunks are then blocks. Otherwise they are parts of a block,
-- which reads the weights once. Bytes of the values of a block in both cases, fewest columns of its products, and bytes
-- of the transformed weights of some outputs of a single block.
local CACHED, BLOCK, LARGE_BLOCK, COLUMNS, WEIGHTS = 2 ^ 20, 3 * 2 ^ 18, 2 ^ 24, 96, 2 ^ 23

-- Nanoseconds to transform the weights of the struct.
local function weights_work(g) return g.deep * ALL * g.planes * g.outputs * WEIGHT_WORK end

-- A convolution whose chunks are blocks.
local function correlate_blocks(call, k, g, count)
   set_transformed(call, k, g, g.outputs)
   local weights, planes = ALL * g.planes * g.outputs, ALL * (g.planes + g.outputs)
   step(g, TRANSFORM_WEIGHTS, count, weights_work(g))
   local blocks = ceil(g.rows * g.wide / max(BLOCK / (planes * k.SIZE), COLUMNS))
   -- An even number of blocks, so that two cores share them evenly.
   g.blocks = min(blocks + blocks % 2, g.rows)
   step(g, CORRELATE, g.blocks, g.rows * g.wide * (weights * MULTIPLY_WORK + planes * TRANSFORM_WORK))
end

-- A convolution in blocks, each step of which is divided into chunks. A single block transforms the weights of some
-- outputs at a time, to save memory.
local function correlate_steps(call, k, g, count)
   local outputs = g.outputs
   local rows = set_values(call, k, g, max(LARGE_BLOCK / (ALL * (g.planes + outputs) * k.SIZE), COLUMNS))
   local each = outputs
   if rows == g.rows and g.spread == 0 then
      each = ceil(outputs / ceil(ALL * g.planes * outputs * k.SIZE / WEIGHTS) / 16) * 16
   end
   set_transformed(call, k, g, each)
   local to, weight, bias = g.to, g.weight, g.bias
   for o = 0, outputs - 1, each do
      g.outputs = min(each, outputs - o)
      g.to, g.weight = to + o * g.out_h * g.out_w * k.SIZE, weight + o * g.planes * g.taps * k.SIZE
      if bias ~= null then g.bias = bias + o * k.SIZE end
      step(g, TRANSFORM_WEIGHTS, each == outputs and count or g.outputs, weights_work(g))
      for first = 0, g.rows - 1, rows do
         local n = set_block(call, k, g, first, rows)
         if o == 0 then step(g, TRANSFORM, g.planes, ALL * g.planes * n * TRANSFORM_WORK) end
         step(g, MULTIPLY, ALL, ALL * g.planes * g.outputs * n * MULTIPLY_WORK)
         step(g, WRITE, g.outputs, ALL * g.outputs * n * TRANSFORM_WORK)
      end
   end
end

-- Calls f for each block of a volume: slices of the output and the input slices they need.
local function each_block(call, k, g, f)
   local area, planes, last = g.high * g.wide, g.planes + g.outputs, g.deep - 1
   local most = max(floor(LARGE_BLOCK / (ALL * planes * area * k.SIZE)), 1)
   local before = g.spread == 1 and last - g.pad_t or g.pad_t
   local slices = min(most, g.out_depth)
   call.values = k.sized(call.values, ALL * area * (g.planes * min(slices + last, g.depth) + g.outputs * slices))
   g.inputs = cast(byte_p, k.ptr(call.values))
   for image = 0, g.rows / (g.out_depth * g.high) - 1 do
      for z = 0, g.out_depth - 1, slices do
         local to = min(z + slices, g.out_depth)
         g.first = (image * g.depth + max(z - before, 0)) * g.high
         g.last = (image * g.depth + min(to - before + last, g.depth)) * g.high
         g.to_first, g.to_last = (image * g.out_depth + z) * g.high, (image * g.out_depth + to) * g.high
         g.maps = cast(byte_p, k.ptr(call.values) + ALL * g.planes * (g.last - g.first) * g.wide)
         f(call, g, (g.last - g.first) * g.wide, (to - z) * area)
      end
   end
end

-- A convolution of volumes, in which `n` tiles of the input give `m` of the output.
local function correlate_block(_, g, n, m)
   step(g, TRANSFORM, g.planes, ALL * g.planes * n * TRANSFORM_WORK)
   step(g, MULTIPLY_SLICES, ALL, g.deep * ALL * g.planes * g.outputs * m * MULTIPLY_WORK)
   step(g, WRITE, g.outputs, ALL * g.outputs * m * TRANSFORM_WORK)
end

local function correlate_volumes(call, k, g, count)
   set_transformed(call, k, g, g.outputs)
   step(g, TRANSFORM_WEIGHTS, count, weights_work(g))
   each_block(call, k, g, correlate_block)
end

local function weigh_block(_, g, n, m)
   local planes = g.planes + g.outputs
   step(g, TRANSFORM, planes, ALL * (g.planes * n + g.outputs * m) * TRANSFORM_WORK)
   step(g, WEIGH_SLICES, ALL, g.deep * ALL * g.planes * g.outputs * m * MULTIPLY_WORK)
end

-- A convolution of `from` with weights, in either direction.
local function correlate(k, p, shape, from, weight, bias, to, spread)
   local call, g = set(k, p, shape, from, to, spread)
   if bias then g.bias = cast(byte_p, k.ptr(bias)) end
   g.weight = cast(byte_p, k.ptr(weight))
   local small = ALL * g.planes * g.outputs * k.SIZE <= CACHED
   local run = g.deep > 1 and correlate_volumes or small and correlate_blocks or correlate_steps
   run(call, k, g, shape.outputs)
   k.alive(from, weight, bias, to, call.transformed, call.values)
end

-- map = weight * image + bias.
function winograd_engine.correlate(k, p, shape, image, weight, bias, map)
   correlate(k, p, shape, image, weight, bias, map, false)
end

-- image = the transposed convolution of the map with weight, + bias.
function winograd_engine.spread(k, p, shape, map, weight, bias, image)
   correlate(k, p, shape, map, weight, bias, image, true)
end

-- weight += scale * map image'.
function winograd_engine.weigh(k, p, shape, image, map, weight, scale)
   local call, g = set(k, p, shape, image, map, false)
   set_transformed(call, k, g, g.outputs)
   g.weight, g.scale = cast(byte_p, k.ptr(weight)), scale
   if g.deep > 1 then
      each_block(call, k, g, weigh_block)
      step(g, ADD_WEIGHTS, g.outputs, weights_work(g))
      return k.alive(image, map, weight, call.values, call.transformed)
   end
   local weights, planes = ALL * g.planes * g.outputs, g.planes + g.outputs
   local rows = set_values(call, k, g, max(LARGE_BLOCK / (ALL * planes * k.SIZE), COLUMNS))
   for first = 0, g.rows - 1, rows do
      local n = set_block(call, k, g, first, rows)
      step(g, TRANSFORM, planes, ALL * planes * n * TRANSFORM_WORK)
      step(g, WEIGH, ALL, weights * n * MULTIPLY_WORK)
   end
   step(g, ADD_WEIGHTS, g.outputs, weights_work(g))
   k.alive(image, map, weight, call.values, call.transformed)
end

return winograd_engine
