-- nn.CategoricalEntropy: the identity for batch x probabilities, whose gradient adds that of -scale times the entropy
-- of the mean probabilities, while it is below minEntropy: so that no class is neglected.

local torch = require 'torch'
local check, mixins = require 'torch.base.check', require 'nn.module.mixins'

return function(Entropy)

   -- Added to what a logarithm is taken of.
   local EPSILON = 1e-6

   function Entropy:__init() self.sizeAverage = true end

   mixins.on_copies(Entropy, nil,
      function(self, gradInput, input)
         local total = input:sum()
         local share = input:sum(1):div(total)
         local logarithm = torch.log(share + EPSILON)
         self.entropy = -torch.cmul(share, logarithm):sum()
         if self.minEntropy and not (self.entropy < self.minEntropy) then return end
         local slope = logarithm:add(torch.cdiv(share, share + EPSILON)):mul(self.scale / total)
         if self.sizeAverage ~= false then slope:div(input:size(1)) end
         gradInput:add(slope:expandAs(gradInput))
      end)

   function Entropy:updateOutput(input)
      check.dimensions(self, 'input', input, 2, 2)
      self.output:set(input)
      return self.output
   end
end
