-- nn.SoftMax, nn.LogSoftMax and their spatial forms, which do the same: along a vector, the rows of a matrix, or the
-- planes of pictures.

local expect, kernel, template = require 'nn.checks.expect', require 'nn.kernels.kernel', require 'torch.jit.template'
local lib = require 'torch.native.kernels' 'nn/softmax'

local forward = kernel.functions(lib, 't7_softmax')
local backward = kernel.functions(lib, 't7_softmax_backward')

-- How many groups of how many values there are, how far the values are apart.
local function extent(self, x)
   local size, dim = x._size, x._dim
   if dim < 1 or dim > 4 then
      expect.fail(self, 'input must have 1 to 4 dimensions (got %s)', expect.describe(x))
   end
   if dim == 1 then return 1, size[0], 1 end
   if dim == 2 then return size[0], size[1], 1 end
   if dim == 3 then return 1, size[0], size[1] * size[2] end
   return size[0], size[1], size[2] * size[3]
end

local source = [[
local function updateOutput(self, input)
   local k = kernel.of(self, input)
   local count, n, step = extent(self, input)
   local x, y = k.as_contiguous(input), k.resize_as(self.output, input)
   forward[k]($logarithm, count, n, step, k.ptr(x), k.ptr(y))
   k.keep_alive(x, y)
   return y
end

local function updateGradInput(self, input, gradOutput)
   local k = kernel.of(self, input)
   local count, n, step = extent(self, input)
   local y = self.output
   if not (k.is(y) and k.is(gradOutput)) then check.grad_output(self, k, gradOutput, y) end
   if k.numel(y) ~= k.numel(input) then check.fail(self, 'backward called before forward on this input') end
   if k.numel(gradOutput) ~= k.numel(input) then check.same_count(self, input, gradOutput) end
   local g, r = k.as_contiguous(gradOutput), k.resize_as(self.gradInput, input)
   y = k.as_contiguous(y)
   backward[k]($logarithm, count, n, step, k.ptr(y), k.ptr(g), k.ptr(r))
   k.keep_alive(y, g, r)
   return r
end

return updateOutput, updateGradInput
]]

return function(Class, _, _, name)
   local values = { logarithm = string.find(name, 'Log') and 1 or 0 }
   Class.updateOutput, Class.updateGradInput = template.compile('nn.' .. name, source, values,
      { kernel = kernel, check = expect, extent = extent, forward = forward, backward = backward })
end
