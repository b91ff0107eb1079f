-- AutoCriterion(name): the class autograd.nn.criterion.<name>, criterions whose gradients follow from their function:
-- AutoCriterion('Squares')(function(input, target) ... end).

local torch = require 'torch'
local auto, errors, gradients = require 'autograd.auto', require 'torch.base.errors', require 'autograd.gradients'

local function define(class, parent)
   function class:__init(fn)
      parent.__init(self)
      if type(fn) ~= 'function' then errors.argument_error('AutoCriterion', 1, 'a function', fn) end
      self.fn = fn
   end

   function class:updateOutput(input, target)
      self.output = (self.fn(input, target))
      return self.output
   end

   function class:updateGradInput(input, target)
      self.gradInput = gradients.call(self.fn, { optimize = true }, { count = 2, input, target })
      return self.gradInput
   end
end

return function(name)
   if type(name) ~= 'string' then errors.argument_error('AutoCriterion', 1, 'a name for the class', name) end
   if not auto[name] then define(torch.class('autograd.nn.criterion.' .. name, 'nn.Criterion', auto)) end
   return auto[name]
end
