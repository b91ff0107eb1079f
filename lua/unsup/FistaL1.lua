-- unsup.FistaL1(D, lambda [, params]): finds the code x of an input y that minimises |D x - y|^2 / 2 + lambda |x|_1 by
-- optim.FistaLS, which takes `params`. The output is the minimum; the code is in the field `code`.
-- LinearFistaL1 and SpatialConvFistaL1 make the decoder D, a linear layer or a full convolution, themselves.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.expect'

return function(unsup, nn)
   local FistaL1, parent = torch.class('unsup.FistaL1', 'unsup.UnsupModule', unsup)

   local DEFAULTS = { doFistaUpdate = true, maxline = 20, maxiter = 50, errthres = 1e-4, L = 0.1, Lstep = 1.5 }

   function FistaL1:__init(D, lambda, params)
      parent.__init(self, 'D')
      self.D, self.lambda = expect.updates_output('FistaL1', 'D', D), check.number('FistaL1', 'lambda', lambda)
      self.params = {}
      for name, value in pairs(DEFAULTS) do self.params[name] = value end
      for name, value in pairs(check.kind('FistaL1', 'params', params or {}, 'table')) do self.params[name] = value end
      self.cost = nn.MSECriterion(false)
      self.code = torch.Tensor()
   end

   -- Sizes of the code of an input, from the decoder's weight; decoders of other classes need a first code.
   function FistaL1:codeSize(input)
      local weight = self.D.weight
      if not torch.isTypeOf(self.D, 'nn.Linear') then
         check.fail(self, 'updateOutput(input, code) needs a first code for a decoder of class %s', torch.type(self.D))
      end
      return input:dim() == 2 and { input:size(1), weight:size(2) } or { weight:size(2) }
   end

   -- The smooth part at a code: its value, and with 'dx' its gradient.
   local function reconstruct(self, input, code, mode)
      local found = self.D:updateOutput(code)
      local value = self.cost:updateOutput(found, input) / 2
      if mode ~= 'dx' then return value end
      self.lossGradient = self.cost:updateGradInput(found, input):clone():div(2)
      return value, self.D:updateGradInput(code, self.lossGradient)
   end

   -- Returns the minimum and the history of optim.FistaLS. `code` is where the search begins, 0 without one.
   function FistaL1:updateOutput(input, code)
      check.tensor(self, 'input', input)
      if code then
         self.code:resizeAs(check.tensor(self, 'code', code)):copy(code)
      else
         self.code:resize(torch.LongStorage(self:codeSize(input))):zero()
      end
      self.params.L = self.params.L > 0 and self.params.L or DEFAULTS.L
      local _, history = require('optim').FistaLS(
         function(x, mode) return reconstruct(self, input, x, mode) end,
         function(x) return self.lambda * x:norm(1) end,
         function(x, L)
            local size = torch.abs(x):add(-self.lambda / L)
            x:sign():cmul(size:cmul(size:gt(0):typeAs(size)))
         end,
         self.code, self.params)
      -- Leaves the decoder at the code that was found.
      self.output = reconstruct(self, input, self.code) + self.lambda * self.code:norm(1)
      self.gradInput = self.code
      return self.output, history
   end

   function FistaL1:updateGradInput(input)
      reconstruct(self, input, self.code, 'dx')
      self.gradInput = self.code
      return self.gradInput
   end

   function FistaL1:accGradParameters(_, _, scale)
      self.D:accGradParameters(self.code, self.lossGradient, scale)
   end

   function FistaL1:updateDiagHessianInput(input)
      self.lossHessian = self.cost:updateDiagHessianInput(self.D.output, input):clone():div(2)
      self.diagHessianInput = self.D:updateDiagHessianInput(self.code, self.lossHessian)
      return self.diagHessianInput
   end

   function FistaL1:accDiagHessianParameters(_, _, scale)
      self.D:accDiagHessianParameters(self.code, self.lossHessian, scale)
   end

   local Linear, of_linear = torch.class('unsup.LinearFistaL1', 'unsup.FistaL1', unsup)

   function Linear:__init(inputSize, outputSize, lambda, params)
      check.size('LinearFistaL1', 'inputSize', inputSize)
      check.size('LinearFistaL1', 'outputSize', outputSize)
      of_linear.__init(self, nn.Linear(outputSize, inputSize), lambda, params)
      self.D.bias:zero()
   end

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
      of_convolution.__init(self, nn.SpatialFullConvolutionMap(connections, kW, kH, 1, 1), lambda, params)
      self.D.bias:zero()
   end

   function Convolution:codeSize(input)
      check.dimensions(self, 'input', input, 3, 4)
      local D, dims = self.D, input:dim()
      local size = { D.nInputPlane, input:size(dims - 1) - D.kH + 1, input:size(dims) - D.kW + 1 }
      if size[2] < 1 or size[3] < 1 then
         check.fail(self, 'inputs must be at least as large as the %dx%d kernels (got %s)', D.kW, D.kH,
            check.describe(input))
      end
      if dims == 4 then table.insert(size, 1, input:size(1)) end
      return size
   end
end
