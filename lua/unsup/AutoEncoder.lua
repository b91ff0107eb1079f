-- unsup.AutoEncoder(encoder, decoder, beta [, loss]): the loss of a reconstruction, multiplied by beta.
-- unsup.SparseAutoEncoder(encoder, decoder, lambda, beta [, loss]) adds lambda times the L1 norm of the code.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.expect'

return function(unsup, nn)
   local AutoEncoder, parent = torch.class('unsup.AutoEncoder', 'unsup.UnsupModule', unsup)

   function AutoEncoder:__init(encoder, decoder, beta, loss)
      parent.__init(self, 'encoder', 'decoder')
      self.encoder = expect.updates_output('AutoEncoder', 'encoder', encoder)
      self.decoder = expect.updates_output('AutoEncoder', 'decoder', decoder)
      self.beta = check.number('AutoEncoder', 'beta', beta or 1)
      self.loss = loss and expect.updates_output('AutoEncoder', 'loss', loss) or nn.MSECriterion(false)
   end

   -- Code penalties of the classes below; the gradient is added to the one at the code.
   function AutoEncoder:penalty() return 0 end

   function AutoEncoder:addPenaltyGradient() end

   function AutoEncoder:updateOutput(input, target)
      local code = self.encoder:updateOutput(input)
      local loss = self.loss:updateOutput(self.decoder:updateOutput(code), target or input)
      self.output = self.beta * loss + self:penalty(code)
      return self.output
   end

   function AutoEncoder:updateGradInput(input, target)
      local code = self.encoder.output
      self.lossGradient = self.loss:updateGradInput(self.decoder.output, target or input):clone():mul(self.beta)
      self.codeGradient = self.decoder:updateGradInput(code, self.lossGradient):clone()
      self:addPenaltyGradient(code, self.codeGradient)
      self.gradInput = self.encoder:updateGradInput(input, self.codeGradient)
      return self.gradInput
   end

   function AutoEncoder:accGradParameters(input, _, scale)
      self.decoder:accGradParameters(self.encoder.output, self.lossGradient, scale)
      self.encoder:accGradParameters(input, self.codeGradient, scale)
   end

   function AutoEncoder:updateDiagHessianInput(input, target)
      self.lossHessian = self.loss:updateDiagHessianInput(self.decoder.output, target or input):clone():mul(self.beta)
      self.codeHessian = self.decoder:updateDiagHessianInput(self.encoder.output, self.lossHessian):clone()
      self.diagHessianInput = self.encoder:updateDiagHessianInput(input, self.codeHessian)
      return self.diagHessianInput
   end

   function AutoEncoder:accDiagHessianParameters(input, _, scale)
      self.decoder:accDiagHessianParameters(self.encoder.output, self.lossHessian, scale)
      self.encoder:accDiagHessianParameters(input, self.codeHessian, scale)
   end

   local Sparse, above = torch.class('unsup.SparseAutoEncoder', 'unsup.AutoEncoder', unsup)

   function Sparse:__init(encoder, decoder, lambda, beta, loss)
      above.__init(self, encoder, decoder, beta, loss)
      self.lambda = check.number('SparseAutoEncoder', 'lambda', lambda)
   end

   function Sparse:penalty(code) return self.lambda * code:norm(1) end

   function Sparse:addPenaltyGradient(code, gradient) gradient:add(self.lambda, torch.sign(code)) end
end
