-- nn.FireModule: maps squeezed by 1 x 1 convolutions, and expanded by those of 1 x 1 and 3 x 3, side by side.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(nn)
   local Fire, parent = torch.class('nn.FireModule', 'nn.Decorator', nn)

   function Fire:__init(inputs, squeezed, ones, threes, activation)
      check.size('FireModule', 'input planes', inputs)
      check.size('FireModule', 'squeezed planes', squeezed)
      local expand = nn.Concat(2)
         :add(nn.SpatialConvolution(squeezed, check.size('FireModule', 'planes of 1 x 1', ones), 1, 1))
         :add(nn.SpatialConvolution(squeezed, check.size('FireModule', 'planes of 3 x 3', threes), 3, 3, 1, 1, 1, 1))
      activation = activation and nn[activation] or nn.ReLU
      parent.__init(self, nn.Sequential():add(nn.SpatialConvolution(inputs, squeezed, 1, 1)):add(activation())
         :add(expand):add(activation()))
   end
end
