-- Runs of images and columns that the plan of a convolution lists: copied one way, added the other. For one element
-- type, in the main state and in workers; convolution_chunks.lua has the struct of a call.

return function(T)

local ffi = require 'ffi'
local cast, copy = ffi.cast, ffi.copy
local SIZE, byte_p = T.size, ffi.typeof 'char *'
local loop_type = require 'torch.native.loop_type'
local copy_t = ffi.typeof 'void (*)(int *, void *, int *, void *, int *)'

local unfold_runs = {}

local args, count, steps = ffi.new 'char *[3]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[3]'

-- z = x + y for n elements; a step of 0 for x and z adds all of y to one element.
local function add(fn, data, x, x_step, y, y_step, z, z_step, n)
   args[0], args[1], args[2], count[0] = cast(byte_p, x), cast(byte_p, y), cast(byte_p, z), n
   steps[0], steps[1], steps[2] = x_step, y_step, z_step
   fn(args, count, steps, data)
end

local n_, from_step, to_step = ffi.new 'int[1]', ffi.new 'int[1]', ffi.new('int[1]', 1)

-- Rows of some planes to strips. Margins of the strips are zero already.
local function strips(g, plan, planes, x, v)
   local runs, step = plan.rows, plan.step
   local to, from, size, last = runs.to, runs.from, runs.size, runs.count - 1
   local fn = cast(copy_t, g.copy)
   from_step[0] = step
   for i = 0, planes - 1 do
      local z, y = v + i * plan.strip, x + i * plan.area
      if step == 1 then
         for r = 0, last do copy(z + to[r], y + from[r], size[r] * SIZE) end
      else
         for r = 0, last do
            n_[0] = size[r]
            fn(n_, y + from[r], from_step, z + to[r], to_step)
         end
      end
   end
end

-- Strips to columns, whose rows are `pitch` elements apart.
local function cut(plan, planes, v, columns, pitch)
   local runs, tap = plan.cuts, plan.tap
   local to, from, size, last = runs.to, runs.from, runs.size, runs.count - 1
   for i = 0, planes - 1 do
      local z, y = columns + i * plan.taps * pitch, v + i * plan.strip
      for r = 0, last do copy(z + (tap[r] * pitch + to[r]), y + from[r], size[r] * SIZE) end
   end
end

-- Adds columns to strips.
local function uncut(g, plan, planes, columns, pitch, v)
   local runs, tap = plan.cuts, plan.tap
   local to, from, size, last = runs.to, runs.from, runs.size, runs.count - 1
   local fn, data = cast(loop_type, g.add), g.add_data
   for i = 0, planes - 1 do
      local y, x = columns + i * plan.taps * pitch, v + i * plan.strip
      for r = 0, last do
         local z = x + from[r]
         add(fn, data, z, SIZE, y + (tap[r] * pitch + to[r]), SIZE, z, SIZE, size[r])
      end
   end
end

-- Adds strips to images.
local function unstrips(g, plan, planes, v, x)
   local runs, bytes = plan.rows, plan.step * SIZE
   local to, from, size, last = runs.to, runs.from, runs.size, runs.count - 1
   local fn, data = cast(loop_type, g.add), g.add_data
   for i = 0, planes - 1 do
      local y, w = v + i * plan.strip, x + i * plan.area
      for r = 0, last do
         local z = w + from[r]
         add(fn, data, z, bytes, y + to[r], SIZE, z, bytes, size[r])
      end
   end
end

-- Adds to each of `number` planes the bias of its number, of which there are `planes`.
local function add_bias(g, plan, x, number, planes, bias)
   local fn, data, area = cast(loop_type, g.add), g.add_data, plan.area
   for q = 0, number - 1 do
      local z = x + q * area
      add(fn, data, z, SIZE, bias + q % planes * g.bias_step, 0, z, SIZE, area)
   end
end

local memory = require 'nn.kernels.kernel_scratch'(T)

unfold_runs.add, unfold_runs.strips, unfold_runs.cut, unfold_runs.uncut,
   unfold_runs.unstrips = add, strips, cut, uncut, unstrips
unfold_runs.add_bias, unfold_runs.memory = add_bias, memory

return unfold_runs
end
