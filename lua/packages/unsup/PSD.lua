-- unsup.PSD(encoder, decoder, beta): predictive sparse decomposition. The decoder, an unsup.FistaL1, finds the sparse
-- code of the input, starting from the prediction of the encoder; the loss is that of FistaL1 plus beta times the
-- squared distance of the prediction from that code. LinearPSD and ConvPSD make the encoder and decoder themselves.

local torch = require 'torch'
local parts = require 'unsup.parts'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'

return function(unsup, nn)
   local PSD, parent = torch.class('unsup.PSD', 'unsup.UnsupModule', unsup)

   parts.add(PSD, 'encoder', 'decoder')

   function PSD:__init(encoder, decoder, beta, params)
      parent.__init(self)
      self.encoder = expect.updates_output('PSD', 'encoder', encoder)
      self.decoder = expect.updates_output('PSD', 'decoder', decoder)
      self.beta, self.predcost, self.params = beta, nn.MSECriterion(false), params or {}
      self:reset()
   end

   -- Returns the loss and the history of optim.FistaLS.
   function PSD:updateOutput(input)
      local prediction = self.encoder:updateOutput(input)
      local loss, history = self.decoder:updateOutput(input, prediction)
      return loss + self.beta * self.predcost:updateOutput(prediction, self.decoder.code), history
   end

   -- The code that was found is a constant for the encoder, and the prediction is one for the decoder. Returns nothing.
   function PSD:updateGradInput(input)
      local gradient = self.predcost:updateGradInput(self.encoder.output, self.decoder.code)
      self.encoder:updateGradInput(input, gradient:mul(self.beta))
   end

   function PSD:accGradParameters(input)
      self.decoder:accGradParameters(input)
      self.encoder:accGradParameters(input, self.predcost.gradInput)
   end

   function PSD:updateDiagHessianInput(input)
      local curvature = self.predcost:updateDiagHessianInput(self.encoder.output, self.decoder.code)
      self.encoder:updateDiagHessianInput(input, curvature:mul(self.beta))
      self.diagHessianInput = self.encoder.diagHessianInput
      return self.diagHessianInput
   end

   function PSD:accDiagHessianParameters(input)
      self.decoder:accDiagHessianParameters(input)
      self.encoder:accDiagHessianParameters(input, self.predcost.diagHessianInput)
   end

   function PSD:normalize() self.decoder:normalize() end

   -- A first layer, and what params.encoderType appends to it: nothing ('linear', the default), or 'tanh' or
   -- 'tanh_shrink' and a weight for each code.
   local function encoder_of(name, params, layer, codes)
      params.encoderType = params.encoderType or 'linear'
      local kind = check.one_of(name, 'encoderType', params.encoderType, { 'linear', 'tanh', 'tanh_shrink' })
      if kind == 'linear' then return layer end
      return nn.Sequential():add(layer):add(kind == 'tanh' and nn.Tanh() or nn.TanhShrink()):add(nn.Diag(codes))
   end

   local LinearPSD, of_linear = torch.class('unsup.LinearPSD', 'unsup.PSD', unsup)

   function LinearPSD:__init(inputSize, outputSize, lambda, beta, params)
      local decoder = unsup.LinearFistaL1(inputSize, outputSize, lambda, params)
      params = params or {}
      local encoder = encoder_of('LinearPSD', params, nn.Linear(inputSize, outputSize), outputSize)
      of_linear.__init(self, encoder, decoder, beta, params)
   end

   local ConvPSD, of_convolution = torch.class('unsup.ConvPSD', 'unsup.PSD', unsup)

   -- `connections` has rows of a plane of the input and a plane of the code.
   function ConvPSD:__init(connections, kW, kH, iW, iH, lambda, beta, params)
      check.dimensions('ConvPSD', 'connections', connections, 2, 2)
      local swapped = connections:clone()
      swapped:select(2, 1):copy(connections:select(2, 2))
      swapped:select(2, 2):copy(connections:select(2, 1))
      local decoder = unsup.SpatialConvFistaL1(swapped, kW, kH, iW, iH, lambda, params)
      params = params or {}
      local encoder = encoder_of('ConvPSD', params, nn.SpatialConvolutionMap(connections, kW, kH, 1, 1),
         connections:select(2, 2):max())
      of_convolution.__init(self, encoder, decoder, beta, params)
   end
end
