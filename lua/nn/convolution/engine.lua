-- Convolutions of 1, 2 and 3 dimensions between images and maps: the struct of a call, plans that are kept between
-- calls, and how the work is divided. The image is the side that is unfolded: the input of a convolution, the output
-- of a transposed one.

local ceil, floor, max, min, setmetatable = math.ceil, math.floor, math.max, math.min, setmetatable
local ffi = require 'ffi'
local native = require 'torch.core.native'
local kernel, plan = require 'nn.kernel', require 'nn.convolution.plan'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local byte_p, null = ffi.typeof 'char *', ffi.cast('char *', 0)

ffi.cdef [[
typedef struct {
   t7_nn_plan *plan;
   char *image, *map, *weight, *bias, *scratch;
   void *gemm, *add, *add_data, *copy;
   double scale, planes, outputs, images, block, groups;
   double image_step, map_step, image_group, map_group, weight_group, bias_group, bias_step;
   double weight_row, weight_part, scratch_part;
   int32_t type, what;
} t7_nn_convolution;
]]

local engine = {}

local CORRELATE, SPREAD, WEIGH = 0, 1, 2

local kernels_of = kernel.load 'convolution/kernels'

local calls = {}

-- The struct of a type, its memory for columns, and its kernels.
local function call_of(k)
   local call = calls[k]
   if not call then
      local g, letter = ffi.new 't7_nn_convolution', k.c == 'double' and 'd' or 's'
      g.gemm = native.routine('blas', letter .. 'gemm', 'void *')
      g.copy = native.routine('blas', letter .. 'copy', 'void *')
      g.add, g.add_data = native.raw_loop('add', k.T, k.T, k.T)
      g.type = k.T.index
      local kernels = kernels_of(k)
      call = { g = g, kernels = kernels, run = kernels.run, scratch = k.new(1), sums = k.new(1) }
      calls[k] = call
   end
   return call
end

-- Plans by module; nothing of them is saved or cloned.
local plans = setmetatable({}, { __mode = 'k' })

-- Whether a plan is for the sizes in a list of 18 numbers.
local function fits(p, numbers)
   local known = p.numbers
   for i = 1, 18 do
      if known[i] ~= numbers[i] then return false end
   end
   return true
end

-- The plan of a module for numbers: t, h, w of the image, the kernel, stride, padding, dilation and the map.
function engine.plan(module, numbers)
   local p = plans[module]
   if not p or not fits(p, numbers) then
      p = plan.new(numbers)
      plans[module] = p
   end
   return p
end

-- A product of few columns is made larger by more images of the batch; columns of more elements leave the cache.
local COLUMNS, MOST = 512, 2 ^ 17

local function block_of(p, images, inner)
   local out = p.plan.out
   if out >= COLUMNS or images == 1 then return 1 end
   local wanted = max(min(ceil(COLUMNS / out), MOST / (inner * out)), 1)
   local blocks = ceil(images / wanted)
   -- An even number of blocks, for two cores.
   if blocks % 2 == 1 and images > blocks then blocks = blocks + 1 end
   return ceil(images / blocks)
end

-- Sets the struct for one call; returns the number of blocks.
local function set(call, what, p, shape, x, y, k)
   local g, q = call.g, p.plan
   local planes, outputs, groups = shape.planes, shape.outputs, shape.groups
   local inner = planes * q.taps
   g.plan, g.what = q, what
   g.planes, g.outputs, g.groups, g.images = planes, outputs, groups, shape.images
   g.block = block_of(p, shape.images, inner)
   g.image_group, g.map_group = planes * q.area, outputs * q.out
   g.image_step, g.map_step = groups * g.image_group, groups * g.map_group
   g.weight_row, g.weight_group = groups * inner, inner
   g.bias_step, g.bias_group = groups, 1
   g.scale, g.weight_part = 1, 0
   g.image, g.map, g.bias = cast(byte_p, k.ptr(x)), cast(byte_p, k.ptr(y)), null
   g.scratch_part = planes * q.strip + (inner + outputs) * q.out * g.block
   return ceil(g.images / g.block)
end

-- Runs a call over all blocks.
local function run(call, k, blocks, parts)
   local scratch = k.sized(call.scratch, parts * call.g.scratch_part)
   call.g.scratch = cast(byte_p, k.ptr(scratch))
   for part = 0, parts - 1 do
      call.run(call.g, part, ceil(part * blocks / parts), ceil((part + 1) * blocks / parts))
   end
   k.alive(scratch)
end

-- map = weight * image + bias. All tensors are contiguous and of the sizes that `shape` and the plan tell.
function engine.correlate(k, p, shape, image, weight, bias, map)
   local call = call_of(k)
   local blocks = set(call, CORRELATE, p, shape, image, map, k)
   call.g.weight = cast(byte_p, k.ptr(weight))
   if bias then call.g.bias = cast(byte_p, k.ptr(bias)) end
   run(call, k, blocks, 1)
   k.alive(image, weight, bias, map)
end

-- image = what the map contributes to through weight, + bias.
function engine.spread(k, p, shape, map, weight, bias, image)
   local call = call_of(k)
   local blocks = set(call, SPREAD, p, shape, image, map, k)
   call.g.weight = cast(byte_p, k.ptr(weight))
   if bias then call.g.bias = cast(byte_p, k.ptr(bias)) end
   run(call, k, blocks, 1)
   k.alive(image, weight, bias, map)
end

-- From so many multiplications on the sums are made in two parts, each of half of the blocks.
local DIVIDED = 2 ^ 18

-- weight += scale * map image'.
function engine.weigh(k, p, shape, image, map, weight, scale)
   local call = call_of(k)
   local g = call.g
   local blocks = set(call, WEIGH, p, shape, image, map, k)
   g.scale = scale
   local n = g.outputs * g.weight_row
   local parts = blocks > 1 and n * g.images * p.plan.out >= DIVIDED and 2 or 1
   local sums
   if parts == 1 then
      g.weight = cast(byte_p, k.ptr(weight))
   else
      sums = k.sized(call.sums, parts * n)
      fill(k.ptr(sums), parts * n * k.SIZE)
      g.weight, g.weight_part = cast(byte_p, k.ptr(sums)), n
   end
   run(call, k, blocks, parts)
   if sums then
      for part = 0, parts - 1 do k.axpy(n, 1, k.ptr(sums) + part * n, k.ptr(weight)) end
   end
   k.alive(image, map, weight, sums)
end

local add_of, sum_of = {}, {}

-- bias += scale * the sums of the planes of y over all images. Planes count `outputs` to a group, biases the groups to
-- an output.
function engine.sum_planes(k, images, outputs, groups, area, scale, y, bias)
   local add = add_of[k]
   if not add then
      add, sum_of[k] = k.loop('add', k.T, k.T), k.buffer(1)
      add_of[k] = add
   end
   local SIZE, from, to, sum = k.SIZE, k.ptr(y), k.ptr(bias), sum_of[k]
   local planes = outputs * groups
   for o = 0, planes - 1 do
      sum[0] = 0
      for s = 0, images - 1 do add(sum, 0, from + (s * planes + o) * area, SIZE, sum, 0, area) end
      local at = o % outputs * groups + floor(o / outputs)
      to[at] = to[at] + scale * sum[0]
   end
   k.alive(y, bias)
end

local strips_of = {}

-- Memory for strips, which are zero.
local function clear_strips(k, p, planes)
   local strips = k.sized(strips_of[k], planes * p.plan.strip)
   strips_of[k] = strips
   fill(k.ptr(strips), planes * p.plan.strip * k.SIZE)
   return strips
end

-- Sets the struct for image s of a tensor, with `planes` planes.
local function one_image(call, p, planes)
   local g = call.g
   g.plan, g.planes, g.image_step = p.plan, planes, planes * p.plan.area
   return g, p.plan
end

-- The columns of image s.
function engine.unfold(k, p, planes, image, s, columns)
   local call, strips = call_of(k), clear_strips(k, p, planes)
   local g, q = one_image(call, p, planes)
   local to = k.ptr(columns)
   local from = call.kernels.unfold(g, q, k.ptr(image) + s * g.image_step, 1, k.ptr(strips), to)
   if from ~= to then copy(to, from, planes * q.taps * q.out * k.SIZE) end
   k.alive(image, columns, strips)
end

-- Image s from its columns.
function engine.fold(k, p, planes, columns, s, image)
   local call, strips = call_of(k), clear_strips(k, p, planes)
   local g, q = one_image(call, p, planes)
   call.kernels.fold(g, q, k.ptr(columns), 1, k.ptr(strips), k.ptr(image) + s * g.image_step)
   k.alive(image, columns, strips)
end

require 'nn.convolution.sparse'(engine, call_of)

return engine
