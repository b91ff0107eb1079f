-- nn.SpatialClassifier: a network for vectors, applied to the planes at each pixel of maps. It has no parameters
-- itself: they are those of the field `classifier`.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'

return function(Classifier, parent, nn)

   function Classifier:__init(classifier)
      parent.__init(self)
      self.classifier, self.spatialOutput = classifier or nn.Sequential(), true
      self.modules = { self.classifier }
      expect.module(self, '__init', self.classifier)
      -- Torch7's methods read them.
      for _, name in ipairs { 'inputF', 'inputT', 'outputF', 'gradOutputF', 'gradOutputT', 'gradInputF' } do
         self[name] = torch.Tensor()
      end
   end

   function Classifier:add(module) self.classifier:add(module) end

   -- Rows of vectors, a pixel each, of [batch x] planes x height x width.
   local function rows_of(maps)
      local d = maps:dim() - 2
      local last = maps:transpose(d, d + 1):transpose(d + 1, d + 2):contiguous()
      return last:view(-1, maps:size(d))
   end

   -- The maps of rows, with the pixels of other maps.
   local function maps_of(rows, like)
      local planes = rows:size(2)
      if like:dim() == 3 then
         return rows:view(like:size(2), like:size(3), planes):transpose(2, 3):transpose(1, 2):contiguous()
      end
      return rows:view(like:size(1), like:size(3), like:size(4), planes):transpose(3, 4):transpose(2, 3):contiguous()
   end

   function Classifier:updateOutput(input)
      check.dimensions(self, 'input', input, 3, 4)
      self._rows = rows_of(input)
      self.output = self.classifier:updateOutput(self._rows)
      if self.spatialOutput then self.output = maps_of(self.output, input) end
      return self.output
   end

   local function gradient_rows(self, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      return self.spatialOutput and rows_of(gradOutput) or gradOutput
   end

   function Classifier:updateGradInput(input, gradOutput)
      self.gradInput = maps_of(self.classifier:updateGradInput(self._rows, gradient_rows(self, gradOutput)), input)
      return self.gradInput
   end

   function Classifier:accGradParameters(_, gradOutput, scale)
      self.classifier:accGradParameters(self._rows, gradient_rows(self, gradOutput), scale or 1)
   end

   function Classifier:zeroGradParameters() self.classifier:zeroGradParameters() end

   function Classifier:updateParameters(learningRate) self.classifier:updateParameters(learningRate) end
end
