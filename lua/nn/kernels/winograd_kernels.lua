-- Convolutions with kernels of 3 rows and stride 1 by Winograd's algorithm F(4, 3) along the rows. Four rows of an
-- output depend on six of the input. As polynomials, they are multiplied by their values at the points 0, 1, -1, 2, -2
-- and infinity: six products of matrices, where the plain sum has twelve. The taps of a row of the kernel are products on
-- the same values, shifted. For one element type, in the main state and in workers; winograd_chunks.lua has the struct.
--
-- A block is some rows of tiles of all planes. Its values lie by point, plane, row of tiles, and place in the row. What
-- is computed beyond the end of a row is left out.

return function(T, gemm)

local floor = math.floor
local ffi = require 'ffi'
local cast, copy, fill = ffi.cast, ffi.copy, ffi.fill
local SIZE, p_t, byte_p = T.size, T.pointer_ct, ffi.typeof 'char *'
local loop_type = require 'torch.native.loop_type'
local gemm_t = ffi.typeof(
   'void (*)(char *, char *, int *, int *, int *, void *, void *, int *, void *, int *, void *, void *, int *)')
local memory = require 'nn.kernels.kernel_scratch'(T)

local POINTS, TILE = 6, 4

-- Elements of a run of NumPy's loops: the rows of six and what comes of them stay in the cache.
local RUN = 1024

local args, count, steps = ffi.new 'char *[3]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[3]'
local constants = ffi.new(T.c .. '[9]')
for i = 0, 8 do constants[i] = i end

-- z = x op y for `n` elements.
local function run(fn, data, x, y, z, n)
   args[0], args[1], args[2], count[0] = cast(byte_p, x), cast(byte_p, y), cast(byte_p, z), n
   steps[0], steps[1], steps[2] = SIZE, SIZE, SIZE
   fn(args, count, steps, data)
end

-- z = x op the number at y.
local function run_with(fn, data, x, y, z, n)
   args[0], args[1], args[2], count[0] = cast(byte_p, x), cast(byte_p, y), cast(byte_p, z), n
   steps[0], steps[1], steps[2] = SIZE, 0, SIZE
   fn(args, count, steps, data)
end

-- Element-wise steps on runs of `n` elements.
local function steps_of(g)
   local add_fn, add_data = cast(loop_type, g.add), g.add_data
   local subtract_fn, subtract_data = cast(loop_type, g.subtract), g.subtract_data
   local multiply_fn, multiply_data = cast(loop_type, g.multiply), g.multiply_data
   local function add(z, x, y, n) run(add_fn, add_data, x, y, z, n) end
   local function subtract(z, x, y, n) run(subtract_fn, subtract_data, x, y, z, n) end
   local function times(z, factor, x, n) run_with(multiply_fn, multiply_data, x, constants + factor, z, n) end
   return add, subtract, times
end

-- Values of the inputs in the six `x`, which are overwritten.
local function input_values(g, x, size, v, point, n)
   local add, subtract, times = steps_of(g)
   local x0, x1, x2, x3, x4, x5 = x, x + size, x + 2 * size, x + 3 * size, x + 4 * size, x + 5 * size
   local v0, v1, v2, v3, v4, v5 = v, v + point, v + 2 * point, v + 3 * point, v + 4 * point, v + 5 * point
   times(v3, 4, x2, n)
   subtract(v3, x4, v3, n)
   times(v4, 4, x1, n)
   subtract(v4, x3, v4, n)
   add(v1, v3, v4, n)
   subtract(v2, v3, v4, n)
   subtract(v3, x4, x2, n)
   subtract(x0, x0, x2, n)
   times(x0, 4, x0, n)
   add(v0, x0, v3, n)
   subtract(x5, x5, x3, n)
   subtract(x1, x3, x1, n)
   add(x1, x1, x1, n)
   subtract(v4, v3, x1, n)
   add(v3, v3, x1, n)
   add(x1, x1, x1, n)
   subtract(v5, x5, x1, n)
end

-- Rows of the output from the six `m`, which are overwritten; returns where the four rows are.
local function output_rows(g, m, point, free, n)
   local add, subtract, times = steps_of(g)
   local m0, m1, m2, m3, m4, m5 = m, m + point, m + 2 * point, m + 3 * point, m + 4 * point, m + 5 * point
   add(free, m1, m2, n)
   subtract(m2, m1, m2, n)
   add(m1, m3, m4, n)
   subtract(m4, m3, m4, n)
   add(m0, m0, free, n)
   add(m0, m0, m1, n)
   times(m1, 4, m1, n)
   add(m1, m1, free, n)
   add(m4, m4, m4, n)
   add(m3, m2, m4, n)
   times(m4, 4, m4, n)
   add(m4, m4, m2, n)
   add(m4, m4, m5, n)
   return m0, m3, m1, m4
end

-- The transpose of `output_rows`: values of the four rows of a gradient, of which the first is where values of 0 belong,
-- and the last where those of infinity do. y1 and y2 are overwritten.
local function gradient_values(g, y1, y2, v, point, n)
   local add, subtract, times = steps_of(g)
   local v0, v1, v2, v3, v4, v5 = v, v + point, v + 2 * point, v + 3 * point, v + 4 * point, v + 5 * point
   add(v3, v0, y2, n)
   add(v4, y1, v5, n)
   add(v1, v3, v4, n)
   subtract(v2, v3, v4, n)
   times(y2, 4, y2, n)
   add(y2, y2, v0, n)
   times(v3, 4, v5, n)
   add(y1, y1, v3, n)
   add(y1, y1, y1, n)
   add(v3, y2, y1, n)
   subtract(v4, y2, y1, n)
end

-- Copies row j of all tiles of rows `first` to `last` - 1, of planes `c` to `c + planes` - 1 of `all`, to z.
local function gather(x, all, h, w, shift, left, high, pitch, first, last, c, planes, z)
   local rows = last - first
   for q = 0, planes * rows - 1 do
      local plane = floor(q / rows)
      local r = first + q - plane * rows
      local image = floor(r / high)
      local y = (r - image * high) * TILE + shift
      local to = z + q * pitch
      if y >= 0 and y < h then
         copy(to + left, x + ((image * all + c + plane) * h + y) * w, w * SIZE)
      else
         fill(to + left, w * SIZE)
      end
   end
end

-- Copies row j of tiles to their places.
local function scatter(z, all, h, w, shift, high, pitch, first, last, c, planes, x)
   local rows = last - first
   for q = 0, planes * rows - 1 do
      local plane = floor(q / rows)
      local r = first + q - plane * rows
      local image = floor(r / high)
      local y = (r - image * high) * TILE + shift
      if y < h then copy(x + ((image * all + c + plane) * h + y) * w, z + q * pitch, w * SIZE) end
   end
end

-- Planes of a run, of `n` elements each.
local function planes_of_run(n) return n < RUN and floor(RUN / n) or 1 end

-- Values of planes `from` to `to` - 1 of the input in rows of tiles `first` to `last` - 1; `rows` is zeros where rows
-- have padding.
local function transform_inputs(g, from, to, first, last, values, rows)
   local n, x = (last - first) * g.pitch, cast(p_t, g.from)
   local each, point = planes_of_run(n), g.planes * n
   for c = from, to - 1, each do
      local planes = to - c < each and to - c or each
      for j = 0, POINTS - 1 do
         gather(x, g.planes, g.h, g.w, j - g.pad_h, g.pad_w, g.high, g.pitch, first, last, c, planes,
            rows + j * each * n)
      end
      input_values(g, rows, each * n, values + c * n, point, planes * n)
   end
end

-- The product of all weights of a point and the values of inputs there.
local function multiply(g, i, values, maps, n)
   local fn, planes, outputs, taps = cast(gemm_t, g.gemm), g.planes, g.outputs, g.taps
   local spread, U = g.spread == 1, cast(p_t, g.transformed)
   for kx = 0, taps - 1 do
      gemm(fn, g.small, spread, false, outputs, n, planes, 1, U + (i * taps + kx) * planes * outputs,
         spread and outputs or planes, values + (i * planes * n + kx), n, kx == 0 and 0 or 1, maps + i * outputs * n, n)
   end
end

local function write_outputs(g, first, last, maps, free)
   local n, z = (last - first) * g.pitch, cast(p_t, g.to)
   local each, point, outputs = planes_of_run(n), g.outputs * n, g.outputs
   if g.bias ~= nil then
      -- A constant is the same at the point 1, and 0 at the others.
      local fn, data, bias, m = cast(loop_type, g.add), g.add_data, cast(p_t, g.bias), maps + point
      for o = 0, outputs - 1 do run_with(fn, data, m + o * n, bias + o, m + o * n, n) end
   end
   for o = 0, outputs - 1, each do
      local planes = outputs - o < each and outputs - o or each
      local y0, y1, y2, y3 = output_rows(g, maps + o * n, point, free, planes * n)
      scatter(y0, outputs, g.out_h, g.out_w, 0, g.high, g.pitch, first, last, o, planes, z)
      scatter(y1, outputs, g.out_h, g.out_w, 1, g.high, g.pitch, first, last, o, planes, z)
      scatter(y2, outputs, g.out_h, g.out_w, 2, g.high, g.pitch, first, last, o, planes, z)
      scatter(y3, outputs, g.out_h, g.out_w, 3, g.high, g.pitch, first, last, o, planes, z)
   end
end

local winograd_kernels = {}

-- Blocks of rows of tiles.
local function correlate(g, from, to)
   local most = (floor(g.rows / g.blocks) + 1) * g.pitch
   local inputs, outputs = POINTS * g.planes * most + g.taps, POINTS * g.outputs * most
   local each = planes_of_run(most) * most
   if each < RUN then each = RUN end
   local values = memory(inputs + outputs + POINTS * each + each)
   local maps = values + inputs
   local rows = maps + outputs
   fill(rows, POINTS * each * SIZE)
   for b = from, to - 1 do
      local first, last = floor(b * g.rows / g.blocks), floor((b + 1) * g.rows / g.blocks)
      local n = (last - first) * g.pitch
      -- A row goes on to the next one for its padding on the right; the last row goes on to zeros.
      fill(values + POINTS * g.planes * n, g.taps * SIZE)
      transform_inputs(g, 0, g.planes, first, last, values, rows)
      for i = 0, POINTS - 1 do multiply(g, i, values, maps, n) end
      write_outputs(g, first, last, maps, rows + POINTS * each)
   end
end

-- Values of the weights of some rows: a product with the matrix.
local function transform_weights(g, from, to)
   local each = g.spread == 1 and g.outputs or g.planes
   local all = g.planes * g.outputs
   local n, k = (to - from) * each, 3 * g.taps
   gemm(cast(gemm_t, g.gemm), g.small, false, true, POINTS * g.taps, n, k, 1, cast(p_t, g.matrix), k,
      cast(p_t, g.weight) + from * each * k, k, 0, cast(p_t, g.transformed) + from * each, all)
end

-- Values of some planes of inputs and gradients of rows of tiles `first` to `last` - 1.
local function transform_both(g, from, to)
   local n = (g.last - g.first) * g.pitch
   local each = planes_of_run(n)
   local rows = memory(POINTS * each * n)
   fill(rows, POINTS * each * n * SIZE)
   local inputs = to < g.planes and to or g.planes
   if from < inputs then transform_inputs(g, from, inputs, g.first, g.last, cast(p_t, g.inputs), rows) end
   local point, y = g.outputs * n, cast(p_t, g.to)
   local values = cast(p_t, g.maps)
   from, to = from < g.planes and 0 or from - g.planes, to - g.planes
   if from >= to then return end
   -- Rows of gradients have zeros at their ends, where the inputs had them at the beginnings.
   fill(rows, 2 * each * n * SIZE)
   for i = 0, POINTS - 1, POINTS - 1 do fill(values + (i * point + from * n), (to - from) * n * SIZE) end
   for o = from, to - 1, each do
      local planes = to - o < each and to - o or each
      local v = values + o * n
      gather(y, g.outputs, g.out_h, g.out_w, 0, 0, g.high, g.pitch, g.first, g.last, o, planes, v)
      gather(y, g.outputs, g.out_h, g.out_w, 1, 0, g.high, g.pitch, g.first, g.last, o, planes, rows)
      gather(y, g.outputs, g.out_h, g.out_w, 2, 0, g.high, g.pitch, g.first, g.last, o, planes, rows + each * n)
      gather(y, g.outputs, g.out_h, g.out_w, 3, 0, g.high, g.pitch, g.first, g.last, o, planes, v + 5 * point)
      gradient_values(g, rows, rows + each * n, v, point, planes * n)
   end
end

-- Sums of the products of both for some points and taps.
local function weigh(g, from, to)
   local fn, planes, outputs, taps = cast(gemm_t, g.gemm), g.planes, g.outputs, g.taps
   local n = (g.last - g.first) * g.pitch
   for q = from, to - 1 do
      local i = floor(q / taps)
      local kx = q - i * taps
      gemm(fn, g.small, false, true, outputs, planes, n, 1, cast(p_t, g.maps) + i * outputs * n, n,
         cast(p_t, g.inputs) + (i * planes * n + kx), n, g.first == 0 and 0 or 1,
         cast(p_t, g.transformed) + q * planes * outputs, planes)
   end
end

-- Adds weights to some rows from their values: the transpose of `transform_weights`.
local function add_weights(g, from, to)
   local n, k, all = (to - from) * g.planes, 3 * g.taps, g.planes * g.outputs
   gemm(cast(gemm_t, g.gemm), g.small, true, false, n, k, POINTS * g.taps, g.scale, cast(p_t, g.transformed) + from * g.planes,
      all, cast(p_t, g.matrix), k, 1, cast(p_t, g.weight) + from * g.planes * k, k)
end

local WHAT = { [0] = correlate, transform_weights, transform_both, weigh, add_weights }

function winograd_kernels.run(g, from, to) WHAT[g.what](g, from, to) end

return winograd_kernels
end
