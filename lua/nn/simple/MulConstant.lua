-- nn.MulConstant: multiplies by a fixed number.

local expect = require 'nn.checks.expect'

return function(MulConstant, parent)

   function MulConstant:__init(constant_scalar, ip)
      parent.__init(self)
      if type(constant_scalar) ~= 'number' then
         expect.argument_error(self, 'argument 1', 'a number', constant_scalar)
      end
      self.constant_scalar = constant_scalar
      self.inplace = ip or false
   end

   function MulConstant:updateOutput(input)
      expect.own(self, input)
      if self.inplace then
         input:mul(self.constant_scalar)
         self.output:set(input)
      else
         self.output:resizeAs(input):mul(input, self.constant_scalar)
      end
      return self.output
   end

   function MulConstant:updateGradInput(input, gradOutput)
      if self.gradInput == nil then return nil end
      expect.same_count(self, expect.own(self, input), expect.own(self, gradOutput, 'gradOutput'))
      if self.inplace then
         gradOutput:mul(self.constant_scalar)
         self.gradInput:set(gradOutput)
         -- Restores the input of the program.
         input:div(self.constant_scalar)
      else
         self.gradInput:resizeAs(gradOutput):mul(gradOutput, self.constant_scalar)
      end
      return self.gradInput
   end
end
