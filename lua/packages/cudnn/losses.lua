-- Criterions that classify each pixel of maps and volumes.

local torch = require 'torch'
local check, nn = require 'torch.base.check', require 'nn'

return function(cudnn)
   local function add(name, dimensions)
      local Class, parent = torch.class('cudnn.' .. name, 'nn.Criterion', cudnn)

      function Class:__init(weights)
         parent.__init(self)
         self.nll = nn.ClassNLLCriterion(weights)
         self.assignments = weights
      end

      -- Scores of n x classes x pixels as rows of pixels.
      local function rows(scores)
         local n, classes = scores:size(1), scores:size(2)
         local flat = scores:contiguous():view(n, classes, -1)
         return flat:transpose(2, 3):contiguous():view(-1, classes)
      end

      local function check_input(self, input, target)
         check.dimensions(self, 'input', input, dimensions, dimensions)
         check.dimensions(self, 'target', target, dimensions - 1, dimensions - 1)
         if target:nElement() * input:size(2) ~= input:nElement() then
            check.argument_error(self, 'target', 'a tensor of a class for each pixel of the input', target)
         end
      end

      function Class:updateOutput(input, target)
         check_input(self, input, target)
         self.scores = nn.LogSoftMax():type(input:type()):forward(rows(input))
         self.output = self.nll:updateOutput(self.scores, target:contiguous():view(-1))
         return self.output
      end

      function Class:updateGradInput(input, target)
         check_input(self, input, target)
         local softmax = nn.LogSoftMax():type(input:type())
         local flat = rows(input)
         local scores = softmax:forward(flat)
         local gradient = softmax:updateGradInput(flat, self.nll:updateGradInput(scores, target:contiguous():view(-1)))
         local n, classes = input:size(1), input:size(2)
         self.gradInput:resizeAs(input)
         self.gradInput:view(n, classes, -1):copy(gradient:view(n, -1, classes):transpose(2, 3))
         return self.gradInput
      end

      function Class:type(wanted, cache)
         if wanted then self.nll:type(wanted, cache) end
         return parent.type(self, wanted, cache)
      end
   end

   add('SpatialCrossEntropyCriterion', 4)
   add('VolumetricCrossEntropyCriterion', 5)
end
