-- nn.SpatialClassifier: a network for vectors, applied to the planes at each pixel of maps.

local check, expect = require 'torch.base.check', require 'nn.expect'

return function(Classifier, parent, nn)

   function Classifier:__init(classifier)
      parent.__init(self)
      expect.module(self, '__init', classifier or nn.Sequential())
      self.modules[1] = classifier or nn.Sequential()
      self.classifier = self.modules[1]
   end

   function Classifier:add(module)
      self.modules[1]:add(module)
      return self
   end

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
      self.output = maps_of(self:rethrowErrors(self.modules[1], 1, 'updateOutput', self._rows), input)
      return self.output
   end

   function Classifier:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self._gradient = rows_of(gradOutput)
      self.gradInput = maps_of(self:rethrowErrors(self.modules[1], 1, 'updateGradInput', self._rows, self._gradient),
         input)
      return self.gradInput
   end

   function Classifier:accGradParameters(_, gradOutput, scale)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self:rethrowErrors(self.modules[1], 1, 'accGradParameters', self._rows, rows_of(gradOutput), scale or 1)
   end
end
