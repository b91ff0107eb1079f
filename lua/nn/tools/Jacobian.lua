-- nn.Jacobian: compares gradients of modules with finite differences.

local torch = require 'torch'
local flat = require 'nn.tools.flat'

return function(Jacobian)

   -- Runs f(gradOutput, i) for each unit vector in the form of an output.
   local function each_output(output, f)
      local gradOutput = output:clone():zero()
      for i = 1, output:nElement() do
         flat.set(gradOutput, i, 1)
         f(gradOutput, i)
         flat.set(gradOutput, i, 0)
      end
   end

   -- The derivatives of all outputs with respect to the input, or to a parameter, of which dparam is the
   -- gradient: a row for each element of it, a column for each output.
   function Jacobian.backward(module, input, param, dparam)
      param = param or input
      local output = module:forward(input)
      local matrix = output.new(flat.count(param), output:nElement()):zero()
      each_output(output, function(gradOutput, i)
         module:zeroGradParameters()
         local din = module:updateGradInput(input, gradOutput)
         module:accGradParameters(input, gradOutput)
         matrix:select(2, i):copy(flat.vector(dparam or din))
      end)
      return matrix
   end

   -- The same of a parameter that accUpdateGradParameters steps along.
   function Jacobian.backwardUpdate(module, input, param)
      local output = module:forward(input)
      local matrix = output.new(flat.count(param), output:nElement()):zero()
      local before = param:clone()
      each_output(output, function(gradOutput, i)
         param:copy(before)
         module:updateGradInput(input, gradOutput)
         module:accUpdateGradParameters(input, gradOutput, 1)
         matrix:select(2, i):copy(flat.vector(torch.add(before, -1, param)))
      end)
      param:copy(before)
      return matrix
   end

   local function differences(module, input, param, perturbation)
      param = param or input
      local small = perturbation or 1e-6
      local count = flat.count(param)
      local output = module:forward(input)
      local matrix = output.new(count, output:nElement())
      for i = 1, count do
         local before = flat.set(param, i)
         flat.set(param, i, before - small)
         local below = module:forward(input):clone()
         flat.set(param, i, before + small)
         local above = module:forward(input)
         matrix:select(1, i):copy(torch.add(above, -1, below):div(2 * small))
         flat.set(param, i, before)
      end
      return matrix
   end

   -- The same by finite differences.
   function Jacobian.forward(module, input, param, perturbation)
      return differences(module, input, param, perturbation)
   end

   function Jacobian.forwardUpdate(module, input, param, perturbation)
      return differences(module, input, param, perturbation)
   end

   local function randomize(t, minval, maxval)
      minval, maxval = minval or -2, maxval or 2
      for _, part in ipairs(flat.list(t)) do
         part:copy(torch.rand(part:nElement()):mul(maxval - minval):add(minval))
      end
   end

   local function largest(a, b) return torch.add(a, -1, b):abs():max() end

   -- The largest difference for a random input between minval and maxval, which is left in `input`.
   function Jacobian.testJacobian(module, input, minval, maxval, perturbation)
      randomize(input, minval, maxval)
      return largest(Jacobian.forward(module, input, input, perturbation), Jacobian.backward(module, input))
   end

   function Jacobian.testJacobianParameters(module, input, param, dparam, minval, maxval, perturbation)
      randomize(input, minval, maxval)
      randomize(param, minval, maxval)
      local backward = Jacobian.backward(module, input, param, dparam)
      return largest(Jacobian.forward(module, input, param, perturbation), backward)
   end

   function Jacobian.testJacobianUpdateParameters(module, input, param, minval, maxval, perturbation)
      randomize(input, minval, maxval)
      randomize(param, minval, maxval)
      local backward = Jacobian.backwardUpdate(module, input, param)
      return largest(Jacobian.forwardUpdate(module, input, param, perturbation), backward)
   end

   -- The differences of output and gradInput after a module went through a file.
   function Jacobian.testIO(module, input, minval, maxval)
      randomize(input, minval, maxval)
      local output = module:forward(input):clone()
      local gradOutput = output:clone():uniform()
      module:zeroGradParameters()
      local gradInput = flat.vector(module:updateGradInput(input, gradOutput))
      module:accGradParameters(input, gradOutput)
      local name = os.tmpname()
      torch.save(name, module)
      local loaded = torch.load(name)
      os.remove(name)
      local forward_error = largest(loaded:forward(input), output)
      local backward_error = largest(flat.vector(loaded:updateGradInput(input, gradOutput)), gradInput)
      return forward_error, backward_error
   end

   -- The differences between ways to step along the gradient of a parameter, by the field names of both.
   function Jacobian.testAllUpdate(module, input, weight, gradWeight)
      local output = module:forward(input)
      local gradOutput = output:clone():uniform()
      local rate = torch.uniform(0.1, 1)
      local errors = {}

      -- One step along what accGradParameters gives is the measure.
      local measure = module:clone()
      measure:zeroGradParameters()
      measure:updateGradInput(input, gradOutput)
      measure:accGradParameters(input, gradOutput)
      local expected = torch.add(measure[weight], -rate, measure[gradWeight])
      local updated = module:clone()
      updated:zeroGradParameters()
      updated:updateGradInput(input, gradOutput)
      updated:accGradParameters(input, gradOutput)
      updated:updateParameters(rate)
      errors.accGradParameters = largest(updated[weight], expected)

      local direct = module:clone()
      direct:forward(input)
      direct:updateGradInput(input, gradOutput)
      direct:accUpdateGradParameters(input, gradOutput, rate)
      errors.accUpdateGradParameters = largest(direct[weight], expected)

      -- Two modules that share the parameter step together.
      local first = module:clone()
      local second = first:clone()
      second:share(first, weight)
      local twice = torch.add(expected, -1, module[weight]):mul(2):add(module[weight])
      for _, m in ipairs { first, second } do
         m:forward(input)
         m:updateGradInput(input, gradOutput)
         m:accUpdateGradParameters(input, gradOutput, rate)
      end
      errors['accUpdateGradParameters [shared]'] = largest(first[weight], twice)
      return errors
   end

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

   -- Of a linear map y, the diagonal is the sum of the squared derivatives.
   function Jacobian.linearModuleDiagHessian(module, input, gradParameters)
      local squares = Jacobian.forward(module, input, gradParameters and module[gradParameters] or input)
      return squares:cmul(squares):sum(2):view(-1)
   end

   function Jacobian.testDiagHessian(module, input, param, diagHessian, minval, maxval)
      randomize(input, minval, maxval)
      local expected = Jacobian.linearModuleDiagHessian(module, input, param)
      local got = Jacobian.backwardDiagHessian(module, input, diagHessian)
      return largest(flat.vector(got), expected)
   end

   function Jacobian.testDiagHessianInput(module, input, minval, maxval)
      return Jacobian.testDiagHessian(module, input, nil, nil, minval, maxval)
   end

   function Jacobian.testDiagHessianWeight(module, input, minval, maxval)
      return Jacobian.testDiagHessian(module, input, 'weight', 'diagHessianWeight', minval, maxval)
   end

   function Jacobian.testDiagHessianBias(module, input, minval, maxval)
      return Jacobian.testDiagHessian(module, input, 'bias', 'diagHessianBias', minval, maxval)
   end

end
