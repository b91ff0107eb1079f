-- nn.Clip: clamps elements to bounds. Gradients pass unchanged.

local check, on_copies = require 'torch.base.check', require 'nn.on_copies'

return function(Clip)

   function Clip:__init()
      if not (self.minval < self.maxval) then
         check.fail('Clip', 'lower bound must be less than the upper one (got %s and %s)', self.minval, self.maxval)
      end
   end

   on_copies(Clip, function(self, output) output:clamp(self.minval, self.maxval) end, function() end)
end
