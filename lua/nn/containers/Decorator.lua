-- nn.Decorator: a container of one module that behaves as the module does.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(Decorator, parent, nn)

   function Decorator:__init(module)
      parent.__init(self)
      self.modules[1] = expect.instance_of('nn.Module', torch.type(self), 'argument 1', module)
   end

   function Decorator:updateOutput(input)
      self.output = self.modules[1]:updateOutput(input)
      return self.output
   end

   function Decorator:updateGradInput(input, gradOutput)
      self.gradInput = self.modules[1]:updateGradInput(input, gradOutput)
      return self.gradInput
   end

   for _, name in ipairs { 'accGradParameters', 'accUpdateGradParameters', 'sharedAccUpdateGradParameters' } do
      Decorator[name] = function(self, input, gradOutput, factor)
         self.modules[1][name](self.modules[1], input, gradOutput, factor)
      end
   end

   function Decorator:__tostring__()
      return torch.type(self) .. ' @ ' .. tostring(self.modules[1])
   end

   -- Gives another class the methods of this one.
   function Decorator.decorate(class)
      for _, name in ipairs { 'updateOutput', 'updateGradInput', 'accGradParameters', 'accUpdateGradParameters',
         'sharedAccUpdateGradParameters', '__tostring__' } do
         class[name] = nn.Decorator[name]
      end
   end
end
