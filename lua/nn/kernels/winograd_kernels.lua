-- Convolutions with square kernels of 3 to 5 elements a side and stride 1 by Winograd's algorithm. A tile of outputs
-- depends on 6 x 6 inputs: it has 4 x 4 outputs for kernels of 3 x 3, and 2 x 2 for 5 x 5. Along each side inputs and
-- kernel are polynomials, which are multiplied by their values at 6 points: 36 products of matrices instead of 144 or
-- 100. The points 0, 3/4, -3/4, 3/2, -3/2 and infinity have smaller rounding errors than whole numbers. For one element
-- type, in the main state and in workers; winograd_chunks.lua has the struct, winograd_programs.lua the transforms
-- along a side.
--
-- A block is some rows of tiles of all planes. Its values are ordered by point, plane, row of tiles, and tile. They are
-- computed for the planes of a run at a time: along the columns, then along the rows, whose elements are first gathered
-- from all tiles.

return function(T, gemm, slices, tiles)

local floor, max = math.floor, math.max
local ffi = require 'ffi'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local SIZE, p_t, byte_p = T.size, T.pointer_ct, ffi.typeof 'char *'
local loop_type = require 'torch.native.loop_type'
local strided, split, merge, gather, scatter = tiles.strided, tiles.split, tiles.merge, tiles.gather, tiles.scatter
local memory = require 'nn.kernels.kernel_scratch'(T)
local vector_masks, winograd_programs = require 'torch.native.vector_masks', require 'nn.kernels.winograd_programs'
require 'nn.kernels.winograd_code'

-- Points along a side.
local POINTS = 6
local ALL = POINTS * POINTS

-- Tiles per call of NumPy's loops: their values stay in the L2 cache.
local RUN = 1024

local args, count, steps = ffi.new 'char *[3]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[3]'
-- The constants of the programs, each in memory.
local constants = {}
for name, value in pairs(winograd_programs.constants) do constants[name] = ffi.new(T.c .. '[1]', value) end

-- z = x op y for `n` elements; y_step is 0 for a single number.
local function run(fn, data, x, y, y_step, z, n)
   args[0], args[1], args[2], count[0] = cast(byte_p, x), cast(byte_p, y), cast(byte_p, z), n
   steps[0], steps[1], steps[2] = SIZE, y_step, SIZE
   fn(args, count, steps, data)
end

local VECTOR = 32
local LANES, masks, null = VECTOR / SIZE, vector_masks(SIZE), cast(byte_p, 0)
local s, code_t = ffi.new 't7_nn_steps', ffi.typeof 'void (*)(t7_nn_steps *)'

-- Runs a program by NumPy's loops, step by step.
local function interpret(g, program, x, size, v, point, free, n)
   local function row(name)
      local i = tonumber(name:sub(2))
      return name == 'f' and free or name:find '^x' and x + i * size or v + i * point
   end
   for _, step in ipairs(program) do
      local operation, z, first, second = step[1], row(step[2]), row(step[3]), step[4]
      if operation == 'copy' then
         copy(z, first, n * SIZE)
      else
         local number = constants[second]
         local fn, data = cast(loop_type, g[operation]), g[operation .. '_data']
         run(fn, data, first, number or row(second), number and 0 or SIZE, z, n)
      end
   end
end

-- Runs a program of winograd_programs.lua on rows of n elements from x on, `size` elements apart, which it may
-- overwrite; result rows start at v, `point` apart. `free` is a scratch row.
local function apply(g, code, program, x, size, v, point, free, n)
   if code ~= nil then
      local rest = n % LANES
      s.from, s.to, s.count = cast(byte_p, x), cast(byte_p, v), (n - rest) / LANES
      s.from_step, s.from_step3, s.from_step5 = size * SIZE, 3 * size * SIZE, 5 * size * SIZE
      s.to_step, s.to_step3, s.to_step5 = point * SIZE, 3 * point * SIZE, 5 * point * SIZE
      s.mask = rest > 0 and masks + rest * VECTOR or null
      cast(code_t, code)(s)
   else
      interpret(g, program, x, size, v, point, free, n)
   end
end

local function input_values(g, x, size, v, point, n)
   apply(g, g.input, winograd_programs.input, x, size, v, point, nil, n)
end

local function gradient_values(g, x, size, v, point, n)
   apply(g, g.gradients[g.tile], winograd_programs.gradient[g.tile], x, size, v, point, nil, n)
end

-- The outputs of a side, which overwrite their values.
local function outputs_of(g, m, point, free, n)
   apply(g, g.results[g.tile], winograd_programs.output[g.tile], m, point, m, point, free, n)
end

-- Planes per run, of `n` tiles each; scratch elements per run.
local function planes_of_run(n) return n < RUN and floor(RUN / n) or 1 end
local function room_of_run(g, n, rows)
   local tile = g.tile
   return (2 * POINTS * (tile * n + (POINTS - tile) * rows) + (ALL + 4) * n) * planes_of_run(n)
end

-- Values of planes `from` to `to` - 1 of the input in rows of tiles `first` to `last` - 1.
local function transform_inputs(g, from, to, first, last, values, room)
   local rows, wide, tile, x = last - first, g.wide, g.tile, cast(p_t, g.from)
   local behind = POINTS - tile
   local n = rows * wide
   local each, point, before = planes_of_run(n), g.planes * n, 0
   for c = from, to - 1, each do
      local planes = to - c < each and to - c or each
      local t = planes * n
      local size = t * tile + planes * rows * behind
      local middle, parts = room + POINTS * size, room + 2 * POINTS * size
      if planes ~= before then
         fill(room, POINTS * size * SIZE)
         before = planes
      end
      for j = 0, POINTS - 1 do
         local z = room + j * size
         gather(g, x, g.planes, g.depth, g.h, g.w, j - g.pad_h, g.pad_w, first, last, c, planes, z, z + t * tile,
            behind)
      end
      input_values(g, room, size, middle, size, size)
      for i = 0, POINTS - 1 do
         local row, h = middle + i * size, parts + i * POINTS * t
         split(g, row, h, room + (2 * POINTS * size + ALL * t), t)
         -- The last elements of a tile are the first ones of the next.
         for j = 0, behind - 1 do
            local z = h + (tile + j) * t
            copy(z, h + (j * t + 1), (t - 1) * SIZE)
            strided(g, row + (t * tile + j), behind, z + (wide - 1), wide, planes * rows)
         end
         input_values(g, h, t, values + (i * POINTS * point + c * n), point, t)
      end
   end
end

-- Values of planes `from` to `to` - 1 of gradients of the output.
local function transform_gradients(g, from, to, first, last, values, room)
   local rows, tile, y = last - first, g.tile, cast(p_t, g.to)
   local n = rows * g.wide
   local each, point, before = planes_of_run(n), g.outputs * n, 0
   for o = from, to - 1, each do
      local planes = to - o < each and to - o or each
      local t = planes * n
      local size = t * tile
      local middle, parts = room + tile * size, room + (tile + POINTS) * size
      if planes ~= before then
         fill(room, tile * size * SIZE)
         before = planes
      end
      for j = 0, tile - 1 do
         gather(g, y, g.outputs, g.out_depth, g.out_h, g.out_w, j, 0, first, last, o, planes, room + j * size,
            room, 0)
      end
      gradient_values(g, room, size, middle, size, size)
      for i = 0, POINTS - 1 do
         split(g, middle + i * size, parts, parts + size, t)
         gradient_values(g, parts, t, values + (i * POINTS * point + o * n), point, t)
      end
   end
end

-- Planes `from` to `to` - 1 of the output from their values.
local function write_outputs(g, from, to, first, last, maps, room)
   local rows, tile, z = last - first, g.tile, cast(p_t, g.to)
   local row_of = winograd_programs.output_rows[tile]
   local n = rows * g.wide
   local each, point = planes_of_run(n), g.outputs * n
   local bias = g.bias ~= nil and cast(p_t, g.bias) or nil
   for o = from, to - 1, each do
      local planes = to - o < each and to - o or each
      local t = planes * n
      local m, size, free = maps + o * n, t * tile, room + tile * tile * t
      for j = 0, POINTS - 1 do outputs_of(g, m + j * point, POINTS * point, free, t) end
      for i = 0, tile - 1 do
         local row = m + row_of[i] * POINTS * point
         outputs_of(g, row, point, free, t)
         merge(g, row, row_of, point, room + i * size, free + t, t)
      end
      for i = 0, tile - 1 do
         local row = room + i * size
         if bias then
            for q = 0, planes - 1 do
               local y = row + q * n * tile
               run(cast(loop_type, g.add), g.add_data, y, bias + (o + q), 0, y, n * tile)
            end
         end
         scatter(g, row, g.all, g.out_depth, g.out_h, g.out_w, i, first, last, o, planes, z)
      end
   end
end

-- The products at points `from` to `to` - 1 for `n` tiles.
local function multiply(g, from, to, n, values, maps)
   local fn, planes, outputs, spread = g.gemm, g.planes, g.outputs, g.spread == 1
   local weights, pitch = cast(p_t, g.transformed), spread and outputs or planes
   for i = from, to - 1 do
      gemm(fn, spread, false, outputs, n, planes, 1, weights + i * planes * outputs, pitch,
         values + i * planes * n, n, 0, maps + i * outputs * n, n)
   end
end

local winograd_kernels = {}

-- Blocks of rows of tiles.
local function correlate(g, from, to)
   local most = floor(g.rows / g.blocks) + 1
   local inputs, maps = ALL * g.planes * most * g.wide, ALL * g.outputs * most * g.wide
   local room = 0
   for rows = most - 1, most do
      local wanted = room_of_run(g, rows * g.wide, rows)
      if wanted > room then room = wanted end
   end
   local values = memory(inputs + maps + room)
   maps, room = values + inputs, values + (inputs + maps)
   for b = from, to - 1 do
      local first, last = floor(b * g.rows / g.blocks), floor((b + 1) * g.rows / g.blocks)
      transform_inputs(g, 0, g.planes, first, last, values, room)
      multiply(g, 0, ALL, (last - first) * g.wide, values, maps)
      write_outputs(g, 0, g.outputs, first, last, maps, room)
   end
end

-- The steps of a block whose values all chunks share: products at some points, and some output planes.
local function multiply_part(g, from, to)
   multiply(g, from, to, (g.last - g.first) * g.wide, cast(p_t, g.inputs), cast(p_t, g.maps))
end

local function write_part(g, from, to)
   local rows = g.to_last - g.to_first
   write_outputs(g, from, to, g.to_first, g.to_last, cast(p_t, g.maps), memory(room_of_run(g, rows * g.wide, rows)))
end

-- Transforms some rows of weights: a product with the ALL x taps matrix for each slice of the kernel.
local function transform_weights(g, from, to)
   local each, taps, deep = g.spread == 1 and g.outputs or g.planes, g.taps, g.deep
   for a = 0, deep - 1 do
      gemm(g.gemm, false, true, ALL, (to - from) * each, taps, 1, cast(p_t, g.matrix), taps,
         cast(p_t, g.weight) + (from * each * deep + a) * taps, deep * taps, 0,
         cast(p_t, g.transformed) + (a * ALL * g.planes * g.outputs + from * each), g.planes * g.outputs)
   end
end

-- Transforms some planes of inputs, then of gradients, of the block of rows of tiles `first` to `last` - 1.
local function transform_both(g, from, to)
   local rows, planes = max(g.last - g.first, g.to_last - g.to_first), g.planes
   local room = memory(room_of_run(g, rows * g.wide, rows))
   if from < planes then
      transform_inputs(g, from, to < planes and to or planes, g.first, g.last, cast(p_t, g.inputs), room)
   end
   if to > planes then
      from = from > planes and from - planes or 0
      transform_gradients(g, from, to - planes, g.to_first, g.to_last, cast(p_t, g.maps), room)
   end
end

-- Sums of the products of both at some points.
local function weigh(g, from, to)
   local planes, outputs, n = g.planes, g.outputs, (g.last - g.first) * g.wide
   for i = from, to - 1 do
      gemm(g.gemm, false, true, outputs, planes, n, 1, cast(p_t, g.maps) + i * outputs * n, n,
         cast(p_t, g.inputs) + i * planes * n, n, g.first == 0 and 0 or 1,
         cast(p_t, g.transformed) + i * planes * outputs, planes)
   end
end

-- Adds some rows of weights from their values: the transpose of `transform_weights`.
local function add_weights(g, from, to)
   local taps, deep = g.taps, g.deep
   for a = 0, deep - 1 do
      gemm(g.gemm, true, false, (to - from) * g.planes, taps, ALL, g.scale,
         cast(p_t, g.transformed) + (a * ALL * g.outputs + from) * g.planes, g.planes * g.outputs,
         cast(p_t, g.matrix), taps, 1, cast(p_t, g.weight) + (from * g.planes * deep + a) * taps, deep * taps)
   end
end

local WHAT = {
   [0] = correlate, transform_weights, transform_both, weigh, add_weights, multiply_part, write_part,
}

function winograd_kernels.run(g, from, to) (WHAT[g.what] or slices[g.what])(g, from, to) end

return winograd_kernels
end
