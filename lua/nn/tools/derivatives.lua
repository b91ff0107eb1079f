-- Comparisons of gradients with finite differences: derivatives(Tests, values_of, gradient_of) adds them to a table.
-- values_of(input) are the numbers of an input that are varied, gradient_of(input, gradInput) the gradients of these
-- as a vector. It returns functions to draw tensors, and to compute the largest difference of two.

local torch = require 'torch'
local check, expect, flat = require 'torch.base.check', require 'nn.checks.expect', require 'nn.tools.flat'

-- Raises unless a test was given a module and an input, a tensor or a table.
local function checked(name, module, input)
   expect.updates_output(name, 'argument 1', module)
   if not torch.isTensor(input) and type(input) ~= 'table' then
      check.argument_error(name, 'argument 2', 'a tensor or a table', input)
   end
end

return function(Tests, values_of, gradient_of)

   -- Runs f(gradOutput, i) for each unit vector with the structure of an output.
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
   function Tests.backward(module, input, param, dparam)
      checked('backward', module, input)
      local output = module:forward(input)
      local matrix = output.new(flat.count(param or values_of(input)), output:nElement()):zero()
      each_output(output, function(gradOutput, i)
         module:zeroGradParameters()
         local din = module:updateGradInput(input, gradOutput)
         module:accGradParameters(input, gradOutput)
         matrix:select(2, i):copy(dparam and flat.vector(dparam) or gradient_of(input, din))
      end)
      return matrix
   end

   -- The same of a parameter that accUpdateGradParameters steps along.
   function Tests.backwardUpdate(module, input, param)
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

   -- The same by finite differences.
   function Tests.forward(module, input, param, perturbation)
      checked('forward', module, input)
      param = param or values_of(input)
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

   Tests.forwardUpdate = Tests.forward

   local function randomize(t, minval, maxval)
      minval, maxval = minval or -2, maxval or 2
      for _, part in ipairs(flat.list(t)) do
         part:copy(torch.rand(part:nElement()):mul(maxval - minval):add(minval))
      end
   end

   local function max_difference(a, b) return torch.add(a, -1, b):abs():max() end

   -- Checks the arguments of a test, and draws the input, and a parameter where there is one.
   local function begin(name, module, input, param, minval, maxval)
      checked(name, module, input)
      randomize(values_of(input), minval, maxval)
      if param then randomize(param, minval, maxval) end
   end

   -- The largest difference for a random input between minval and maxval, which is left in `input`.
   function Tests.testJacobian(module, input, minval, maxval, perturbation)
      begin('testJacobian', module, input, nil, minval, maxval)
      return max_difference(Tests.forward(module, input, nil, perturbation), Tests.backward(module, input))
   end

   function Tests.testJacobianParameters(module, input, param, dparam, minval, maxval, perturbation)
      begin('testJacobianParameters', module, input, param, minval, maxval)
      local backward = Tests.backward(module, input, param, dparam)
      return max_difference(Tests.forward(module, input, param, perturbation), backward)
   end

   function Tests.testJacobianUpdateParameters(module, input, param, minval, maxval, perturbation)
      begin('testJacobianUpdateParameters', module, input, param, minval, maxval)
      local backward = Tests.backwardUpdate(module, input, param)
      return max_difference(Tests.forwardUpdate(module, input, param, perturbation), backward)
   end

   -- The differences of output and gradInput after a module went through a file.
   function Tests.testIO(module, input, minval, maxval)
      begin('testIO', module, input, nil, minval, maxval)
      local output = module:forward(input):clone()
      local gradOutput = output:clone():uniform()
      module:zeroGradParameters()
      local gradInput = flat.vector(module:updateGradInput(input, gradOutput))
      module:accGradParameters(input, gradOutput)
      local name = os.tmpname()
      torch.save(name, module)
      local loaded = torch.load(name)
      os.remove(name)
      local forward_error = max_difference(loaded:forward(input), output)
      local backward_error = max_difference(flat.vector(loaded:updateGradInput(input, gradOutput)), gradInput)
      return forward_error, backward_error
   end

   -- The differences between ways to step along the gradient of a parameter, by the field names of both.
   function Tests.testAllUpdate(module, input, weight, gradWeight)
      local output = module:forward(input)
      local gradOutput = output:clone():uniform()
      local rate = torch.uniform(0.1, 1)
      local errors = {}

      -- The reference: one step along the gradients of accGradParameters.
      local updated = module:clone()
      updated:zeroGradParameters()
      updated:updateGradInput(input, gradOutput)
      updated:accGradParameters(input, gradOutput)
      local expected = torch.add(updated[weight], -rate, updated[gradWeight])
      updated:updateParameters(rate)
      errors.accGradParameters = max_difference(updated[weight], expected)

      local direct = module:clone()
      direct:forward(input)
      direct:updateGradInput(input, gradOutput)
      direct:accUpdateGradParameters(input, gradOutput, rate)
      errors.accUpdateGradParameters = max_difference(direct[weight], expected)

      -- Two modules that share the parameter step together; both gradients are those before the steps.
      local twice = torch.add(expected, -1, module[weight]):mul(2):add(module[weight])
      local function shared(step)
         local modules = { module:clone(), module:clone() }
         modules[2]:share(modules[1], weight)
         for _, m in ipairs(modules) do
            m:forward(input)
            m:zeroGradParameters()
            m:updateGradInput(input, gradOutput)
         end
         for _, m in ipairs(modules) do step(m) end
         return max_difference(modules[1][weight], twice)
      end
      errors['accGradParameters [shared]'] = shared(function(m)
         m:accGradParameters(input, gradOutput)
         m:updateParameters(rate)
      end)
      errors['accUpdateGradParameters [shared]'] = shared(function(m)
         m:accUpdateGradParameters(input, gradOutput, rate)
      end)
      return errors
   end

   return randomize, max_difference
end
