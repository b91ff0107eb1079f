-- Normalisation across maps of one element type: y = x * scale ^ -beta, where scale is k and alpha / size times the sum
-- of the squares of neighbouring maps. Runs in the main state and in workers.

return function(T)

local max, min = math.max, math.min
local ffi = require 'ffi'
local cast, fill = ffi.cast, ffi.fill
local SIZE, p_t, byte_p = T.size, T.pointer_ct, ffi.typeof 'char *'
local loop_type = require 'torch.native.loop_type'

local args, count, steps = ffi.new 'char *[3]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[3]'

-- z = x op y for n elements; a step of 0 stands for one number.
local function run(loop, x, y, y_step, z, n)
   args[0], args[1], args[2], count[0] = cast(byte_p, x), cast(byte_p, y), cast(byte_p, z), n
   steps[0], steps[1], steps[2] = SIZE, y_step, SIZE
   cast(loop_type, loop.fn)(args, count, steps, loop.data)
end

local function run_unary(loop, x, z, n)
   args[0], args[1], count[0] = cast(byte_p, x), cast(byte_p, z), n
   steps[0], steps[1] = SIZE, SIZE
   cast(loop_type, loop.fn)(args, count, steps, loop.data)
end

local scratch = require 'nn.kernels.kernel_scratch'(T)

local number = ffi.new(T.c .. '[2]')

-- Sums of the neighbours of each map, of maps of n elements.
local function neighbours(g, from, to, n)
   local maps, half = g.maps, g.half
   for i = 0, maps - 1 do
      local z = to + i * n
      fill(z, n * SIZE)
      for j = max(i - half, 0), min(i + half, maps - 1) do run(g.add, z, from + j * n, SIZE, z, n) end
   end
end

-- z = s ^ -beta.
local function power(g, s, z, n)
   run_unary(g.log, s, z, n)
   number[1] = -g.beta
   run(g.multiply, z, number + 1, 0, z, n)
   run_unary(g.exp, z, z, n)
end

local lrn_kernels = {}

function lrn_kernels.forward(g, s)
   local n, all = g.area, g.maps * g.area
   local x, y, scale = cast(p_t, g.x) + s * all, cast(p_t, g.y) + s * all, cast(p_t, g.scale) + s * all
   local squares = scratch(all)
   run(g.multiply, x, x, SIZE, squares, all)
   neighbours(g, squares, scale, n)
   number[0] = g.alpha
   run(g.multiply, scale, number, 0, scale, all)
   number[0] = g.k
   run(g.add, scale, number, 0, scale, all)
   power(g, scale, y, all)
   run(g.multiply, y, x, SIZE, y, all)
end

function lrn_kernels.back(g, s)
   local n, all = g.area, g.maps * g.area
   local x, y, scale = cast(p_t, g.x) + s * all, cast(p_t, g.y) + s * all, cast(p_t, g.scale) + s * all
   local go, r = cast(p_t, g.go) + s * all, cast(p_t, g.r) + s * all
   local parts = scratch(2 * all)
   local sums = parts + all
   run(g.multiply, go, y, SIZE, parts, all)
   run(g.divide, parts, scale, SIZE, parts, all)
   neighbours(g, parts, sums, n)
   number[0] = -2 * g.alpha * g.beta
   run(g.multiply, sums, number, 0, sums, all)
   run(g.multiply, sums, x, SIZE, sums, all)
   power(g, scale, r, all)
   run(g.multiply, r, go, SIZE, r, all)
   run(g.add, r, sums, SIZE, r, all)
end

-- Works on the images `from` to `to` - 1.
function lrn_kernels.run(g, from, to)
   local f = g.back == 1 and lrn_kernels.back or lrn_kernels.forward
   for s = from, to - 1 do f(g, s) end
end

return lrn_kernels
end
