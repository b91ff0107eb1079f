-- unsup.AutoEncoder(encoder, decoder, beta [, loss [, lambda, codeloss]]): the loss of a reconstruction, multiplied by
-- beta, plus lambda times that of the code. unsup.SparseAutoEncoder(encoder, decoder, beta, lambda [, loss]) adds
-- lambda times the L1 norm of the code.

local torch = require 'torch'
local parts = require 'unsup.parts'
local expect = require 'nn.checks.expect'

return function(unsup, nn)
   local AutoEncoder = torch.class('unsup.AutoEncoder', 'unsup.UnsupModule', unsup)

   parts.add(AutoEncoder, 'encoder', 'decoder')

   local function begin(self, name, encoder, decoder, beta, loss)
      self.encoder = expect.updates_output(name, 'encoder', encoder)
      self.decoder = expect.updates_output(name, 'decoder', decoder)
      self.beta, self.loss = beta, loss or nn.MSECriterion(false)
   end

   function AutoEncoder:__init(encoder, decoder, beta, loss, lambda, codeloss)
      begin(self, 'AutoEncoder', encoder, decoder, beta, loss)
      if lambda and codeloss then self.lambda, self.codecost = lambda, codeloss end
   end

   -- The criterion of the code, if there is one.
   local function code_cost(self) return self.lambda and (self.codecost or self.sparseCost) end

   function AutoEncoder:updateOutput(input, target)
      self.encoder:updateOutput(input)
      self.decoder:updateOutput(self.encoder.output)
      self.output = self.beta * self.loss:updateOutput(self.decoder.output, target)
      local cost = code_cost(self)
      if cost then self.output = self.output + self.lambda * cost:forward(self.encoder.output) end
      return self.output
   end

   function AutoEncoder:updateGradInput(input, target)
      local code, cost = self.encoder.output, code_cost(self)
      self.loss:updateGradInput(self.decoder.output, target)
      self.loss.gradInput:mul(self.beta)
      if cost then
         cost:updateGradInput(code)
         cost.gradInput:mul(self.lambda)
      end
      self.decoder:updateGradInput(code, self.loss.gradInput)
      if cost then self.decoder.gradInput:add(cost.gradInput) end
      self.encoder:updateGradInput(input, self.decoder.gradInput)
      self.gradInput = self.encoder.gradInput
      return self.gradInput
   end

   function AutoEncoder:accGradParameters(input)
      self.decoder:accGradParameters(self.encoder.output, self.loss.gradInput)
      self.encoder:accGradParameters(input, self.decoder.gradInput)
   end

   function AutoEncoder:updateDiagHessianInput(input, target)
      local code, cost = self.encoder.output, code_cost(self)
      self.loss:updateDiagHessianInput(self.decoder.output, target)
      self.loss.diagHessianInput:mul(self.beta)
      if cost then
         cost:updateDiagHessianInput(code)
         cost.diagHessianInput:mul(self.lambda)
      end
      self.decoder:updateDiagHessianInput(code, self.loss.diagHessianInput)
      if cost then self.decoder.diagHessianInput:add(cost.diagHessianInput) end
      self.encoder:updateDiagHessianInput(input, self.decoder.diagHessianInput)
      self.diagHessianInput = self.encoder.diagHessianInput
      return self.diagHessianInput
   end

   function AutoEncoder:accDiagHessianParameters(input)
      self.decoder:accDiagHessianParameters(self.encoder.output, self.loss.diagHessianInput)
      self.encoder:accDiagHessianParameters(input, self.decoder.diagHessianInput)
   end

   -- Divides the kernels of the decoder by their norms, if the field `normalized` is set.
   function AutoEncoder:normalize()
      if self.normalized then parts.normalize(self.decoder.weight) end
   end

   local Sparse = torch.class('unsup.SparseAutoEncoder', 'unsup.UnsupModule', unsup)

   function Sparse:__init(encoder, decoder, beta, lambda, loss)
      begin(self, 'SparseAutoEncoder', encoder, decoder, beta, loss)
      self.sparseCost, self.lambda = nn.L1Cost(), lambda
   end

   for _, name in ipairs { 'parameters', 'reset', 'zeroGradParameters', 'updateParameters', 'initDiagHessianParameters',
      'updateOutput', 'updateGradInput', 'accGradParameters', 'updateDiagHessianInput', 'accDiagHessianParameters' } do
      Sparse[name] = AutoEncoder[name]
   end
end
