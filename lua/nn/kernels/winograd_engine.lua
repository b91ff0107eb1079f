-- Convolutions by Winograd's algorithm: which ones, and how their work is divided. winograd_kernels.lua says how they are
-- computed. They take half of the multiplications, and no columns.

local ceil, max, min = math.ceil, math.max, math.min
local ffi = require 'ffi'
local host, native = require 'torch.native.host', require 'torch.native.native'
local parallel_for = require 'torch.parallel.parallel_for'
require 'nn.kernels.winograd_chunks'
local cast = ffi.cast
local byte_p, null = ffi.typeof 'char *', ffi.cast('char *', 0)

local winograd_engine = {}

local CORRELATE, TRANSFORM_WEIGHTS, TRANSFORM_BOTH, WEIGH, ADD_WEIGHTS = 0, 1, 2, 3, 4
local POINTS, TILE, KERNEL_ROWS = 6, 4, 3

local run_parts = parallel_for.kind('nn.kernels.winograd_chunks', 'run')

-- Values of a row of 3 taps at the points.
local VALUES = {
   { 1 / 4, 0, 0 }, { -1 / 6, -1 / 6, -1 / 6 }, { -1 / 6, 1 / 6, -1 / 6 },
   { 1 / 24, 1 / 12, 1 / 6 }, { 1 / 24, -1 / 12, 1 / 6 }, { 0, 0, 1 },
}

-- The matrix from a kernel of 3 x taps to its values, by points and taps; `turned` for the kernel turned by 180 degrees.
local function matrix(k, taps, turned)
   local width = KERNEL_ROWS * taps
   local m = k.buffer(POINTS * taps * width)
   for i = 0, POINTS - 1 do
      for kx = 0, taps - 1 do
         for ky = 0, KERNEL_ROWS - 1 do
            local at = ky * taps + kx
            m[(i * taps + kx) * width + (turned and width - 1 - at or at)] = VALUES[i + 1][ky + 1]
         end
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
      g.gemm, g.type = native.routine('blas', k.T, 'gemm'), k.T.index
      g.small = host.small_products() and 1 or 0
      for _, name in ipairs { 'add', 'subtract', 'multiply' } do
         g[name], g[name .. '_data'] = native.raw_loop(name, k.T, k.T, k.T)
      end
      call = { g = g, matrices = {} }
      calls[k] = call
   end
   return call
end

-- Fewest planes on both sides, and outputs of all images, for which the transforms take less time than they save.
local PLANES, PLACES = 16, 256

-- Whether a call with the sizes of a plan and a shape is computed here.
function winograd_engine.suits(p, shape)
   local s = p.numbers
   local h, w, kw, ph, pw = s[2], s[3], s[6], s[11], s[12]
   return s[5] == KERNEL_ROWS and shape.groups == 1 and shape.planes >= PLANES and shape.outputs >= PLANES
      and shape.images * s[17] * s[18] >= PLACES and s[17] >= TILE
      and s[1] == 1 and s[4] == 1 and s[10] == 0 and s[8] == 1 and s[9] == 1 and s[14] == 1 and s[15] == 1
      and ph < KERNEL_ROWS and pw < kw and s[16] == 1 and s[17] == h + 2 * ph - KERNEL_ROWS + 1
      and s[18] == w + 2 * pw - kw + 1
end

-- Nanoseconds for a multiplication, for an element that is transformed, and for one of a weight.
local MULTIPLY, TRANSFORM, WEIGHT = 0.02, 0.5, 0.4

-- Sets the struct for a convolution from one side to the other.
local function set(k, p, shape, from, to, spread)
   local call = call_of(k)
   local g, s = call.g, p.numbers
   g.images, g.taps, g.spread = shape.images, s[6], spread and 1 or 0
   if spread then
      g.planes, g.outputs, g.h, g.w, g.out_h, g.out_w = shape.outputs, shape.planes, s[17], s[18], s[2], s[3]
      g.pad_h, g.pad_w = KERNEL_ROWS - 1 - s[11], s[6] - 1 - s[12]
   else
      g.planes, g.outputs, g.h, g.w, g.out_h, g.out_w = shape.planes, shape.outputs, s[2], s[3], s[17], s[18]
      g.pad_h, g.pad_w = s[11], s[12]
   end
   g.from, g.to, g.bias = cast(byte_p, k.ptr(from)), cast(byte_p, k.ptr(to)), null
   g.high, g.pitch = ceil(g.out_h / TILE), g.w + g.pad_w
   g.rows = g.images * g.high
   local key = (spread and -1 or 1) * g.taps
   local m = call.matrices[key] or matrix(k, g.taps, spread)
   call.matrices[key] = m
   g.matrix = cast(byte_p, m)
   return call, g
end

-- Memory for the values of weights.
local function set_transformed(call, k, g)
   call.transformed = k.sized(call.transformed, POINTS * g.taps * g.planes * g.outputs)
   g.transformed = cast(byte_p, k.ptr(call.transformed))
end

-- Bytes of the values of a block that stay in the cache, and fewest columns of a product.
local CACHED, COLUMNS = 3 * 2 ^ 18, 192

-- A convolution of `from` with weights, one way or the other.
local function correlate(k, p, shape, from, weight, bias, to, spread)
   local call, g = set(k, p, shape, from, to, spread)
   if bias then g.bias = cast(byte_p, k.ptr(bias)) end
   set_transformed(call, k, g)
   g.weight = cast(byte_p, k.ptr(weight))
   local values = POINTS * g.taps * g.planes * g.outputs
   g.what = TRANSFORM_WEIGHTS
   run_parts(shape.outputs, 1, values * WEIGHT, g)
   local wanted = max(CACHED / (POINTS * (g.planes + g.outputs) * k.SIZE), COLUMNS)
   local blocks = ceil(g.rows * g.pitch / wanted)
   -- An even number of blocks, for two cores.
   g.blocks = min(blocks + blocks % 2, g.rows)
   g.what = CORRELATE
   local columns = g.rows * g.pitch
   run_parts(g.blocks, 1, columns * (values * MULTIPLY + POINTS * (g.planes + g.outputs) * TRANSFORM), g)
   k.alive(from, weight, bias, to, call.transformed)
end

-- map = weight * image + bias.
function winograd_engine.correlate(k, p, shape, image, weight, bias, map)
   correlate(k, p, shape, image, weight, bias, map, false)
end

-- image = what the map contributes to through weight, + bias.
function winograd_engine.spread(k, p, shape, map, weight, bias, image)
   correlate(k, p, shape, map, weight, bias, image, true)
end

-- Columns of a product of sums.
local SUMMED = 1024

-- weight += scale * map image'.
function winograd_engine.weigh(k, p, shape, image, map, weight, scale)
   local call, g = set(k, p, shape, image, map, false)
   set_transformed(call, k, g)
   local each = min(max(ceil(SUMMED / g.pitch), 1), g.rows)
   local most, planes = each * g.pitch, g.planes + g.outputs
   call.values = k.sized(call.values, POINTS * planes * most + g.taps)
   g.inputs = cast(byte_p, k.ptr(call.values))
   g.weight, g.scale = cast(byte_p, k.ptr(weight)), scale
   local values = POINTS * g.taps * g.planes * g.outputs
   for first = 0, g.rows - 1, each do
      g.first, g.last = first, min(first + each, g.rows)
      local n = (g.last - first) * g.pitch
      local maps = k.ptr(call.values) + (POINTS * g.planes * n + g.taps)
      g.maps = cast(byte_p, maps)
      k.fill(maps - g.taps, g.taps * k.SIZE)
      g.what = TRANSFORM_BOTH
      run_parts(planes, 1, POINTS * planes * n * TRANSFORM, g)
      g.what = WEIGH
      run_parts(POINTS * g.taps, 1, values * n * MULTIPLY, g)
   end
   g.what = ADD_WEIGHTS
   run_parts(g.outputs, 1, values * WEIGHT, g)
   k.alive(image, map, weight, call.values, call.transformed)
end

return winograd_engine
