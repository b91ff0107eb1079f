-- Convolutions by products on unfolded columns, and between single planes without columns: the struct of a call, and
-- the division of its work.

local ceil, max, min = math.ceil, math.max, math.min
local ffi, lazy_table = require 'ffi', require 'torch.jit.lazy_table'
local kernels, native = require 'torch.native.kernels', require 'torch.native.native'
local parallel_for, convolution_chunks = require 'torch.parallel.parallel_for', require 'nn.kernels.convolution_chunks'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local byte_p, null = ffi.typeof 'char *', ffi.cast('char *', 0)

local column_engine = {}

local CORRELATE, SPREAD, WEIGH, UNFOLD, FOLD, CORRELATE_PART, SPREAD_PART, WEIGH_PART, SUM_PLANES, CORRELATE_ROWS,
   CORRELATE_AND_WEIGH, CORRELATE_PLANES, SPREAD_PLANES, WEIGH_PLANES = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13

local run_parts = parallel_for.kind('nn.kernels.convolution_chunks', 'run')

local UNIT

-- The struct of a type, its column memory, and its kernels.
local calls = lazy_table(function(k)
   local g = ffi.new 't7_nn_convolution'
   g.gemm = cast('void *', kernels 'linalg/gemm' ['t7_gemm_' .. k.T.name])
   g.copy = native.routine('blas', k.T, 'copy')
   g.axpy, g.dot = native.routine('blas', k.T, 'axpy'), native.routine('blas', k.T, 'dot')
   g.add, g.add_data = native.raw_loop('add', k.T, k.T, k.T)
   g.type = k.T.index
   local call = { g = g, kernels = convolution_chunks.kernels(g.type), sums = k.new(1) }
   UNIT = call.kernels.UNIT
   return call
end)

-- A product of few columns is widened by more images of the batch. More than SOME elements of columns do not fit the L2
-- cache; BLAS copies weights that exceed it for each block, and then up to MOST elements pay off.
local COLUMNS, WEIGHTS, SOME, MOST = 512, 2 ^ 17, 2 ^ 17, 2 ^ 20

local function block_of(p, images, inner, outputs)
   local out = p.plan.out
   if out >= COLUMNS or images == 1 then return 1 end
   local most = inner * outputs > WEIGHTS and MOST or SOME
   local wanted = max(min(ceil(COLUMNS / out), most / (inner * out)), 1)
   local blocks = ceil(images / wanted)
   -- An even number of blocks, so that two cores share them evenly.
   if blocks % 2 == 1 and images > blocks then blocks = blocks + 1 end
   return ceil(images / blocks)
end

-- Fills in the struct for one call and returns it.
local function set(call, what, p, shape, x, y, k)
   local g, q = call.g, p.plan
   local planes, outputs, groups = shape.planes, shape.outputs, shape.groups
   local inner = planes * q.taps
   g.plan, g.what = q, what
   g.planes, g.outputs, g.groups, g.images = planes, outputs, groups, shape.images
   g.block = block_of(p, shape.images, inner, outputs)
   g.image_group, g.map_group = planes * q.area, outputs * q.out
   g.image_step, g.map_step = groups * g.image_group, groups * g.map_group
   g.weight_row, g.weight_group = groups * inner, inner
   g.bias_step, g.bias_group = groups, 1
   g.scale, g.weight_part, g.sums = 1, 0, 0
   g.image, g.map, g.bias = cast(byte_p, k.ptr(x)), cast(byte_p, k.ptr(y)), null
   g.blocks = ceil(g.images / g.block)
   return g
end

-- Nanoseconds per multiplication, and per element of columns.
local MULTIPLY, MOVE = 0.03, 0.3

local function work_of(g)
   local columns = g.images * g.groups * g.planes * g.plan.taps * g.plan.out
   return columns * (g.outputs * MULTIPLY + MOVE)
end

-- Nanoseconds of work from which a single image is divided.
local ALONE = 30000

local columns_of = {}

-- Tells whether a call is one image that is worth dividing; the chunks share its columns.
local function is_one(g, work) return g.images == 1 and g.groups == 1 and work >= ALONE end

-- Tells whether the columns of all images are smaller than the weights: partial sums would then take more memory.
local function is_few(g, work) return g.groups == 1 and g.images * g.plan.out < g.outputs and work >= ALONE end

-- Sets the columns that chunks share: the image itself, or scratch.
local function set_columns(k, g)
   if g.plan.direct == 1 and g.images == 1 then
      g.columns = g.image
      return nil
   end
   local columns = k.sized(columns_of[k], g.planes * g.plan.taps * g.plan.out * g.images)
   columns_of[k] = columns
   g.columns = cast(byte_p, k.ptr(columns))
   return columns
end

-- Runs a step on one image of `count` elements, at least `least` of them per chunk.
local function step(g, what, count, work, least)
   g.what = what
   run_parts(ceil(count / UNIT), ceil(least / UNIT), work, g)
end

-- Fewest columns, or maps, per chunk of a product: BLAS packs the other operand again for each.
local NARROW = 96

-- Unfolds planes to columns, or folds them back.
local function move(g, what, work)
   g.what = what
   run_parts(g.planes, 1, work, g)
end

-- Most maps per plane of the image for which sums of runs beat a product, whose columns serve all maps.
local FEW = 4

-- Tells whether planes of the image are processed one by one.
local function by_planes(g) return g.planes == 1 and g.outputs <= FEW end

-- A convolution in either direction: one_image(g, p, work, bias, columns) divides the work of a single image.
local function convolve(k, p, shape, image, weight, bias, map, what, by_plane, one_image)
   local g = set(calls[k], what, p, shape, image, map, k)
   g.weight = cast(byte_p, k.ptr(weight))
   if bias then g.bias = cast(byte_p, k.ptr(bias)) end
   local work, columns = work_of(g), nil
   if by_planes(g) then
      g.what = by_plane
      run_parts(g.images * g.groups, 1, work, g)
   elseif is_one(g, work) then
      columns = set_columns(k, g)
      one_image(g, p, work, bias, columns)
   else
      run_parts(g.blocks, 1, work, g)
   end
   k.alive(image, weight, bias, map, columns)
end

local function move_work(g) return g.planes * g.plan.taps * g.plan.out * MOVE end

local function correlate_one(g, p, work, _, columns)
   if columns then move(g, UNFOLD, move_work(g)) end
   if p.plan.out >= 2 * NARROW then
      step(g, CORRELATE_PART, p.plan.out, work, NARROW)
   else
      step(g, CORRELATE_ROWS, g.outputs, work, NARROW)
   end
end

local function spread_one(g, p, work, bias, columns)
   step(g, SPREAD_PART, g.planes * p.plan.taps, work, 1)
   if columns or bias then move(g, FOLD, move_work(g)) end
end

-- map = weight * image + bias.
function column_engine.correlate(k, p, shape, image, weight, bias, map)
   convolve(k, p, shape, image, weight, bias, map, CORRELATE, CORRELATE_PLANES, correlate_one)
end

-- image = the transposed convolution of the map with weight, + bias.
function column_engine.spread(k, p, shape, map, weight, bias, image)
   convolve(k, p, shape, image, weight, bias, map, SPREAD, SPREAD_PLANES, spread_one)
end

-- Nanoseconds of work from which sums are computed in two halves of the blocks, and in four quarters.
local HALVES, QUARTERS, PARTS = 60000, 500000, 4

-- Runs the blocks of a call that accumulates into weights.
local function add_sums(k, call, g, weight)
   local n, work = g.outputs * g.weight_row, work_of(g)
   local some = work < HALVES and 1 or work < QUARTERS and 2 or PARTS
   g.sums = min(some, g.blocks)
   g.turned = 0
   if g.sums == 1 then
      g.weight = cast(byte_p, k.ptr(weight))
      return run_parts(1, 1, work, g)
   end
   local sums = k.sized(call.sums, g.sums * n)
   fill(k.ptr(sums), g.sums * n * k.SIZE)
   g.weight, g.weight_part = cast(byte_p, k.ptr(sums)), n
   if g.groups == 1 and g.weight_row > g.outputs then g.turned = 1 end
   run_parts(g.sums, 1, work, g)
   local first, to = k.ptr(sums), k.ptr(weight)
   if g.turned == 0 then
      for part = 0, g.sums - 1 do k.axpy(n, 1, first + part * n, to) end
   else
      for part = 1, g.sums - 1 do k.axpy(n, 1, first + part * n, first) end
      local add, row, outputs, SIZE = k.loop('add', k.T, k.T), g.weight_row, g.outputs, k.SIZE
      for o = 0, outputs - 1 do
         local z = to + o * row
         add(first + o, outputs * SIZE, z, SIZE, z, SIZE, row)
      end
   end
   k.alive(sums)
end

-- weight += scale * map image'.
function column_engine.weigh(k, p, shape, image, map, weight, scale)
   local call = calls[k]
   local g = set(call, WEIGH, p, shape, image, map, k)
   g.scale = scale
   local work, columns, maps = work_of(g), nil, nil
   if by_planes(g) then
      g.what, g.weight = WEIGH_PLANES, cast(byte_p, k.ptr(weight))
      run_parts(g.groups, 1, work, g)
   elseif is_one(g, work) or is_few(g, work) then
      g.weight = cast(byte_p, k.ptr(weight))
      columns = set_columns(k, g)
      if columns then move(g, UNFOLD, g.images * move_work(g)) end
      if g.images > 1 then
         maps = k.sized(call.maps, g.outputs * g.images * p.plan.out)
         call.maps = maps
         g.map = cast(byte_p, call.kernels.gather(g, p.plan, k.ptr(map), g.images, k.ptr(maps)))
      end
      step(g, WEIGH_PART, g.planes * p.plan.taps, work, 1)
   else
      add_sums(k, call, g, weight)
   end
   k.alive(image, map, weight, columns, maps)
end

-- map = weight * image, and sums += scale * other image', for one group. Each image is unfolded once for both. Returns
-- false, and computes nothing, if separate calls are faster.
function column_engine.correlate_and_weigh(k, p, shape, image, weight, map, other, sums, scale)
   local call = calls[k]
   local g = set(call, CORRELATE_AND_WEIGH, p, shape, image, map, k)
   local work = work_of(g)
   if is_one(g, work) or is_few(g, work) or parallel_for.threads() > PARTS then return false end
   g.scale, g.kernels, g.others = scale, cast(byte_p, k.ptr(weight)), cast(byte_p, k.ptr(other))
   add_sums(k, call, g, sums)
   k.alive(image, weight, map, other, sums)
   return true
end

-- bias += scale * the sums of the planes of y over all images. Planes count `outputs` per group; biases count the
-- groups per output.
function column_engine.sum_planes(k, images, outputs, groups, area, scale, y, bias)
   local g, planes = calls[k].g, outputs * groups
   g.what, g.images, g.planes, g.outputs, g.groups, g.image_step = SUM_PLANES, images, planes, outputs, groups, area
   g.scale, g.map, g.bias = scale, cast(byte_p, k.ptr(y)), cast(byte_p, k.ptr(bias))
   run_parts(planes, 1, planes * images * (30 + area * 0.1), g)
   k.alive(y, bias)
end

local strips_of = {}

-- Scratch for strips, filled with zeros.
local function clear_strips(k, p, planes)
   local strips = k.sized(strips_of[k], planes * p.plan.strip)
   strips_of[k] = strips
   fill(k.ptr(strips), planes * p.plan.strip * k.SIZE)
   return strips
end

-- Fills in the struct for image s of a tensor with `planes` planes.
local function one_image(call, p, planes)
   local g = call.g
   g.plan, g.planes, g.image_step = p.plan, planes, planes * p.plan.area
   return g, p.plan
end

-- Unfolds image s into columns.
function column_engine.unfold(k, p, planes, image, s, columns)
   local call, strips = calls[k], clear_strips(k, p, planes)
   local g, q = one_image(call, p, planes)
   local to = k.ptr(columns)
   local from = call.kernels.unfold(g, q, k.ptr(image) + s * g.image_step, 1, k.ptr(strips), to)
   if from ~= to then copy(to, from, planes * q.taps * q.out * k.SIZE) end
   k.alive(image, columns, strips)
end

-- Folds columns back into image s.
function column_engine.fold(k, p, planes, columns, s, image)
   local call, strips = calls[k], clear_strips(k, p, planes)
   local g, q = one_image(call, p, planes)
   call.kernels.fold(g, q, k.ptr(columns), 1, k.ptr(strips), k.ptr(image) + s * g.image_step)
   k.alive(image, columns, strips)
end

column_engine.calls = calls

return column_engine
