-- nn.Clip: clamps elements to bounds. Gradients pass unchanged.

local check, mixins = require 'torch.base.check', require 'nn.module.mixins'

return function(Clip)

   function Clip:__init()
      if not (self.minval < self.maxval) then
         check.fail('Clip', 'lower bound must be less than the upper one (got %s and %s)', self.minval, self.maxval)
      end
   end

   mixins.on_copies(Clip, function(self, output) output:clamp(self.minval, self.maxval) end)

   function Clip:updateGradInput(input, gradOutput)
      self.gradInput:set(check.same_size(self, 'gradOutput', gradOutput, input))
      return self.gradInput
   end
end
