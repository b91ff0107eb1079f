-- nn.LayerNormalization: each vector less its mean, over its standard deviation; then times gains and plus biases.

local sqrt = math.sqrt

return function(Norm, parent, nn)

   function Norm:__init(nOutput, bias, eps, affine)
      parent.__init(self)
      local mean = nn.Sequential():add(nn.Mean(1, 1)):add(nn.Replicate(nOutput, 1, 1))
      self:add(nn.ConcatTable():add(nn.Identity()):add(mean))
      self:add(nn.CSubTable())
      self:add(nn.Normalize(2, eps or 1e-10))
      self:add(nn.MulConstant(sqrt(nOutput)))
      if affine == nil or affine then
         local gains, biases = nn.CMul(nOutput), nn.Add(nOutput, false)
         gains.weight:fill(1)
         biases.bias:fill(bias or 0)
         self:add(gains):add(biases)
      end
   end

end
