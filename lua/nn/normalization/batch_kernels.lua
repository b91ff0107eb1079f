-- Batch normalisation of one element type. Images of large planes are done plane by plane; else rows of all planes, and
-- what belongs to a plane is repeated for each of its elements. Runs in the main state and in workers: all that it
-- needs is in one C struct.

return function(T)

local sqrt = math.sqrt
local ffi = require 'ffi'
local cast, fill = ffi.cast, ffi.fill
local SIZE, p_t, byte_p = T.size, T.pointer_ct, ffi.typeof 'char *'
local loop_t = ffi.typeof 'void (*)(char **, const intptr_t *, const intptr_t *, void *)'
local dot_t = ffi.typeof((('$ (*)(int *, $ *, int *, $ *, int *)'):gsub('%$', T.c)))

local args, count, steps = ffi.new 'char *[3]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[3]'

-- z = x op y for n elements; a step of 0 stands for one number.
local function run(loop, x, x_step, y, y_step, z, z_step, n)
   args[0], args[1], args[2], count[0] = cast(byte_p, x), cast(byte_p, y), cast(byte_p, z), n
   steps[0], steps[1], steps[2] = x_step, y_step, z_step
   cast(loop_t, loop.fn)(args, count, steps, loop.data)
end

local room, size = nil, 0

-- Memory of this state for n elements.
local function scratch(n)
   if n > size then room, size = ffi.new(T.c .. '[?]', n), n end
   return cast(p_t, room)
end

local one_, n_, number = ffi.new('int[1]', 1), ffi.new 'int[1]', ffi.new(T.c .. '[4]')

local function dot(g, x, y, n)
   n_[0] = n
   return cast(dot_t, g.dot)(n_, x, one_, y, one_)
end

-- The sum of n elements.
local function sum(g, x, n)
   number[3] = 0
   run(g.add, number + 3, 0, x, SIZE, number + 3, 0, n)
   return number[3]
end

local kernels = {}

-- Statistics of a plane from its sum and its sum of squares around the mean, and what it gives the running ones.
local function keep(g, i, mean, squares, total)
   local save_mean, save_std = cast(p_t, g.save_mean), cast(p_t, g.save_std)
   local running_mean, running_var = cast(p_t, g.running_mean), cast(p_t, g.running_var)
   local momentum = g.momentum
   local inverse = 1 / sqrt(squares / total + g.eps)
   save_mean[i], save_std[i] = mean, inverse
   running_mean[i] = momentum * mean + (1 - momentum) * running_mean[i]
   running_var[i] = momentum * (squares / (total - 1)) + (1 - momentum) * running_var[i]
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
      local mean, inverse = running_mean[i], nil
      if g.train == 1 then
         mean = 0
         for s = 0, images - 1 do mean = mean + sum(g, x + (s * planes + i) * area, area) end
         mean = mean / total
      else
         inverse = 1 / sqrt(running_var[i] + g.eps)
      end
      number[0] = mean
      local squares = 0
      for s = 0, images - 1 do
         local at = (s * planes + i) * area
         run(g.subtract, x + at, SIZE, number, 0, y + at, SIZE, area)
         if not inverse then squares = squares + dot(g, y + at, y + at, area) end
      end
      inverse = inverse or keep(g, i, mean, squares, total)
      number[1], number[2] = affine and inverse * weight[i] or inverse, affine and bias[i] or 0
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
      local mean, inverse = means[i], inverses[i]
      if g.train == 0 then mean, inverse = running_mean[i], 1 / sqrt(running_var[i] + g.eps) end
      number[0] = mean
      local sums, dots = 0, 0
      for s = 0, images - 1 do
         local at = (s * planes + i) * area
         run(g.subtract, x + at, SIZE, number, 0, around, SIZE, area)
         sums, dots = sums + sum(g, go + at, area), dots + dot(g, around, go + at, area)
      end
      if g.r ~= nil then
         local scale = affine and inverse * weight[i] or inverse
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
      if g.grad_weight ~= nil then gw[i] = gw[i] + g.scale * inverse * dots end
      if g.grad_bias ~= nil then gb[i] = gb[i] + g.scale * sums end
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

-- Outputs of the planes `from` to `to` - 1 by rows: `v` are vectors of columns.
local function forward_rows(g, from, to)
   local area, row = g.area, g.planes * g.area
   local n, first = (to - from) * area, from * area
   local x, y, images = cast(p_t, g.x) + first, cast(p_t, g.y) + first, g.images
   local affine = g.weight ~= nil
   local weight, bias = cast(p_t, g.weight), cast(p_t, g.bias)
   local running_mean, running_var = cast(p_t, g.running_mean), cast(p_t, g.running_var)
   local mean = scratch(3 * n)
   local scale, shift = mean + n, mean + 2 * n
   local total = images * area
   if g.train == 1 then
      fill(mean, n * SIZE)
      for s = 0, images - 1 do run(g.add, mean, SIZE, x + s * row, SIZE, mean, SIZE, n) end
      for i = 0, to - from - 1 do spread(mean, i, area, folded(mean, i, area) / total) end
   else
      for i = 0, to - from - 1 do spread(mean, i, area, running_mean[from + i]) end
   end
   fill(scale, n * SIZE)
   for s = 0, images - 1 do
      local z = y + s * row
      run(g.subtract, x + s * row, SIZE, mean, SIZE, z, SIZE, n)
      if g.train == 1 then
         run(g.multiply, z, SIZE, z, SIZE, shift, SIZE, n)
         run(g.add, scale, SIZE, shift, SIZE, scale, SIZE, n)
      end
   end
   for i = 0, to - from - 1 do
      local p = from + i
      local inverse
      if g.train == 1 then
         inverse = keep(g, p, mean[i * area], folded(scale, i, area), total)
      else
         inverse = 1 / sqrt(running_var[p] + g.eps)
      end
      spread(scale, i, area, affine and inverse * weight[p] or inverse)
      spread(shift, i, area, affine and bias[p] or 0)
   end
   for s = 0, images - 1 do
      local z = y + s * row
      run(g.multiply, z, SIZE, scale, SIZE, z, SIZE, n)
      if affine then run(g.add, z, SIZE, shift, SIZE, z, SIZE, n) end
   end
end

local function back_rows(g, from, to)
   local area, row = g.area, g.planes * g.area
   local n, first = (to - from) * area, from * area
   local x, go, r, images = cast(p_t, g.x) + first, cast(p_t, g.y) + first, cast(p_t, g.r) + first, g.images
   local affine, total = g.weight ~= nil, g.images * area
   local weight, gw, gb = cast(p_t, g.weight), cast(p_t, g.grad_weight), cast(p_t, g.grad_bias)
   local means, inverses = cast(p_t, g.save_mean), cast(p_t, g.save_std)
   local running_mean, running_var = cast(p_t, g.running_mean), cast(p_t, g.running_var)
   local mean = scratch(5 * n)
   local sums, dots, around, scale = mean + n, mean + 2 * n, mean + 3 * n, mean + 4 * n
   fill(sums, 2 * n * SIZE)
   for i = 0, to - from - 1 do
      spread(mean, i, area, g.train == 1 and means[from + i] or running_mean[from + i])
   end
   for s = 0, images - 1 do
      local z = go + s * row
      run(g.subtract, x + s * row, SIZE, mean, SIZE, around, SIZE, n)
      run(g.multiply, around, SIZE, z, SIZE, around, SIZE, n)
      run(g.add, dots, SIZE, around, SIZE, dots, SIZE, n)
      run(g.add, sums, SIZE, z, SIZE, sums, SIZE, n)
   end
   for i = 0, to - from - 1 do
      local p = from + i
      local inverse = g.train == 1 and inverses[p] or 1 / sqrt(running_var[p] + g.eps)
      local s, d = folded(sums, i, area), folded(dots, i, area)
      if g.grad_weight ~= nil then gw[p] = gw[p] + g.scale * inverse * d end
      if g.grad_bias ~= nil then gb[p] = gb[p] + g.scale * s end
      local factor = affine and inverse * weight[p] or inverse
      spread(scale, i, area, factor)
      spread(sums, i, area, -factor * s / total)
      spread(dots, i, area, -factor * inverse * inverse * d / total)
   end
   if g.r == nil then return end
   for s = 0, images - 1 do
      local z = r + s * row
      run(g.multiply, go + s * row, SIZE, scale, SIZE, z, SIZE, n)
      if g.train == 1 then
         run(g.subtract, x + s * row, SIZE, mean, SIZE, around, SIZE, n)
         run(g.multiply, around, SIZE, dots, SIZE, around, SIZE, n)
         run(g.add, z, SIZE, around, SIZE, z, SIZE, n)
         run(g.add, z, SIZE, sums, SIZE, z, SIZE, n)
      end
   end
end

local SMALL = 64

function kernels.run(g, from, to)
   if g.area >= SMALL then
      if g.back == 1 then back_planes(g, from, to) else forward_planes(g, from, to) end
   else
      if g.back == 1 then back_rows(g, from, to) else forward_rows(g, from, to) end
   end
end

return kernels
end
