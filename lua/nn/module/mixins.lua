-- Methods that several classes share, as functions that add them to a class.

local check = require 'torch.base.check'

local mixins = {}

-- Sets the fields of an object to those that a file holds for it.
function mixins.read_fields(self, file)
   for key, value in pairs(check.file(self, 'file', file, 'readObject'):readObject()) do self[key] = value end
end

-- Adds noBias() to a class.
function mixins.no_bias(Class)
   function Class:noBias()
      self.bias, self.gradBias = nil, nil
      return self
   end
end

-- Makes modules that share parameters step along their own gradients, without adding them up first.
function mixins.shared_update(Class)
   function Class:sharedAccUpdateGradParameters(input, gradOutput, lr)
      self:defaultAccUpdateGradParameters(input, gradOutput, lr)
   end
end

-- Leaves fields unchanged when objects of the class change their type.
function mixins.keep_type(Class, parent, ...)
   local fields = { ... }
   function Class:type(name, cache)
      local kept = {}
      for i, field in ipairs(fields) do kept[i], self[field] = self[field], nil end
      local result = parent.type(self, name, cache)
      for i, field in ipairs(fields) do self[field] = kept[i] end
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
