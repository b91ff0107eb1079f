-- unsup.PSD(encoder, decoder, beta): predictive sparse decomposition. The decoder, an unsup.FistaL1, finds the sparse
-- code of the target, starting from the prediction of the encoder; the loss is that of FistaL1 plus beta times the
-- squared distance of the prediction from that code. LinearPSD and ConvPSD make the encoder and decoder themselves.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.expect'
local instance_of = require 'nn.instance_of'

return function(unsup, nn)
   local PSD, parent = torch.class('unsup.PSD', 'unsup.UnsupModule', unsup)

   function PSD:__init(encoder, decoder, beta, alpha, predcost)
      parent.__init(self, 'encoder', 'decoder')
      self.encoder = expect.updates_output('PSD', 'encoder', encoder)
      self.decoder = instance_of('unsup.FistaL1', 'PSD', 'decoder', decoder)
      self.beta = check.number('PSD', 'beta', beta or 1)
      self.alpha = check.number('PSD', 'alpha', alpha or 1)
      self.predcost = predcost or nn.MSECriterion(false)
   end

   -- Returns the loss and the history of optim.FistaLS. alpha weighs the loss of the decoder.
   function PSD:updateOutput(input, target)
      local prediction = self.encoder:updateOutput(input)
      local loss, history = self.decoder:updateOutput(target or input, prediction)
      self.output = self.alpha * loss + self.beta * self.predcost:updateOutput(prediction, self.decoder.code)
      return self.output, history
   end

   -- The code found is a constant for the encoder, and the prediction one for the decoder.
   function PSD:updateGradInput(input, target)
      self.decoder:updateGradInput(target or input)
      self.codeGradient = self.predcost:updateGradInput(self.encoder.output, self.decoder.code):clone():mul(self.beta)
      self.gradInput = self.encoder:updateGradInput(input, self.codeGradient)
      return self.gradInput
   end

   function PSD:accGradParameters(input, target, scale)
      self.decoder:accGradParameters(target or input, nil, (scale or 1) * self.alpha)
      self.encoder:accGradParameters(input, self.codeGradient, scale)
   end

   function PSD:updateDiagHessianInput(input, target)
      self.decoder:updateDiagHessianInput(target or input)
      self.codeHessian = self.predcost:updateDiagHessianInput(self.encoder.output, self.decoder.code):clone()
         :mul(self.beta)
      self.diagHessianInput = self.encoder:updateDiagHessianInput(input, self.codeHessian)
      return self.diagHessianInput
   end

   function PSD:accDiagHessianParameters(input, target, scale)
      self.decoder:accDiagHessianParameters(target or input, nil, (scale or 1) * self.alpha)
      self.encoder:accDiagHessianParameters(input, self.codeHessian, scale)
   end

   local LinearPSD, of_linear = torch.class('unsup.LinearPSD', 'unsup.PSD', unsup)

   function LinearPSD:__init(inputSize, outputSize, lambda, beta, params)
      local decoder = unsup.LinearFistaL1(inputSize, outputSize, lambda, params)
      local encoder = nn.Sequential():add(nn.Linear(inputSize, outputSize)):add(nn.Tanh()):add(nn.Diag(outputSize))
      of_linear.__init(self, encoder, decoder, beta)
   end

   local ConvPSD, of_convolution = torch.class('unsup.ConvPSD', 'unsup.PSD', unsup)

   -- `connections` has rows of a plane of the input and a plane of the code.
   function ConvPSD:__init(connections, kW, kH, iW, iH, lambda, beta, params)
      check.dimensions('ConvPSD', 'connections', connections, 2, 2)
      local swapped = connections:clone()
      swapped:select(2, 1):copy(connections:select(2, 2))
      swapped:select(2, 2):copy(connections:select(2, 1))
      local decoder = unsup.SpatialConvFistaL1(swapped, kW, kH, iW, iH, lambda, params)
      local encoder = nn.Sequential():add(nn.SpatialConvolutionMap(connections, kW, kH, 1, 1)):add(nn.Tanh())
         :add(nn.Diag(connections:select(2, 2):max()))
      of_convolution.__init(self, encoder, decoder, beta)
   end
end
