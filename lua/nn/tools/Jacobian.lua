-- nn.Jacobian: compares gradients of modules with finite differences.

local check = require 'torch.base.check'
local flat, derivatives = require 'nn.tools.flat', require 'nn.tools.derivatives'

local function all(input) return input end
local function vector(_, gradInput) return flat.vector(gradInput) end

return function(Jacobian)

   local randomize, max_difference = derivatives(Jacobian, all, vector)

   -- The diagonal of the Hessian of half the sum of squared outputs, by nn.hessian: the field `name` of the module,
   -- diagHessianInput, diagHessianWeight or diagHessianBias.
   function Jacobian.backwardDiagHessian(module, input, name)
      local diagonal = module:forward(input):clone():fill(1)
      for _, field in ipairs { 'diagHessianWeight', 'diagHessianBias' } do
         if module[field] then module[field]:zero() end
      end
      module:updateDiagHessianInput(input, diagonal)
      module:accDiagHessianParameters(input, diagonal)
      return module[name or 'diagHessianInput']
   end

   -- The same of a linear map, by its field gradInput, gradWeight or gradBias: the sum of the squared derivatives of
   -- all outputs, which are passed back one by one.
   function Jacobian.linearModuleDiagHessian(module, input, gradient)
      gradient = check.one_of('linearModuleDiagHessian', 'the name of a gradient', gradient or 'gradInput',
         { 'gradInput', 'gradWeight', 'gradBias' })
      local gradOutput = module:forward(input):clone():zero()
      local flat_output, total = gradOutput:view(-1), nil
      for i = 1, flat_output:nElement() do
         flat_output:zero()
         flat_output[i] = 1
         module:zeroGradParameters()
         module:updateGradInput(input, gradOutput)
         module:accGradParameters(input, gradOutput)
         local part = flat.vector(module[gradient])
         total = total or part:clone():zero()
         total:addcmul(part, part)
      end
      return total
   end

   function Jacobian.testDiagHessian(module, input, gradient, diagHessian, minval, maxval)
      randomize(input, minval, maxval)
      module:initDiagHessianParameters()
      local got = Jacobian.backwardDiagHessian(module, input, diagHessian):clone()
      local expected = Jacobian.linearModuleDiagHessian(module, input, gradient)
      return max_difference(flat.vector(got), expected)
   end

   for name, fields in pairs { Input = { 'gradInput', 'diagHessianInput' },
      Weight = { 'gradWeight', 'diagHessianWeight' }, Bias = { 'gradBias', 'diagHessianBias' } } do
      Jacobian['testDiagHessian' .. name] = function(module, input, minval, maxval)
         return Jacobian.testDiagHessian(module, input, fields[1], fields[2], minval, maxval)
      end
   end
end
