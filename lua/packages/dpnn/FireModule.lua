-- nn.FireModule: maps squeezed by 1 x 1 convolutions, and expanded by those of 1 x 1 and 3 x 3, side by side.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Fire, parent, nn)

   function Fire:__init(nInputPlane, s1x1, e1x1, e3x3, activation)
      activation = activation or 'ReLU'
      local Activation = nn[check.kind('FireModule', 'activation', activation, 'string')]
      if not Activation then
         check.argument_error('FireModule', 'activation', 'the name of a class of nn', activation)
      end
      check.size('FireModule', 's1x1', s1x1)
      if s1x1 > check.size('FireModule', 'e1x1', e1x1) + check.size('FireModule', 'e3x3', e3x3) then
         _G.print('Warning: <FireModule> s1x1 is recommended to be smaller then e1x1+e3x3')
      end
      local squeeze = nn.SpatialConvolution(nInputPlane, s1x1, 1, 1)
      local expand = nn.Concat(2)
         :add(nn.SpatialConvolution(s1x1, e1x1, 1, 1))
         :add(nn.SpatialConvolution(s1x1, e3x3, 3, 3, 1, 1, 1, 1))
      parent.__init(self, nn.Sequential():add(squeeze):add(Activation()):add(expand):add(Activation()))
      self.module, self.squeeze, self.expand = self.modules[1], squeeze, expand
      self.nInputPlane, self.s1x1, self.e1x1, self.e3x3, self.activation = nInputPlane, s1x1, e1x1, e3x3, activation
   end

   function Fire:__tostring__()
      return string.format('%s inputPlanes: %d -> Squeeze Planes: %d -> Expand: %d(1x1) + %d(3x3), activation: %s',
         torch.type(self), self.nInputPlane, self.s1x1, self.e1x1, self.e3x3, self.activation)
   end
end
