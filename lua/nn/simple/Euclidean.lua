-- nn.Euclidean: the distances of the input from the columns of the weight.

local torch = require 'torch'
local distances = require 'nn.simple.distances'

return function(Euclidean, parent)

   function Euclidean:__init(inputSize, outputSize)
      parent.__init(self)
      distances.init(self, inputSize, outputSize)
      self:reset()
   end

   Euclidean.reset = distances.reset

   function Euclidean:updateOutput(input)
      self._repeat = distances.differences(self, input, self._repeat)
      return distances.output(self, input, self._repeat)
   end

   -- The gradients with respect to the differences: (x - w) / distance times gradOutput. The weight may have changed
   -- since the output was computed: it is shared, or updated in between.
   local function gradients(self, input, gradOutput)
      local d = distances.kept(self, input, self._repeat)
      return torch.cmul(d, distances.ratios(self, gradOutput, d))
   end

   function Euclidean:updateGradInput(input, gradOutput)
      if self.gradInput == nil then return nil end
      return distances.grad_input(self, input, gradients(self, input, gradOutput))
   end

   function Euclidean:accGradParameters(input, gradOutput, scale)
      self.gradWeight:add(-(scale or 1), gradients(self, input, gradOutput):sum(1):squeeze(1))
   end
end
