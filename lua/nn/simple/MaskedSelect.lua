-- nn.MaskedSelect: the elements of a tensor where a mask is 1: {tensor, ByteTensor}.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(MaskedSelect, parent)

   function MaskedSelect:__init()
      parent.__init(self)
      self._maskIndices = torch.LongTensor()
      self._maskIndexBuffer, self._maskIndexBufferCPU = torch.LongTensor(), torch.FloatTensor()
      self._gradBuffer = torch.Tensor()
      self._gradMask = torch.ByteTensor()
      self.gradInput = { self._gradBuffer, self._gradMask }
   end

   local function parts(self, input)
      expect.table(self, input)
      local t, mask = expect.tensor(self, input[1], 'input[1]'), expect.tensor(self, input[2], 'input[2]')
      expect.same_count(self, t, mask, 'input[2]')
      return t, mask:byte()
   end

   function MaskedSelect:updateOutput(input)
      local t, mask = parts(self, input)
      self.output:maskedSelect(t, mask)
      return self.output
   end

   function MaskedSelect:updateGradInput(input, gradOutput)
      local t, mask = parts(self, input)
      self._gradBuffer:resizeAs(t):zero()
      expect.own(self, gradOutput, 'gradOutput')
      if gradOutput:nElement() > 0 then self._gradBuffer:maskedCopy(mask, gradOutput) end
      self._gradMask:resize(mask:size()):zero()
      self.gradInput = { self._gradBuffer, self._gradMask }
      return self.gradInput
   end

   function MaskedSelect:type(name)
      if not name then return self._type end
      self._gradBuffer = self._gradBuffer:type(name)
      self.gradInput = { self._gradBuffer, self._gradMask }
      self.output = self.output:type(name)
      self._type = name
      return self
   end
end
