-- nn.CReLU: ReLU of x and of -x, joined along the first dimension that is no batch.

return function(CReLU, parent, nn)

   function CReLU:__init(nInputDims, inplace)
      parent.__init(self)
      self.nInputDims, self.inplace = nInputDims, inplace or false
      local join = nn.JoinTable(1, nInputDims)
      self:add(nn.ConcatTable():add(nn.Identity()):add(nn.MulConstant(-1))):add(join):add(nn.ReLU(self.inplace))
   end

   function CReLU:__tostring__() return 'CReLU()' end
end
