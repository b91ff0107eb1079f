-- Convolutions without columns, where machine code exists: which ones qualify, and the division of their work. See
-- direct_code.lua and docs/decisions/0029-convolutions-without-columns.md.

local ceil, max, min = math.ceil, math.max, math.min
local ffi, lazy_table = require 'ffi', require 'torch.jit.lazy_table'
local native, parallel_for = require 'torch.native.native', require 'torch.parallel.parallel_for'
local assembler = require 'torch.native.assembler'
local direct_code, direct_plan = require 'nn.kernels.direct_code', require 'nn.kernels.direct_plan'
local interleaving_code = require 'nn.kernels.interleaving_code'
require 'nn.kernels.direct_chunks'
local cast = ffi.cast
local byte_p, null = ffi.typeof 'char *', ffi.cast('char *', 0)

local direct_engine = {}

local CONVOLVE, WEIGH, WEIGH_COLUMNS, LAY_OUT = 0, 1, 2, 3
local MOST, MOST_DOTS = direct_code.MOST, direct_code.MOST_DOTS

local run_parts = parallel_for.kind('nn.kernels.direct_chunks', 'run')

-- The struct of a type; false without machine code.
local structs = lazy_table(function(k)
   local g, T = ffi.new 't7_nn_direct_call', k.T.base or k.T
   g.copy, g.axpy, g.type = native.routine('blas', k.T, 'copy'), native.routine('blas', k.T, 'axpy'), k.T.index
   local split, merge = interleaving_code.split(T), interleaving_code.merge(T)
   if not (split and merge and g.copy ~= nil and g.axpy ~= nil) then return false end
   g.split, g.merge = split, merge
   return g
end)

-- Sets the blocks of result planes, and their code.
local function set_blocks(k, g, outputs)
   local block, T = ceil(outputs / ceil(outputs / MOST)), k.T.base or k.T
   g.outputs, g.block = outputs, block
   for _, m in ipairs { block, (outputs - 1) % block + 1 } do g.tiles[m - 1] = direct_code.tile(T, m) end
end

-- Weights that fit the L2 cache, and most result vectors of a plane in a list.
local WEIGHTS, VECTORS, VECTOR = 2 ^ 19, 2 ^ 16, 32

-- Tells whether the lists for the numbers of unfold_plan.lua are short enough.
local function is_short(k, s)
   local lanes = VECTOR / k.SIZE
   return s[16] * s[17] * ceil(s[18] / lanes) <= VECTORS and s[1] * s[2] * (s[3] / lanes + s[9]) <= VECTORS
end

-- Nanoseconds per multiplication of a convolution to the map, of one back, and of sums; per multiplication for a single
-- result plane; the factor for results that depend on more than LARGE elements. Nanoseconds per multiplication of a
-- product on columns, and per element of columns.
local THERE, BACK, SUM, SINGLE, MORE, LARGE, PRODUCT, COLUMN = 0.025, 0.0335, 0.04, 0.06, 1.35, 512, 0.03, 1

-- Tells whether a convolution is faster here, by its sizes; the direction is 'correlate', 'spread' or 'weigh'.
local function is_faster(k, s, shape, taps, direction)
   local planes, outputs, lanes = shape.planes, shape.outputs, VECTOR / k.SIZE
   if planes == 1 and outputs <= 4 then return true end
   local columns, cost = PRODUCT + COLUMN / outputs, ceil(s[18] / lanes) * lanes / s[18]
   if direction == 'spread' then
      local phases, out = s[7] * s[8] * s[9], s[16] * s[17] * s[18]
      local area = s[1] * s[2] * s[9] * ceil(s[3] / s[9] / lanes) * lanes
      cost = area / (phases * out) * (planes == 1 and SINGLE or BACK)
   elseif direction == 'weigh' then
      cost = cost * SUM
   else
      return taps > 1 and cost * THERE * (planes * taps > LARGE and MORE or 1) < columns
   end
   -- Larger strides need a copy for each phase of a row.
   return taps > 1 and s[9] <= 2 and cost < columns
end

-- Whether a convolution with the sizes of a plan and a shape is computed here.
function direct_engine.suits(k, p, shape, direction)
   local s, taps = p.numbers, p.plan.taps
   return assembler.possible() and p.plan.direct == 0 and shape.planes * shape.outputs * taps <= WEIGHTS
      and is_short(k, s) and is_faster(k, s, shape, taps, direction) and structs[k] ~= false
end

-- Lists of a plan, cached with it: for a direction and a number of planes, and with `to_step` for sums.
local function lists(k, p, direction, inputs, to_step, own)
   local name = to_step and 'sums' or direction
   local known = p[name]
   if not known or known.inputs ~= inputs or known.size ~= k.SIZE or known.to_step ~= to_step then
      known = direct_plan[direction](p.numbers, inputs, k.SIZE, to_step, own)
      known.inputs, known.size, known.to_step = inputs, k.SIZE, to_step
      p[name] = known
   end
   return known.plan
end

-- Nanoseconds per multiplication of columns with separate kernels, per row and per plane of a copy, and per weight that
-- is laid out.
local OWN, ROW, UNIT, LAID = 0.1, 5, 100, 1

-- With few images, blocks of result planes keep all cores busy.
local UNITS = 4

local function convolve(g, work)
   local units = g.images * g.groups
   g.what, g.own, g.parts = CONVOLVE, 0, min(max(ceil(UNITS / units), 1), ceil(g.outputs / g.block))
   run_parts(units * g.parts, 1, work, g)
end

-- Nanoseconds for all products and for the copies of planes.
local function work_of(g, p, shape)
   local units = g.images * g.groups
   return units * (shape.planes * shape.outputs * p.plan.taps * p.plan.out * THERE + g.plan.rows * ROW + UNIT)
end

-- Fills in the struct for a call from the image to the map, or back.
local function set(k, p, shape, image, map, name, to_step)
   local g, area, out = structs[k], shape.planes * p.plan.area, shape.outputs * p.plan.out
   g.groups, g.images = shape.groups, shape.images
   if name == 'spread' then
      g.plan = lists(k, p, name, shape.outputs)
      g.from_group, g.to_group, g.from, g.to = out, area, cast(byte_p, k.ptr(map)), cast(byte_p, k.ptr(image))
   else
      g.plan = lists(k, p, name, shape.planes, to_step)
      g.from_group, g.to_group, g.from, g.to = area, out, cast(byte_p, k.ptr(image)), cast(byte_p, k.ptr(map))
   end
   g.from_step, g.to_step = g.groups * g.from_group, g.groups * g.to_group
   return g, shape.planes * p.plan.taps
end

-- map = weight * image + bias. All tensors are contiguous and have the sizes given by `shape` and the plan.
function direct_engine.correlate(k, p, shape, image, weight, bias, map)
   local g, inner = set(k, p, shape, image, map, 'correlate')
   set_blocks(k, g, shape.outputs)
   g.weight_row, g.weight_block, g.weight_group = g.groups * inner, g.block * g.groups * inner, inner
   g.bias_step, g.bias_group = g.groups, 1
   g.weight, g.bias = cast(byte_p, k.ptr(weight)), bias and cast(byte_p, k.ptr(bias)) or null
   convolve(g, work_of(g, p, shape))
   k.alive(image, weight, bias, map, p)
end

local laid_of = {}

-- image = the transposed convolution of the map with weight, + bias.
function direct_engine.spread(k, p, shape, map, weight, bias, image)
   local g, inner = set(k, p, shape, image, map, 'spread')
   set_blocks(k, g, shape.planes)
   local blocks = ceil(shape.planes / g.block)
   local n = g.plan.weights * MOST
   local laid = k.sized(laid_of[k], g.groups * blocks * n)
   laid_of[k] = laid
   g.what, g.laid, g.weight = LAY_OUT, cast(byte_p, k.ptr(weight)), cast(byte_p, k.ptr(laid))
   g.taps, g.source_row, g.source_group = p.plan.taps, g.groups * inner, inner
   run_parts(g.groups * blocks, 1, g.groups * blocks * n * LAID, g)
   g.weight_row, g.weight_block, g.weight_group = 1, n, blocks * n
   g.bias_step, g.bias_group, g.bias = 1, shape.planes, bias and cast(byte_p, k.ptr(bias)) or null
   convolve(g, work_of(g, p, shape))
   k.alive(image, weight, bias, map, laid, p)
end

-- weight += scale * map image'.
function direct_engine.weigh(k, p, shape, image, map, weight, scale)
   local g, inner = set(k, p, shape, image, map, 'correlate', shape.groups * shape.outputs * p.plan.out)
   g.what, g.outputs, g.scale = WEIGH, shape.outputs, scale
   g.weight_row, g.weight_group, g.weight = g.groups * inner, inner, cast(byte_p, k.ptr(weight))
   for m = 1, min(MOST_DOTS, g.outputs) do g.dots[m - 1] = direct_code.dots(k.T.base or k.T, m) end
   local units = g.groups * ceil(g.outputs / MOST_DOTS)
   -- Each chunk copies the images separately.
   run_parts(units, g.groups > 1 and 1 or ceil(units / UNITS), work_of(g, p, shape), g)
   k.alive(image, map, weight, p)
end

-- Tells whether convolutions of columns run here, for the numbers of unfold_plan.lua.
function direct_engine.has_columns(k, numbers)
   return assembler.possible() and is_short(k, numbers) and structs[k] ~= false
end

local columns_of = {}
local copy_t = ffi.typeof 'void (*)(int *, void *, int *, void *, int *)'
local n_, step, one = ffi.new 'int[1]', ffi.new 'int[1]', ffi.new('int[1]', 1)

-- Kernels with the columns of a tap next to each other, followed by the biases.
local function set_columns(k, g, width, kernel, weight, bias)
   local room = k.sized(columns_of[k], (kernel + 1) * width + VECTOR / k.SIZE)
   columns_of[k] = room
   local to, from = k.ptr(room), k.ptr(weight)
   n_[0], step[0] = width, kernel
   for i = 0, kernel - 1 do cast(copy_t, g.copy)(n_, from + i, step, to + i * width, one) end
   if bias then k.copy(to + kernel * width, k.ptr(bias), width * k.SIZE)
   else k.fill(to + kernel * width, width * k.SIZE) end
   g.weight, g.bias = cast(byte_p, to), cast(byte_p, to + kernel * width)
   return room
end

local function convolve_columns(k, p, name, images, kernel, width, from, weight, bias, to)
   local g, T = structs[k], k.T.base or k.T
   g.plan = lists(k, p, name, 1, nil, true)
   g.own, g.own_tile, g.what, g.parts, g.block = 1, direct_code.own(T), CONVOLVE, 1, 1
   g.outputs, g.groups, g.images = 1, 1, images
   g.from_step, g.to_step, g.weight_row, g.weight_block = g.plan.source_area, g.plan.to_area, 0, 0
   local room = set_columns(k, g, width, kernel, weight, bias)
   g.from, g.to = cast(byte_p, k.ptr(from)), cast(byte_p, k.ptr(to))
   run_parts(images, 1, images * g.plan.to_area * (kernel + 2) * OWN, g)
   k.alive(from, to, room, p)
end

-- Maps from images whose rows run along the kernel and whose columns have separate kernels of `kernel` weights.
function direct_engine.correlate_columns(k, p, images, kernel, image, weight, bias, map)
   convolve_columns(k, p, 'correlate', images, kernel, p.numbers[3], image, weight, bias, map)
end

function direct_engine.spread_columns(k, p, images, kernel, map, weight, image)
   convolve_columns(k, p, 'spread', images, kernel, p.numbers[3], map, weight, nil, image)
end

function direct_engine.weigh_columns(k, p, images, kernel, image, map, weight, scale)
   local g, width = structs[k], p.numbers[3]
   g.plan = lists(k, p, 'columns', 1)
   g.own_tile, g.what, g.images, g.outputs, g.weight_row = direct_code.own(k.T.base or k.T), WEIGH_COLUMNS, images,
      kernel, width
   g.scale = scale
   g.from, g.to, g.weight = cast(byte_p, k.ptr(image)), cast(byte_p, k.ptr(map)), cast(byte_p, k.ptr(weight))
   run_parts(g.plan.counts[0], 2, images * g.plan.to_area * (kernel + 2) * OWN, g)
   k.alive(image, map, weight, p)
end

return direct_engine
