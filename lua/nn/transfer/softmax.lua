-- nn.SoftMax, nn.LogSoftMax and their spatial forms: along a vector, the rows of a matrix, or the planes of
-- pictures.

local check, kernel, template = require 'nn.check', require 'nn.kernel', require 'torch.core.template'
local kernels_of = kernel.load 'transfer/softmax_kernels'

-- How many groups of how many values there are, how far the values are apart.
local function extent(self, x, spatial)
   local size, dim = x._size, x._dim
   if spatial and dim ~= 3 and dim ~= 4 or dim < 1 or dim > 4 then
      check.fail(self, 'input of %s dimensions expected (got %s)', spatial and '3 or 4' or '1 to 4', check.describe(x))
   end
   if dim == 1 then return 1, size[0], 1 end
   if dim == 2 then return size[0], size[1], 1 end
   if dim == 3 then return 1, size[0], size[1] * size[2] end
   return size[0], size[1], size[2] * size[3]
end

local source = [[
local function updateOutput(self, input)
   local k = kernel.of(self, input)
   local kernels = kernels_of(k)
   local count, n, step = extent(self, input, $spatial)
   local x, y = k.plain(input), k.like(self.output, input)
   local from, to = k.ptr(x), k.ptr(y)
   if step == 1 then
      kernels.$run(count, n, from, to, scratch(k, count * n))
   else
      local e = scratch(k, 2 * step)
      for i = 0, count - 1 do
         kernels.planes_$run(n, step, from + i * n * step, to + i * n * step, e)
      end
   end
   k.alive(x, y)
   return y
end

local function updateGradInput(self, input, gradOutput)
   local k = kernel.of(self, input)
   local kernels = kernels_of(k)
   local count, n, step = extent(self, input, $spatial)
   local y = self.output
   if not (k.is(y) and k.is(gradOutput)) then check.grad_output(self, k, gradOutput, y) end
   if k.count(y) ~= k.count(input) then check.fail(self, 'forward of the same input expected before backward') end
   if k.count(gradOutput) ~= k.count(input) then check.same_count(self, input, gradOutput) end
   local g, r = k.plain(gradOutput), k.like(self.gradInput, input)
   y = k.plain(y)
   local from, back, to = k.ptr(y), k.ptr(g), k.ptr(r)
   if step == 1 then
      kernels.${run}_gradient(count, n, from, back, to, scratch(k, count * n))
   else
      local e = scratch(k, 2 * step)
      for i = 0, count - 1 do
         local at = i * n * step
         kernels.planes_${run}_gradient(n, step, from + at, back + at, to + at, e)
      end
   end
   k.alive(y, g, r)
   return r
end

return updateOutput, updateGradInput
]]

-- Scratch that grows, one for each type.
local rooms, buffers = {}, {}
local function scratch(k, n)
   if n > (rooms[k] or 0) then rooms[k], buffers[k] = n, k.buffer(n) end
   return buffers[k]
end

return function(Class, _, _, name)
   local values = {
      run = name:find 'Log' and 'log_softmax' or 'softmax',
      spatial = name:find 'Spatial' and 'true' or 'false',
   }
   Class.updateOutput, Class.updateGradInput = template.compile('nn.' .. name, source, values,
      { kernel = kernel, check = check, kernels_of = kernels_of, extent = extent, scratch = scratch })
end
