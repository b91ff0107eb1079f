-- nn.Mean: the mean along a dimension.

return function(Mean, parent)
   function Mean:__init(dimension, nInputDims)
      parent.__init(self, dimension, nInputDims, true)
   end
end
