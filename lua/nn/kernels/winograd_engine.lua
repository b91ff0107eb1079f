-- Convolutions by Winograd's algorithm: which ones, and how their work is divided. winograd_kernels.lua says how they
-- are computed. They take a quarter of the multiplications, and no columns. See docs/decisions/0027-convolutions.md.

local ceil, max, min = math.ceil, math.max, math.min
local ffi = require 'ffi'
local host, native = require 'torch.native.host', require 'torch.native.native'
local parallel_for = require 'torch.parallel.parallel_for'
require 'nn.kernels.winograd_chunks'
local cast = ffi.cast
local byte_p, null = ffi.typeof 'char *', ffi.cast('char *', 0)

local winograd_engine = {}

local CORRELATE, TRANSFORM_WEIGHTS, TRANSFORM, WEIGH, ADD_WEIGHTS, MULTIPLY, WRITE = 0, 1, 2, 3, 4, 5, 6
local POINTS, TILE, KERNEL = 6, 4, 3
local ALL = POINTS * POINTS

local run_parts = parallel_for.kind('nn.kernels.winograd_chunks', 'run')

-- Values of a row of 3 taps at the points 0, p, -p, q, -q and infinity.
local function values()
   local p, q = 3 / 4, 3 / 2
   local of_p, of_q = 1 / (2 * p ^ 2 * (p ^ 2 - q ^ 2)), 1 / (2 * q ^ 2 * (q ^ 2 - p ^ 2))
   return {
      { 1 / (p * q) ^ 2, 0, 0 }, { of_p, of_p * p, of_p * p ^ 2 }, { of_p, -of_p * p, of_p * p ^ 2 },
      { of_q, of_q * q, of_q * q ^ 2 }, { of_q, -of_q * q, of_q * q ^ 2 }, { 0, 0, 1 },
   }
end

-- The matrix from a kernel to its values; `turned` for the kernel turned by 180 degrees.
local function matrix(k, turned)
   local m, v, last = k.buffer(ALL * KERNEL * KERNEL), values(), KERNEL * KERNEL - 1
   for i = 0, ALL - 1 do
      for at = 0, last do
         local y, x = math.floor(at / KERNEL), at % KERNEL
         local value = v[math.floor(i / POINTS) + 1][y + 1] * v[i % POINTS + 1][x + 1]
         m[i * (last + 1) + (turned and last - at or at)] = value
      end
   end
   return m
end

local calls = {}

-- The struct of a type, its matrices and its memory.
local function call_of(k)
   local call = calls[k]
   if not call then
      local g = ffi.new 't7_nn_winograd'
      g.gemm, g.copy = native.routine('blas', k.T, 'gemm'), native.routine('blas', k.T, 'copy')
      g.type = k.T.index
      g.small = host.small_products() and 1 or 0
      for _, name in ipairs { 'add', 'subtract', 'multiply' } do
         g[name], g[name .. '_data'] = native.raw_loop(name, k.T, k.T, k.T)
      end
      call = { g = g, straight = matrix(k, false), turned = matrix(k, true) }
      calls[k] = call
   end
   return call
end

-- Fewest planes on both sides, fewest tiles of all images, and fewest outputs of a tile, as some lie beyond the end,
-- for which more time is saved than the values take. Most kernels, and tiles of all planes of a row, by the memory that
-- their values take.
local PLANES, TILES, OUTPUTS, KERNELS, ROW = 32, 32, 8, 2 ^ 20, 2 ^ 17

-- Whether a call with the sizes of a plan and a shape is computed here.
function winograd_engine.suits(p, shape)
   local s = p.numbers
   local h, w, pad_h, pad_w, out_h, out_w = s[2], s[3], s[11], s[12], s[17], s[18]
   if s[5] ~= KERNEL or s[6] ~= KERNEL or shape.groups > 1 or shape.planes < PLANES or shape.outputs < PLANES then
      return false
   end
   local wide = ceil(out_w / TILE)
   local tiles = ceil(out_h / TILE) * wide
   return shape.images * tiles >= TILES and out_h * out_w >= tiles * OUTPUTS
      and shape.planes * shape.outputs <= KERNELS and (shape.planes + shape.outputs) * wide <= ROW
      and s[1] == 1 and s[4] == 1 and s[16] == 1 and s[10] == 0
      and s[8] == 1 and s[9] == 1 and s[14] == 1 and s[15] == 1
      and pad_h < KERNEL and pad_w < KERNEL
      and out_h == h + 2 * pad_h - KERNEL + 1 and out_w == w + 2 * pad_w - KERNEL + 1
end

-- Nanoseconds for a multiplication, for an element that is transformed, and for one of a weight.
local MULTIPLY_WORK, TRANSFORM_WORK, WEIGHT_WORK = 0.02, 0.5, 0.4

-- Sets the struct for a convolution from one side to the other.
local function set(k, p, shape, from, to, spread)
   local call = call_of(k)
   local g, s = call.g, p.numbers
   g.spread, g.matrix = spread and 1 or 0, cast(byte_p, spread and call.turned or call.straight)
   if spread then
      g.planes, g.outputs, g.h, g.w, g.out_h, g.out_w = shape.outputs, shape.planes, s[17], s[18], s[2], s[3]
      g.pad_h, g.pad_w = KERNEL - 1 - s[11], KERNEL - 1 - s[12]
   else
      g.planes, g.outputs, g.h, g.w, g.out_h, g.out_w = shape.planes, shape.outputs, s[2], s[3], s[17], s[18]
      g.pad_h, g.pad_w = s[11], s[12]
   end
   g.from, g.to, g.bias = cast(byte_p, k.ptr(from)), cast(byte_p, k.ptr(to)), null
   g.high, g.wide = ceil(g.out_h / TILE), ceil(g.out_w / TILE)
   g.rows, g.all = shape.images * g.high, g.outputs
   return call, g
end

-- Memory for the values of weights of some planes of the output.
local function set_transformed(call, k, g, outputs)
   call.transformed = k.sized(call.transformed, ALL * g.planes * outputs)
   g.transformed = cast(byte_p, k.ptr(call.transformed))
end

-- Memory for the values of a block of at most `columns` tiles, which parts share; returns its rows of tiles.
local function set_values(call, k, g, columns)
   local rows = min(max(ceil(columns / g.wide), 1), g.rows)
   call.values = k.sized(call.values, ALL * (g.planes + g.outputs) * rows * g.wide)
   g.inputs = cast(byte_p, k.ptr(call.values))
   return rows
end

-- Sets the struct for a block; returns its tiles.
local function set_block(call, k, g, first, rows)
   g.first, g.last = first, min(first + rows, g.rows)
   local n = (g.last - first) * g.wide
   g.maps = cast(byte_p, k.ptr(call.values) + ALL * g.planes * n)
   return n
end

local function step(g, what, count, work)
   g.what = what
   run_parts(count, 1, work, g)
end

-- Bytes of the values of weights that stay in the second cache: parts are blocks then. Else they are parts of a block,
-- which goes through the weights once. Bytes of the values of a block in both cases, and fewest columns of its
-- products. Bytes of the values of weights of some outputs of a single block.
local CACHED, BLOCK, LARGE_BLOCK, COLUMNS, WEIGHTS = 2 ^ 20, 3 * 2 ^ 18, 2 ^ 24, 96, 2 ^ 23

-- Nanoseconds for the values of weights of the struct.
local function weights_work(g) return ALL * g.planes * g.outputs * WEIGHT_WORK end

-- A convolution in blocks, which are the parts.
local function correlate_blocks(call, k, g, count)
   set_transformed(call, k, g, g.outputs)
   local weights, planes = ALL * g.planes * g.outputs, ALL * (g.planes + g.outputs)
   step(g, TRANSFORM_WEIGHTS, count, weights_work(g))
   local blocks = ceil(g.rows * g.wide / max(BLOCK / (planes * k.SIZE), COLUMNS))
   -- An even number of blocks, for two cores.
   g.blocks = min(blocks + blocks % 2, g.rows)
   step(g, CORRELATE, g.blocks, g.rows * g.wide * (weights * MULTIPLY_WORK + planes * TRANSFORM_WORK))
end

-- A convolution in blocks, whose steps are cut into parts. A single block goes through the weights of some outputs at a
-- time, which need less memory.
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
      g.to, g.weight = to + o * g.out_h * g.out_w * k.SIZE, weight + o * g.planes * KERNEL * KERNEL * k.SIZE
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

-- A convolution of `from` with weights, one way or the other.
local function correlate(k, p, shape, from, weight, bias, to, spread)
   local call, g = set(k, p, shape, from, to, spread)
   if bias then g.bias = cast(byte_p, k.ptr(bias)) end
   g.weight = cast(byte_p, k.ptr(weight))
   local small = ALL * g.planes * g.outputs * k.SIZE <= CACHED
   local run = small and correlate_blocks or correlate_steps
   run(call, k, g, shape.outputs)
   k.alive(from, weight, bias, to, call.transformed, call.values)
end

-- map = weight * image + bias.
function winograd_engine.correlate(k, p, shape, image, weight, bias, map)
   correlate(k, p, shape, image, weight, bias, map, false)
end

-- image = what the map contributes to through weight, + bias.
function winograd_engine.spread(k, p, shape, map, weight, bias, image)
   correlate(k, p, shape, map, weight, bias, image, true)
end

-- weight += scale * map image'.
function winograd_engine.weigh(k, p, shape, image, map, weight, scale)
   local call, g = set(k, p, shape, image, map, false)
   set_transformed(call, k, g, g.outputs)
   g.weight, g.scale = cast(byte_p, k.ptr(weight)), scale
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
