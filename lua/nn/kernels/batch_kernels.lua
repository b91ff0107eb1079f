-- Batch normalization for one element type, plane by plane; batch_rows.lua handles small planes. Runs in the main state
-- and in workers, so one C struct has all of its inputs.

return function(T)

local min, sqrt = math.min, math.sqrt
local ffi = require 'ffi'
local cast = ffi.cast
local SIZE, p_t, byte_p = T.size, T.pointer_ct, ffi.typeof 'char *'
local loop_type = require 'torch.native.loop_type'
local element = require 'torch.base.element'
local get, returned = element.getter(T), element.returned
local get_double = element.getter(require('torch.base.types').by_name.Double)
local dot_t = ffi.typeof((('$ (*)(int *, $ *, int *, $ *, int *)'):gsub('%$', T.c)))
local axpy_t = ffi.typeof((('void (*)(int *, $ *, $ *, int *, $ *, int *)'):gsub('%$', T.c)))

local args, count, steps = ffi.new 'char *[3]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[3]'

-- z = x op y for n elements; a step of 0 stands for one number.
local function run(loop, x, x_step, y, y_step, z, z_step, n)
   args[0], args[1], args[2], count[0] = cast(byte_p, x), cast(byte_p, y), cast(byte_p, z), n
   steps[0], steps[1], steps[2] = x_step, y_step, z_step
   cast(loop_type, loop.fn)(args, count, steps, loop.data)
end

local aligned, scratch = require 'torch.native.aligned', require 'nn.kernels.kernel_scratch'(T)

local one_, n_, number = ffi.new('int[1]', 1), ffi.new 'int[1]', ffi.new(T.c .. '[4]')

local function dot(g, x, y, n)
   n_[0] = n
   return (returned(cast(dot_t, g.dot)(n_, x, one_, y, one_)))
end

-- The sum of n elements as a dot product with ones: BLAS adds in vectors, NumPy's loop does not.
local PIECE = 2048
local ones = aligned(T.c, PIECE)
for i = 0, PIECE - 1 do ones[i] = 1 end

local function sum(g, x, n)
   local total = dot(g, x, ones, min(PIECE, n))
   for at = PIECE, n - 1, PIECE do total = total + dot(g, x + at, ones, min(PIECE, n - at)) end
   return total
end

local batch_kernels = {}

-- Statistics of a plane from its sum and its sum of squared deviations, and the update of the running ones.
function batch_kernels.keep(g, i, mean, squares, total)
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
      inverse = inverse or batch_kernels.keep(g, i, mean, squares, total)
      number[1], number[2] = affine and inverse * get(weight, i) or inverse, affine and get(bias, i) or 0
      for s = 0, images - 1 do
         local z = y + (s * planes + i) * area
         run(g.multiply, z, SIZE, number + 1, 0, z, SIZE, area)
         if affine then run(g.add, z, SIZE, number + 2, 0, z, SIZE, area) end
      end
   end
end

local pointers, rows, strides = ffi.new 'char *[4]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[2]'
local results = ffi.new 'double[2]'

-- Calls code of batch_code.lua.
local function coded(fn, x, go, to, n)
   pointers[0], pointers[1], pointers[2] = cast(byte_p, x), cast(byte_p, go), cast(byte_p, number)
   pointers[3], rows[0] = cast(byte_p, to), n
   cast(loop_type, fn)(pointers, rows, strides, nil)
end

-- Gradients of the planes `from` to `to` - 1: of the input and of the parameters, as requested.
local function back_planes(g, from, to)
   local x, go, images, planes, area = cast(p_t, g.x), cast(p_t, g.y), g.images, g.planes, g.area
   local affine, total, train = g.weight ~= nil, g.images * g.area, g.train == 1
   local weight, gw, gb = cast(p_t, g.weight), cast(p_t, g.grad_weight), cast(p_t, g.grad_bias)
   local means, inverses = cast(p_t, g.save_mean), cast(p_t, g.save_std)
   local running_mean, running_var = cast(p_t, g.running_mean), cast(p_t, g.running_var)
   -- The input minus its mean, stored in the gradient of the input, or in scratch for one image at a time.
   local around, row, is_coded = cast(p_t, g.r), planes * area, g.gradient ~= nil and g.sums ~= nil
   if g.r == nil then around, row = is_coded and around or scratch(area), 0 end
   for i = from, to - 1 do
      -- Without training there are no batch statistics: their pointers may be null.
      local mean, inverse
      if train then
         mean, inverse = get(means, i), get(inverses, i)
      else
         mean, inverse = get(running_mean, i), 1 / sqrt(get(running_var, i) + g.eps)
      end
      number[0] = mean
      local r = around + (row > 0 and i * area or 0)
      local sums, dots = 0, 0
      for s = 0, images - 1 do
         local at = (s * planes + i) * area
         local a, b
         if is_coded then
            coded(g.sums, x + at, go + at, results, area)
            a, b = get_double(results, 0), get_double(results, 1)
         else
            run(g.subtract, x + at, SIZE, number, 0, r + s * row, SIZE, area)
            a, b = sum(g, go + at, area), dot(g, r + s * row, go + at, area)
         end
         sums, dots = sums + a, dots + b
      end
      if g.r ~= nil then
         local scale = affine and inverse * get(weight, i) or inverse
         number[1], number[2], number[3] = scale, -scale * inverse * inverse * dots / total, -scale * sums / total
         if train and is_coded then
            strides[0], strides[1] = row * SIZE, area
            coded(g.gradient, x + i * area, go + i * area, r, images)
         end
         for s = 0, train and is_coded and -1 or images - 1 do
            local z, h = r + s * row, go + (s * planes + i) * area
            if train then
               run(g.multiply, z, SIZE, number + 2, 0, z, SIZE, area)
               run(g.add, z, SIZE, number + 3, 0, z, SIZE, area)
               n_[0] = area
               cast(axpy_t, g.axpy)(n_, number + 1, h, one_, z, one_)
            else
               run(g.multiply, h, SIZE, number + 1, 0, z, SIZE, area)
            end
         end
      end
      if g.grad_weight ~= nil then gw[i] = get(gw, i) + g.scale * inverse * dots end
      if g.grad_bias ~= nil then gb[i] = get(gb, i) + g.scale * sums end
   end
end

function batch_kernels.run(g, from, to)
   if g.back == 1 then back_planes(g, from, to) else forward_planes(g, from, to) end
end

return batch_kernels
end
