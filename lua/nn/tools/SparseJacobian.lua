-- nn.SparseJacobian: nn.Jacobian for modules whose inputs are lists of {index, value}, such as SparseLinear.

local torch = require 'torch'
local flat = require 'nn.tools.flat'

return function(SparseJacobian, nn)

   -- The values of an input, a matrix with indices and values, as a view.
   local function values_of(input) return input:select(2, 2) end

   -- Gradients with respect to the values that the input has. The gradient of a dense input is a matrix, of which the
   -- second column is taken, as of the input.
   local function of_values(input, gradInput)
      if torch.isTensor(gradInput) then return values_of(gradInput) end
      gradInput = gradInput[1]
      local v = gradInput.new(input:size(1))
      for i = 1, input:size(1) do
         for j = 1, gradInput:size(1) do
            if gradInput[j][1] == input[i][1] then v[i] = gradInput[j][2] end
         end
      end
      return v
   end

   function SparseJacobian.backward(module, input, param, dparam)
      local output = module:forward(input)
      local matrix = output.new(param and flat.count(param) or input:size(1), output:nElement()):zero()
      local gradOutput = output:clone():zero()
      for i = 1, output:nElement() do
         flat.set(gradOutput, i, 1)
         module:zeroGradParameters()
         local din = module:updateGradInput(input, gradOutput)
         module:accGradParameters(input, gradOutput)
         matrix:select(2, i):copy(dparam and flat.vector(dparam) or of_values(input, din))
         flat.set(gradOutput, i, 0)
      end
      return matrix
   end

   function SparseJacobian.backwardUpdate(module, input, param)
      return nn.Jacobian.backwardUpdate(module, input, param)
   end

   function SparseJacobian.forward(module, input, param)
      return nn.Jacobian.forward(module, input, param or values_of(input))
   end

   function SparseJacobian.forwardUpdate(module, input, param)
      return nn.Jacobian.forwardUpdate(module, input, param or values_of(input))
   end

   local function randomize(t, minval, maxval)
      minval, maxval = minval or -2, maxval or 2
      t:copy(torch.rand(t:nElement()):mul(maxval - minval):add(minval))
   end

   local function largest(a, b) return torch.add(a, -1, b):abs():max() end

   function SparseJacobian.testJacobian(module, input, minval, maxval)
      randomize(values_of(input), minval, maxval)
      return largest(SparseJacobian.forward(module, input), SparseJacobian.backward(module, input))
   end

   function SparseJacobian.testJacobianParameters(module, input, param, dparam, minval, maxval)
      randomize(values_of(input), minval, maxval)
      randomize(param, minval, maxval)
      local backward = SparseJacobian.backward(module, input, param, dparam)
      return largest(SparseJacobian.forward(module, input, param), backward)
   end

   function SparseJacobian.testJacobianUpdateParameters(module, input, param, minval, maxval)
      randomize(values_of(input), minval, maxval)
      randomize(param, minval, maxval)
      local backward = SparseJacobian.backwardUpdate(module, input, param)
      return largest(SparseJacobian.forwardUpdate(module, input, param), backward)
   end

   -- The differences of output and gradInput after a module went through a file.
   function SparseJacobian.testIO(module, input, minval, maxval)
      randomize(values_of(input), minval, maxval)
      local output = module:forward(input):clone()
      local gradOutput = output:clone():uniform()
      local function gradient(m)
         local g = m:updateGradInput(input, gradOutput)
         return (torch.isTensor(g) and g or g[1]):clone()
      end
      local gradInput, loaded = gradient(module), torch.deserialize(torch.serialize(module))
      return largest(loaded:forward(input), output), largest(gradient(loaded), gradInput)
   end

   function SparseJacobian.testAllUpdate(module, input, weight, gradWeight)
      return nn.Jacobian.testAllUpdate(module, input, weight, gradWeight)
   end
end
