-- nn.CReLU: ReLU of x and of -x, joined along the first dimension that is no batch.

return function(CReLU, _, nn)

   function CReLU:__init()
      local join = nn.JoinTable(1, self.nInputDims)
      self:add(nn.ConcatTable():add(nn.Identity()):add(nn.MulConstant(-1))):add(join):add(nn.ReLU(self.inplace))
   end

   function CReLU:__tostring__() return 'CReLU()' end
end
