-- nn.LinearNoBias: y = W x.

return function(LinearNoBias, parent)
   function LinearNoBias:__init(inputSize, outputSize) parent.__init(self, inputSize, outputSize, false) end
end
