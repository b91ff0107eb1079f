-- Methods that several classes share, as functions that add them to a class.

local check = require 'torch.base.check'

local mixins = {}

-- Leaves a field out when objects of the class change their type.
function mixins.keep_type(Class, parent, field)
   function Class:type(name, cache)
      local kept = self[field]
      self[field] = nil
      local result = parent.type(self, name, cache)
      self[field] = kept
      return result
   end
end

-- The methods of modules that modify a copy of the input, and a copy of gradOutput, in place: by
-- forward(self, output, input) and backward(self, gradInput, input).
function mixins.on_copies(Class, forward, backward)

   function Class:updateOutput(input)
      check.real(self, 'input', input)
      self.output:resizeAs(input):copy(input)
      forward(self, self.output, input)
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, input)
      self.gradInput:resizeAs(gradOutput):copy(gradOutput)
      backward(self, self.gradInput, input)
      return self.gradInput
   end
end

return mixins
