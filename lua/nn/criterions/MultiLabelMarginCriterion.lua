-- nn.MultiLabelMarginCriterion: a hinge loss of several classes, of which several are right. A target lists the right
-- classes; what follows a 0 does not count.

local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local lib, returned = require 'torch.native.kernels' 'nn/classes', require('torch.loops.element').returned

local margins = kernel.functions(lib, 't7_label_margins')
local gradients = kernel.functions(lib, 't7_label_margins_gradient')

return function(MultiLabelMarginCriterion)

   function MultiLabelMarginCriterion:__init()
      self.isTarget, self.sizeAverage = torch.Tensor(), true
   end

   local function parts(self, input, target)
      local k = kernel.of(self, input)
      if input:dim() ~= 1 and input:dim() ~= 2 then
         expect.argument_error(self, 'input', 'a vector or a matrix', input)
      end
      if not torch.isTensor(target) or not target:isSize(input:size()) then
         expect.fail(self, 'target must be of size %s (got %s)', expect.shape(input), expect.describe(target))
      end
      local classes = input:size(input:dim())
      local t = kernel.indices(target)
      local wrong = kernel.first_outside(t, 0, classes)
      if wrong then expect.fail(self, 'target must be from 0 to %d (got %.0f)', classes, wrong) end
      return k, k.as_contiguous(input), t, input:nElement() / classes, classes
   end

   function MultiLabelMarginCriterion:updateOutput(input, target)
      local k, x, t, count, classes = parts(self, input, target)
      local marks = k.new(k.numel(x))
      local sum = returned(margins[k](count, classes, k.ptr(x), kernel.long_pointer(t), k.ptr(marks))) / classes
      k.keep_alive(x, t, marks)
      self.isTarget:resizeAs(input):copy(marks)
      self.output = self.sizeAverage and sum / count or sum
      return self.output
   end

   function MultiLabelMarginCriterion:updateGradInput(input, target)
      local k, x, t, count, classes = parts(self, input, target)
      local r, marks = k.resize_as(self.gradInput, input), k.new(k.numel(x))
      gradients[k](count, classes, k.ptr(x), kernel.long_pointer(t),
         1 / (self.sizeAverage and count * classes or classes), k.ptr(marks), k.ptr(r))
      k.keep_alive(x, t, marks, r)
      return r
   end
end
