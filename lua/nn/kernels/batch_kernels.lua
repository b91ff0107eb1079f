-- Batch normalisation of one element type. Images of large planes are done plane by plane; else rows of all planes, and
-- what belongs to a plane is repeated for each of its elements. Runs in the main state and in workers: all that it
-- needs is in one C struct.

return function(T)

local sqrt = math.sqrt
local ffi = require 'ffi'
local cast, fill = ffi.cast, ffi.fill
local SIZE, p_t, byte_p = T.size, T.pointer_ct, ffi.typeof 'char *'
local loop_type = require 'torch.native.loop_type'
local element = require 'torch.base.element'
local get, returned = element.getter(T), element.returned
local dot_t = ffi.typeof((('$ (*)(int *, $ *, int *, $ *, int *)'):gsub('%$', T.c)))

local args, count, steps = ffi.new 'char *[3]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[3]'

-- z = x op y for n elements; a step of 0 stands for one number.
local function run(loop, x, x_step, y, y_step, z, z_step, n)
   args[0], args[1], args[2], count[0] = cast(byte_p, x), cast(byte_p, y), cast(byte_p, z), n
   steps[0], steps[1], steps[2] = x_step, y_step, z_step
   cast(loop_type, loop.fn)(args, count, steps, loop.data)
end

local scratch = require 'nn.kernels.kernel_scratch'(T)

local row_memory, row_size = nil, 0

-- Four vectors of n doubles each.
local function vectors(n)
   if n > row_size then row_memory, row_size = ffi.new('double[?]', 4 * n), n end
   local v = cast('double *', row_memory)
   return v, v + n, v + 2 * n, v + 3 * n
end

local one_, n_, number = ffi.new('int[1]', 1), ffi.new 'int[1]', ffi.new(T.c .. '[4]')

local function dot(g, x, y, n)
   n_[0] = n
   return (returned(cast(dot_t, g.dot)(n_, x, one_, y, one_)))
end

-- The sum of n elements.
local function sum(g, x, n)
   number[3] = 0
   run(g.add, number + 3, 0, x, SIZE, number + 3, 0, n)
   return (get(number, 3))
end

local batch_kernels = {}

-- Statistics of a plane from its sum and its sum of squares around the mean, and what it gives the running ones.
local function keep(g, i, mean, squares, total)
   local save_mean, save_std = cast(p_t, g.save_mean), cast(p_t, g.save_std)
   local running_mean, running_var = cast(p_t, g.running_mean), cast(p_t, g.running_var)
   local momentum = g.momentum
   local inverse = 1 / sqrt(squares / total + g.eps)
   save_mean[i], save_std[i] = mean, inverse
   running_mean[i] = momentum * mean + (1 - momentum) * get(running_mean, i)
   running_var[i] = momentum * (squares / (total - 1)) + (1 - momentum) * get(running_var, i)
   return inverse
end

-- Outputs of the planes `from` to `to` - 1.
local function forward_planes(g, from, to)
   local x, y, images, planes, area = cast(p_t, g.x), cast(p_t, g.y), g.images, g.planes, g.area
   local affine = g.weight ~= nil
   local weight, bias = cast(p_t, g.weight), cast(p_t, g.bias)
   local running_mean, running_var = cast(p_t, g.running_mean), cast(p_t, g.running_var)
   local total = images * area
   for i = from, to - 1 do
      local mean, inverse = get(running_mean, i), nil
      if g.train == 1 then
         mean = 0
         for s = 0, images - 1 do mean = mean + sum(g, x + (s * planes + i) * area, area) end
         mean = mean / total
      else
         inverse = 1 / sqrt(get(running_var, i) + g.eps)
      end
      number[0] = mean
      local squares = 0
      for s = 0, images - 1 do
         local at = (s * planes + i) * area
         run(g.subtract, x + at, SIZE, number, 0, y + at, SIZE, area)
         if not inverse then squares = squares + dot(g, y + at, y + at, area) end
      end
      inverse = inverse or keep(g, i, mean, squares, total)
      number[1], number[2] = affine and inverse * get(weight, i) or inverse, affine and get(bias, i) or 0
      for s = 0, images - 1 do
         local z = y + (s * planes + i) * area
         run(g.multiply, z, SIZE, number + 1, 0, z, SIZE, area)
         if affine then run(g.add, z, SIZE, number + 2, 0, z, SIZE, area) end
      end
   end
end

-- Gradients of the planes `from` to `to` - 1; those of the input and those of the parameters where they are wanted.
local function back_planes(g, from, to)
   local x, go, r, images, planes, area = cast(p_t, g.x), cast(p_t, g.y), cast(p_t, g.r), g.images, g.planes, g.area
   local affine, total = g.weight ~= nil, g.images * g.area
   local weight, gw, gb = cast(p_t, g.weight), cast(p_t, g.grad_weight), cast(p_t, g.grad_bias)
   local means, inverses = cast(p_t, g.save_mean), cast(p_t, g.save_std)
   local running_mean, running_var = cast(p_t, g.running_mean), cast(p_t, g.running_var)
   local around = scratch(area)
   for i = from, to - 1 do
      -- Without training there are no statistics of the batch: their pointers may be null.
      local mean, inverse
      if g.train == 1 then
         mean, inverse = get(means, i), get(inverses, i)
      else
         mean, inverse = get(running_mean, i), 1 / sqrt(get(running_var, i) + g.eps)
      end
      number[0] = mean
      local sums, dots = 0, 0
      for s = 0, images - 1 do
         local at = (s * planes + i) * area
         run(g.subtract, x + at, SIZE, number, 0, around, SIZE, area)
         sums, dots = sums + sum(g, go + at, area), dots + dot(g, around, go + at, area)
      end
      if g.r ~= nil then
         local scale = affine and inverse * get(weight, i) or inverse
         number[1], number[2] = scale, -scale * inverse * inverse * dots / total
         local shift = -scale * sums / total
         for s = 0, images - 1 do
            local at = (s * planes + i) * area
            run(g.multiply, go + at, SIZE, number + 1, 0, r + at, SIZE, area)
            if g.train == 1 then
               run(g.subtract, x + at, SIZE, number, 0, around, SIZE, area)
               run(g.multiply, around, SIZE, number + 2, 0, around, SIZE, area)
               number[3] = shift
               run(g.add, around, SIZE, number + 3, 0, around, SIZE, area)
               run(g.add, r + at, SIZE, around, SIZE, r + at, SIZE, area)
            end
         end
      end
      if g.grad_weight ~= nil then gw[i] = get(gw, i) + g.scale * inverse * dots end
      if g.grad_bias ~= nil then gb[i] = get(gb, i) + g.scale * sums end
   end
end

-- Sums of `area` neighbours: sums of planes from those of columns.
local function folded(v, i, area)
   local s = 0
   for j = i * area, i * area + area - 1 do s = s + v[j] end
   return s
end

local function spread(v, i, area, value)
   for j = i * area, i * area + area - 1 do v[j] = value end
end

-- Steps of one row of n columns.
local function add_row(n, x, sums)
   for j = 0, n - 1 do sums[j] = sums[j] + get(x, j) end
end

local function add_squares(n, x, mean, sums)
   for j = 0, n - 1 do
      local d = get(x, j) - mean[j]
      sums[j] = sums[j] + d * d
   end
end

local function scale_row(n, x, mean, scale, shift, y)
   for j = 0, n - 1 do y[j] = (get(x, j) - mean[j]) * scale[j] + shift[j] end
end

local function add_products(n, x, go, mean, sums, dots)
   for j = 0, n - 1 do
      local g = get(go, j)
      sums[j] = sums[j] + g
      dots[j] = dots[j] + (get(x, j) - mean[j]) * g
   end
end

local function back_row(n, x, go, mean, scale, sums, dots, r)
   for j = 0, n - 1 do r[j] = get(go, j) * scale[j] + (get(x, j) - mean[j]) * dots[j] + sums[j] end
end

-- Outputs of the planes `from` to `to` - 1 by rows, with vectors of what belongs to the columns.
local function forward_rows(g, from, to)
   local area, row = g.area, g.planes * g.area
   local n, first = (to - from) * area, from * area
   local x, y, images = cast(p_t, g.x) + first, cast(p_t, g.y) + first, g.images
   local affine = g.weight ~= nil
   local weight, bias = cast(p_t, g.weight), cast(p_t, g.bias)
   local running_mean, running_var = cast(p_t, g.running_mean), cast(p_t, g.running_var)
   local mean, scale, shift = vectors(n)
   local total = images * area
   if g.train == 1 then
      fill(mean, n * 8)
      for s = 0, images - 1 do add_row(n, x + s * row, mean) end
      for i = 0, to - from - 1 do spread(mean, i, area, folded(mean, i, area) / total) end
      fill(scale, n * 8)
      for s = 0, images - 1 do add_squares(n, x + s * row, mean, scale) end
   else
      for i = 0, to - from - 1 do spread(mean, i, area, get(running_mean, from + i)) end
   end
   for i = 0, to - from - 1 do
      local p = from + i
      local inverse
      if g.train == 1 then
         inverse = keep(g, p, mean[i * area], folded(scale, i, area), total)
      else
         inverse = 1 / sqrt(get(running_var, p) + g.eps)
      end
      spread(scale, i, area, affine and inverse * get(weight, p) or inverse)
      spread(shift, i, area, affine and get(bias, p) or 0)
   end
   for s = 0, images - 1 do scale_row(n, x + s * row, mean, scale, shift, y + s * row) end
end

local function back_rows(g, from, to)
   local area, row = g.area, g.planes * g.area
   local n, first = (to - from) * area, from * area
   local x, go, r, images = cast(p_t, g.x) + first, cast(p_t, g.y) + first, cast(p_t, g.r) + first, g.images
   local affine, total, train = g.weight ~= nil, g.images * area, g.train == 1
   local weight, gw, gb = cast(p_t, g.weight), cast(p_t, g.grad_weight), cast(p_t, g.grad_bias)
   local means, inverses = cast(p_t, g.save_mean), cast(p_t, g.save_std)
   local running_mean, running_var = cast(p_t, g.running_mean), cast(p_t, g.running_var)
   local mean, scale, sums, dots = vectors(n)
   for i = 0, to - from - 1 do
      spread(mean, i, area, train and get(means, from + i) or get(running_mean, from + i))
   end
   fill(sums, n * 8)
   fill(dots, n * 8)
   for s = 0, images - 1 do add_products(n, x + s * row, go + s * row, mean, sums, dots) end
   for i = 0, to - from - 1 do
      local p = from + i
      local inverse = train and get(inverses, p) or 1 / sqrt(get(running_var, p) + g.eps)
      local s, d = folded(sums, i, area), folded(dots, i, area)
      if g.grad_weight ~= nil then gw[p] = get(gw, p) + g.scale * inverse * d end
      if g.grad_bias ~= nil then gb[p] = get(gb, p) + g.scale * s end
      local factor = affine and inverse * get(weight, p) or inverse
      spread(scale, i, area, factor)
      spread(sums, i, area, train and -factor * s / total or 0)
      spread(dots, i, area, train and -factor * inverse * inverse * d / total or 0)
   end
   if g.r == nil then return end
   for s = 0, images - 1 do
      back_row(n, x + s * row, go + s * row, mean, scale, sums, dots, r + s * row)
   end
end

local SMALL = 64

function batch_kernels.run(g, from, to)
   if g.area >= SMALL then
      if g.back == 1 then back_planes(g, from, to) else forward_planes(g, from, to) end
   else
      if g.back == 1 then back_rows(g, from, to) else forward_rows(g, from, to) end
   end
end

return batch_kernels
end
