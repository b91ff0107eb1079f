-- nn.Jacobian: compares gradients of modules with finite differences.

local check = require 'torch.base.check'
local flat, derivatives = require 'nn.tools.flat', require 'nn.tools.derivatives'

local function all(input) return input end
local function vector(_, gradInput) return flat.vector(gradInput) end

return function(Jacobian)

   local randomize, largest = derivatives(Jacobian, all, vector)

   -- The diagonal of the Hessian, see nn.hessian.
   function Jacobian.backwardDiagHessian(module, input, diagHessianWeight)
      local output = module:forward(input)
      local diagonal = output:clone():fill(1)
      module:updateGradInput(input, output:clone():zero())
      local through = module:updateDiagHessianInput(input, diagonal)
      if not diagHessianWeight then return flat.vector(through) end
      module:initDiagHessianParameters()
      module:accDiagHessianParameters(input, diagonal)
      return module[diagHessianWeight]
   end

   -- Of a linear map y, the diagonal is the sum of the squared derivatives, one output after the other. `gradient` is
   -- the field that gets them: 'gradInput', 'gradWeight' or 'gradBias'.
   function Jacobian.linearModuleDiagHessian(module, input, gradient)
      gradient = check.one_of('linearModuleDiagHessian', 'the name of a gradient', gradient or 'gradInput',
         { 'gradInput', 'gradWeight', 'gradBias' })
      local jacobian
      if gradient == 'gradInput' then
         jacobian = Jacobian.backward(module, input)
      else
         local field = gradient == 'gradWeight' and 'weight' or 'bias'
         jacobian = Jacobian.backward(module, input, module[field], module[gradient])
      end
      return jacobian:cmul(jacobian):sum(2):view(-1)
   end

   function Jacobian.testDiagHessian(module, input, param, diagHessian, minval, maxval)
      randomize(input, minval, maxval)
      local expected = Jacobian.linearModuleDiagHessian(module, input, param)
      local got = Jacobian.backwardDiagHessian(module, input, diagHessian)
      return largest(flat.vector(got), expected)
   end

   for name, fields in pairs { Input = { 'gradInput' }, Weight = { 'gradWeight', 'diagHessianWeight' },
      Bias = { 'gradBias', 'diagHessianBias' } } do
      Jacobian['testDiagHessian' .. name] = function(module, input, minval, maxval)
         return Jacobian.testDiagHessian(module, input, fields[1], fields[2], minval, maxval)
      end
   end
end
