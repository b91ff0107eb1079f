-- nn.NaN: raises an error, with the module's id, when the output or a gradient of a module contains a nan.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(NaN, parent)

   local ids = 0

   function NaN:__init(module, id)
      parent.__init(self, module)
      self.id = id or self:newId()
   end

   function NaN:newId()
      ids = ids + 1
      return ids
   end

   -- Whether a tensor, or one in a table, holds a nan.
   function NaN:recursiveIsNaN(value)
      if torch.isTensor(value) then return value:nElement() > 0 and value:ne(value):sum() > 0 end
      if type(value) == 'table' then
         for _, inner in pairs(value) do
            if self:recursiveIsNaN(inner) then return true end
         end
      end
      return false
   end

   local function reject(self, value, what)
      if self:recursiveIsNaN(value) then expect.fail(self, 'nan found in %s', what) end
   end

   function NaN:updateOutput(input)
      self.output = self.modules[1]:updateOutput(input)
      reject(self, input, 'the input')
      reject(self, self.output, 'the output')
      return self.output
   end

   function NaN:updateGradInput(input, gradOutput)
      self.gradInput = self.modules[1]:updateGradInput(input, gradOutput)
      reject(self, gradOutput, 'gradOutput')
      reject(self, self.gradInput, 'gradInput')
      return self.gradInput
   end

   function NaN:accGradParameters(input, gradOutput, scale)
      self.modules[1]:accGradParameters(input, gradOutput, scale)
      local parameters, gradients = self.modules[1]:parameters()
      if not parameters then return end
      for i, p in ipairs(parameters) do
         reject(self, p, 'parameter ' .. i)
         if not rawequal(p, gradients[i]) then reject(self, gradients[i], 'the gradient of parameter ' .. i) end
      end
   end

   function NaN:__tostring__()
      return string.format('%s(%s) @ %s', torch.type(self), tostring(self.id), tostring(self.modules[1]))
   end
end
