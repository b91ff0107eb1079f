-- AutoModule(name): the class autograd.nn.module.<name>, modules whose gradients follow from their function:
-- AutoModule('Scale')(function(input, weight, bias) ... end, weight, bias).

local torch = require 'torch'
local auto, errors, gradients = require 'autograd.auto', require 'torch.base.errors', require 'autograd.gradients'

local function define(class, parent)
   function class:__init(fn, weight, bias)
      parent.__init(self)
      if type(fn) ~= 'function' then errors.argument_error('AutoModule', 1, 'a function', fn) end
      self.fn = fn
      self.weight, self.gradWeight = weight, weight and weight:clone()
      self.bias, self.gradBias = bias, bias and bias:clone()
   end

   function class:updateOutput(input)
      self.grads = nil
      self.output = self.fn(input, self.weight, self.bias)
      return self.output
   end

   local function gradients_at(self, input, gradOutput)
      local function f(p) return self.fn(p.input, p.weight, p.bias) end
      local parameters = { input = input, weight = self.weight, bias = self.bias }
      return (gradients.call(f, { optimize = true }, { count = 1, parameters }, gradOutput))
   end

   function class:updateGradInput(input, gradOutput)
      self.grads = gradients_at(self, input, gradOutput)
      self.gradInput = self.grads.input
      return self.gradInput
   end

   function class:accGradParameters(input, gradOutput, scale)
      if not self.weight and not self.bias then return end
      self.grads = self.grads or gradients_at(self, input, gradOutput)
      if self.weight then self.gradWeight:add(scale or 1, self.grads.weight) end
      if self.bias then self.gradBias:add(scale or 1, self.grads.bias) end
   end
end

return function(name)
   if type(name) ~= 'string' then errors.argument_error('AutoModule', 1, 'a name for the class', name) end
   if not auto[name] then define(torch.class('autograd.nn.module.' .. name, 'nn.Module', auto)) end
   return auto[name]
end
