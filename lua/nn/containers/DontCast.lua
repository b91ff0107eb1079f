-- nn.DontCast: keeps the type of a module when the network around it is converted; may convert its input and
-- output.

local torch, nested = require 'torch', require 'nn.module.nested'
local expect = require 'nn.checks.expect'

return function(DontCast, parent)

   -- `castin` and `castout` convert inputs to the module's type, and outputs to that of the network.
   function DontCast:__init(module, castin, castout, moduleType)
      parent.__init(self, module)
      self.castin = castin
      if castout == nil then self.castout = castin else self.castout = castout end
      self.moduleType = moduleType or module:type()
      if (self.castin or self.castout) and not self.moduleType then
         expect.fail(self, 'moduleType must be a type (got nil)')
      end
   end

   -- Converts a tensor, or a table of tensors, reusing `to` if it has that type.
   local function convert(to, from, name)
      return nested.mirror(to, from, function(part, tensor)
         if torch.type(part) ~= name then part = torch.getmetatable(name).new() end
         return part:resize(tensor:size()):copy(tensor)
      end)
   end

   local function input_of(self, input)
      if not self.castin then return input end
      self._input = convert(self._input, input, self.moduleType)
      return self._input
   end

   local function gradient_of(self, gradOutput)
      if not self.castout then return gradOutput end
      self._gradOutput = convert(self._gradOutput, gradOutput, self.moduleType)
      return self._gradOutput
   end

   function DontCast:updateOutput(input)
      local output = self.modules[1]:updateOutput(input_of(self, input))
      if self.castout then
         if self.output == output then self.output = nil end
         self.output = convert(self.output, output, self._type)
      else
         self.output = output
      end
      return self.output
   end

   function DontCast:updateGradInput(input, gradOutput)
      local gradient = self.modules[1]:updateGradInput(input_of(self, input), gradient_of(self, gradOutput))
      if self.castin then
         if self.gradInput == gradient then self.gradInput = nil end
         self.gradInput = convert(self.gradInput, gradient, self._type)
      else
         self.gradInput = gradient
      end
      return self.gradInput
   end

   for _, name in ipairs { 'accGradParameters', 'accUpdateGradParameters' } do
      DontCast[name] = function(self, input, gradOutput, factor)
         self.modules[1][name](self.modules[1], input_of(self, input), gradient_of(self, gradOutput), factor)
      end
   end

   -- Remembers the type of the network; the module keeps its own.
   function DontCast:type(name)
      if name then self._type = name end
      return self
   end
end
