-- nn.Copy: converts between types.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(Copy, parent)

   -- `forceCopy` copies where the types are the same, too; `dontCast` keeps the output's type when the module
   -- is converted.
   function Copy:__init(intype, outtype, forceCopy, dontCast)
      parent.__init(self)
      self.intype, self.outtype = intype or torch.getdefaulttensortype(), outtype or torch.getdefaulttensortype()
      self.dontCast = dontCast
      self.gradInput = torch.getmetatable(self.intype).new()
      self.output = torch.getmetatable(self.outtype).new()
      self.forced = forceCopy or self.intype ~= self.outtype
   end

   local function pass(self, field, value)
      expect.tensor(self, value, field == 'output' and 'input' or 'gradOutput')
      -- Copies between equal types that Torch7 saved have methods of their own instead of these fields.
      if self.forced or self.forced == nil and (self.intype == nil or self.intype ~= self.outtype) then
         self[field]:resize(value:size()):copy(value)
      else
         self[field] = value
      end
      return self[field]
   end

   function Copy:updateOutput(input) return pass(self, 'output', input) end
   function Copy:updateGradInput(_, gradOutput) return pass(self, 'gradInput', gradOutput) end

   function Copy:type(name, cache)
      if name and self.dontCast then return self end
      return parent.type(self, name, cache)
   end
end
