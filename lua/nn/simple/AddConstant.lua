-- nn.AddConstant: adds a fixed number, or a fixed tensor of an input's size.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(AddConstant, parent)

   function AddConstant:__init(constant_scalar, ip)
      parent.__init(self)
      self.constant_scalar = constant_scalar
      self.inplace = ip or false
      if type(constant_scalar) ~= 'number' and not torch.isTensor(constant_scalar) then
         expect.argument_error(self, 'argument 1', 'a number or a tensor', constant_scalar)
      end
   end

   -- The constant as it is added to an input, which may be a batch.
   local function fitting(self, input)
      local constant = self.constant_scalar
      if not torch.isTensor(constant) or constant:nElement() == input:nElement() then return constant end
      if constant:dim() == input:dim() then return constant:expandAs(input) end
      local sizes = torch.LongStorage(constant:dim() + 1)
      sizes[1] = 1
      for d = 1, constant:dim() do sizes[d + 1] = constant:size(d) end
      return constant:view(sizes):expandAs(input)
   end

   function AddConstant:updateOutput(input)
      local constant = fitting(self, expect.own(self, input))
      if self.inplace then
         input:add(constant)
         self.output:set(input)
      else
         self.output:resizeAs(input):add(input, constant)
      end
      return self.output
   end

   function AddConstant:updateGradInput(input, gradOutput)
      expect.same_count(self, expect.own(self, input), expect.own(self, gradOutput, 'gradOutput'))
      if self.inplace then
         self.gradInput:set(gradOutput)
         -- Restores the input of the program.
         local constant = fitting(self, input)
         if torch.isTensor(constant) then input:add(-1, constant) else input:add(-constant) end
      else
         self.gradInput:resizeAs(gradOutput):copy(gradOutput)
      end
      return self.gradInput
   end
end
