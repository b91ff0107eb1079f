-- nn.FireModule: maps squeezed by 1 x 1 convolutions, and expanded by those of 1 x 1 and 3 x 3, side by side.

return function(Fire, parent, nn)

   function Fire:__init(nInputPlane, s1x1, e1x1, e3x3, activation)
      local expand = nn.Concat(2)
         :add(nn.SpatialConvolution(s1x1, e1x1, 1, 1))
         :add(nn.SpatialConvolution(s1x1, e3x3, 3, 3, 1, 1, 1, 1))
      activation = activation and nn[activation] or nn.ReLU
      parent.__init(self, nn.Sequential():add(nn.SpatialConvolution(nInputPlane, s1x1, 1, 1)):add(activation())
         :add(expand):add(activation()))
   end
end
