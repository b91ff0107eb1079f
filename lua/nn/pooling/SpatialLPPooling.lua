-- nn.SpatialLPPooling: the p-norm of each window, as a network of four modules.

return function(Pool, parent, nn)

   function Pool:__init(nInputPlane, pnorm, kW, kH, dW, dH)
      parent.__init(self)
      dW, dH = dW or kW, dH or kH
      self.kW, self.kH, self.dW, self.dH, self.nInputPlane = kW, kH, dW, dH, nInputPlane
      self:add(pnorm == 2 and nn.Square() or nn.Power(pnorm))
      self:add(nn.SpatialAveragePooling(kW, kH, dW, dH))
      self:add(nn.MulConstant(kW * kH))
      self:add(pnorm == 2 and nn.Sqrt() or nn.Power(1 / pnorm))
   end

   -- It has nothing to learn.
   function Pool:reset() end
   function Pool:accGradParameters() end
   function Pool:accUpdateGradParameters() end
   function Pool:zeroGradParameters() end
   function Pool:updateParameters() end

end
