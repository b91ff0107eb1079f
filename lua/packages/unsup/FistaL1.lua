-- unsup.FistaL1(D, cost, lambda [, params]): finds the code x of an input y that minimises cost(D x, y) / 2 +
-- lambda |x|_1 by optim.FistaLS, which takes `params`. The output is the minimum; the code is in the field `code`.
-- unsup.LinearFistaL1 has a linear decoder, and the squared distance, all of it, as its cost; unsup.SpatialConvFistaL1
-- has a full convolution, and a distance that is weighted by how many codes see a pixel.

local torch = require 'torch'
local parts = require 'unsup.parts'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'

return function(unsup, nn)
   local FistaL1, parent = torch.class('unsup.FistaL1', 'unsup.UnsupModule', unsup)

   local DEFAULTS = { maxline = 20, maxiter = 50, errthres = 1e-4, L = 0.1, Lstep = 1.5 }

   -- Options, which are kept in the table that is given, as optim.FistaLS does with its state.
   local function options(name, params)
      params = check.kind(name, 'params', params or {}, 'table')
      for key, value in pairs(DEFAULTS) do params[key] = params[key] or value end
      params.doFistaUpdate = true
      return params
   end

   parts.add(FistaL1, 'D')

   function FistaL1:__init(D, cost, lambda, params)
      parent.__init(self)
      self.D, self.Fcost = expect.updates_output('FistaL1', 'D', D), cost
      self.Gcost, self.lambda = nn.L1Cost(), check.number('FistaL1', 'lambda', lambda)
      self.code, self.params = torch.Tensor(), options('FistaL1', params)
      self:reset()
      self.gradInput = nil
   end

   -- Searches from `code` on, which is replaced; returns the minimum and the history of optim.FistaLS.
   local function search(self, input, share)
      local _, history = require('optim').FistaLS(
         function(code, mode)
            local found = self.D:updateOutput(code)
            local value = self.Fcost:updateOutput(found, input) * share
            if not mode then return value end
            return value, self.D:updateGradInput(code, self.Fcost:updateGradInput(found, input):mul(share))
         end,
         function(code) return self.lambda * self.Gcost:updateOutput(code) end,
         function(code, L) code:shrinkage(self.lambda / L) end,
         self.code, self.params)
      return history[#history].F, history
   end

   -- The search begins at `code`.
   function FistaL1:updateOutput(input, code)
      self.input = check.tensor(self, 'input', input)
      check.tensor(self, 'code', code)
      -- A code of other sizes, such as that of a batch, is replaced.
      if self.code:nElement() ~= code:nElement() then self.code:resizeAs(code) end
      self.code:copy(code)
      local before = self.params.L
      local minimum, history = search(self, input, 0.5)
      if before == self.params.L then self.params.L = math.max(DEFAULTS.L, before / 2) end
      return minimum, history
   end

   -- A minimum has no gradient: nil.
   function FistaL1:updateGradInput() return self.gradInput end

   function FistaL1:accGradParameters(input)
      self.Fcost:updateGradInput(self.D.output, input)
      self.Fcost.gradInput:mul(0.5)
      self.D:accGradParameters(self.code, self.Fcost.gradInput)
   end

   function FistaL1:updateDiagHessianInput() end

   function FistaL1:accDiagHessianParameters(input)
      self.Fcost:updateDiagHessianInput(self.D.output, input)
      self.Fcost.diagHessianInput:mul(0.5)
      self.D:accDiagHessianParameters(self.code, self.Fcost.diagHessianInput)
   end

   -- Scales the contribution of each code, a column of a linear layer or a kernel of the decoder, to the norm 1.
   function FistaL1:normalize() parts.normalize(self.D.weight) end

   local Linear, of_linear = torch.class('unsup.LinearFistaL1', 'unsup.UnsupModule', unsup)

   parts.add(Linear, 'D')

   function Linear:__init(inputSize, outputSize, lambda, params)
      of_linear.__init(self)
      check.size('LinearFistaL1', 'inputSize', inputSize)
      check.size('LinearFistaL1', 'outputSize', outputSize)
      self.D, self.lambda = nn.Linear(outputSize, inputSize), check.number('LinearFistaL1', 'lambda', lambda)
      self.Fcost, self.Gcost, self.code = nn.MSECriterion(false), nn.L1Cost(), torch.zeros(outputSize)
      self.params, self.gradInput = options('LinearFistaL1', params), nil
      self:reset()
   end

   function Linear:reset(stdv)
      self.D:reset(stdv)
      self.D.bias:zero()
   end

   -- The search begins at 0.
   function Linear:updateOutput(input)
      self.input = check.tensor(self, 'input', input)
      local codes = self.D.weight:size(2)
      if input:dim() == 2 then self.code:resize(input:size(1), codes) else self.code:resize(codes) end
      self.code:zero()
      local before = self.params.L
      local minimum, history = search(self, input, 1)
      if before == self.params.L then self.params.L = before / 2 end
      return minimum, history
   end

   function Linear:updateGradInput() return self.gradInput end

   function Linear:accGradParameters(input)
      self.Fcost:updateGradInput(self.D.output, input)
      self.D:accGradParameters(self.code, self.Fcost.gradInput)
      self.D.gradBias:zero()
   end

   function Linear:updateParameters(learningRate)
      self.D:updateParameters(learningRate)
      self.D.bias:zero()
   end

   Linear.normalize = FistaL1.normalize

   local Convolution, of_convolution = torch.class('unsup.SpatialConvFistaL1', 'unsup.FistaL1', unsup)

   -- `connections` has rows of a plane of the code and a plane of the input; kW x kH are the kernels, and iW x iH the
   -- inputs.
   function Convolution:__init(connections, kW, kH, iW, iH, lambda, params)
      for i, value in ipairs { kW or false, kH or false, iW or false, iH or false } do
         check.size('SpatialConvFistaL1', 'argument ' .. i + 1, value)
      end
      if iW < kW or iH < kH then
         check.fail('SpatialConvFistaL1', 'inputs must be at least as large as the %dx%d kernels (got %dx%d)', kW, kH,
            iW, iH)
      end
      check.dimensions('SpatialConvFistaL1', 'connections', connections, 2, 2)
      local D = nn.SpatialFullConvolutionMap(connections, kW, kH, 1, 1)
      local weights = torch.zeros(connections:select(2, 2):max(), iH, iW)
      for i = 1, kH do
         for j = 1, kW do weights:narrow(2, i, iH - kH + 1):narrow(3, j, iW - kW + 1):add(1) end
      end
      local cost = nn.WeightedMSECriterion(weights:div(weights:max()))
      cost.sizeAverage = false
      of_convolution.__init(self, D, cost, lambda, params)
      self.code:resize(connections:select(2, 1):max(), iH - kH + 1, iW - kW + 1):zero()
   end
end
