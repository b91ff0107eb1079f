-- nn.MultiMarginCriterion: a hinge loss of several classes: how far other classes come near the target's value.

local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local lib, returned = require 'torch.native.kernels' 'nn/classes', require('torch.loops.element').returned

local margins = kernel.functions(lib, 't7_class_margins')
local gradients = kernel.functions(lib, 't7_class_margins_gradient')

return function(MultiMarginCriterion)

   function MultiMarginCriterion:__init()
      if self.p ~= 1 and self.p ~= 2 then expect.argument_error(self, 'p', '1 or 2', self.p) end
      self.sizeAverage = true
      self.weights = self.weights and expect.dimensions(self, 'weights', self.weights, 1, 1) or nil
   end

   -- The input, the targets as a checked LongTensor, the weights, and how many samples and classes there are.
   local function parts(self, input, target)
      local k = kernel.of(self, input)
      local dim = input._dim
      if dim ~= 1 and dim ~= 2 then expect.argument_error(self, 'input', 'a vector or a matrix', input) end
      local classes = input._size[dim - 1]
      local count = k.numel(input) / classes
      if type(target) == 'number' then target = torch.LongTensor { target } end
      local t = kernel.indices(expect.tensor(self, target, 'target'))
      if t:nElement() ~= count then
         expect.fail(self, 'target must have %d classes (got %s)', count, expect.describe(target))
      end
      local wrong = kernel.first_outside(t, 1, classes)
      if wrong then expect.fail(self, 'target must be from 1 to %d (got %.0f)', classes, wrong) end
      local weights = self.weights
      if weights ~= nil and not (k.is(weights) and k.numel(weights) == classes) then
         expect.fail(self, '%d weights must be of type %s (got %s)', classes, k.TYPE, expect.describe(weights))
      end
      return k, k.as_contiguous(input), t, weights ~= nil and k.as_contiguous(weights) or nil, count, classes
   end

   function MultiMarginCriterion:updateOutput(input, target)
      local k, x, t, weights, count, classes = parts(self, input, target)
      local sum = returned(margins[k](count, classes, k.ptr(x), kernel.long_pointer(t), self.p, self.margin,
         weights and k.ptr(weights))) / classes
      k.keep_alive(x, t, weights)
      self.output = self.sizeAverage and sum / count or sum
      return self.output
   end

   function MultiMarginCriterion:updateGradInput(input, target)
      local k, x, t, weights, count, classes = parts(self, input, target)
      local r = k.resize_as(self.gradInput, input)
      gradients[k](count, classes, k.ptr(x), kernel.long_pointer(t), self.p, self.margin,
         weights and k.ptr(weights), 1 / (self.sizeAverage and count * classes or classes), k.ptr(r))
      k.keep_alive(x, t, weights, r)
      return r
   end
end
