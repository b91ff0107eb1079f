-- nn.Maxout: the largest of several linear maps, output by output.

return function(Maxout, parent, nn)
   function Maxout:__init(inputSize, outputSize, maxoutNumber, preprocess)
      parent.__init(self)
      self:add(nn.Linear(inputSize, outputSize * maxoutNumber))
      if preprocess then self:add(preprocess) end
      self:add(nn.View(maxoutNumber, outputSize):setNumInputDims(1)):add(nn.Max(1, 2))
      self.maxoutNumber = maxoutNumber
   end
end
