-- nn.LayerNormalization: rows with mean 0 and variance 1, then a learned scale and bias for each element.

return function(LayerNormalization, parent, nn)

   function LayerNormalization:__init(nOutput, bias, eps, affine)
      parent.__init(self)
      eps = eps or 1e-10
      affine = affine == nil and true or affine
      -- x - mean. For a batch, the means are repeated element by element, as in the original.
      local mean = nn.Sequential():add(nn.Mean(1, 1)):add(nn.Replicate(nOutput, 1, 1))
      self:add(nn.ConcatTable():add(nn.Identity()):add(mean)):add(nn.CSubTable())
      -- divided by the standard deviation
      self:add(nn.Normalize(2, eps)):add(nn.MulConstant(nOutput ^ 0.5))
      if affine then
         local scale = nn.CMul(nOutput)
         scale.weight:fill(1)
         local add = nn.Add(nOutput)
         add.bias:fill(bias or 0)
         self:add(scale):add(add)
      end
   end
end
