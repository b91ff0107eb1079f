-- nn.DistMarginCriterion: the margin criterion of several classes, for targets that are distributions: the class is the
-- likeliest one.

local check = require 'torch.base.check'

return function(Dist, parent)

   function Dist:__init(options)
      parent.__init(self)
      options = options == nil and {} or check.kind('DistMarginCriterion', 'options', options, 'table')
      self.sizeAverage = options.sizeAverage == nil or options.sizeAverage
   end

   local function classes_of(self, input, target)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 1, 2)
      check.same_size(self, 'target', target, input)
      local _, classes = target:max(target:dim())
      return classes:view(-1)
   end

   function Dist:updateOutput(input, target)
      return parent.updateOutput(self, input, classes_of(self, input, target))
   end

   function Dist:updateGradInput(input, target)
      return parent.updateGradInput(self, input, classes_of(self, input, target))
   end
end
