-- nn.CMaxTable and nn.CMinTable: the largest or smallest of tensors of one size, element by element.

local torch = require 'torch'
local expect = require 'nn.expect'

return function(Class, parent, _, name)

   local beyond = name == 'CMaxTable' and 'gt' or 'lt'
   local indices = name == 'CMaxTable' and 'maxIdx' or 'minIdx'
   local values = name == 'CMaxTable' and 'maxVals' or 'minVals'

   function Class:__init()
      parent.__init(self)
      self.gradInput = {}
      self[indices] = torch.Tensor()
      -- For Torch7's methods, in files from here.
      self.mask, self[values], self.gradMaxVals = torch.Tensor(), torch.Tensor(), torch.Tensor()
   end

   local function check_input(self, input)
      expect.table(self, input)
      if #input == 0 then expect.fail(self, 'input must be a table of at least one tensor (got none)') end
      for i = 1, #input do
         if not torch.isTensor(input[i]) or torch.typename(input[i]) ~= torch.typename(input[1]) or
            input[i]:nElement() ~= input[1]:nElement() or input[i]:nElement() == 0 then
            expect.refuse(self, 'tensors', 'of one type and size', input)
         end
      end
   end

   function Class:updateOutput(input)
      check_input(self, input)
      local which, output = self[indices], self.output
      which:resize(input[1]:size()):fill(1)
      output:resizeAs(input[1]):copy(input[1])
      for i = 2, #input do
         local other = input[i]:contiguous():viewAs(output)
         local mask = other[beyond](other, output)
         which:maskedFill(mask, i)
         if mask:sum() > 0 then output:maskedCopy(mask, other:maskedSelect(mask)) end
      end
      return output
   end

   function Class:updateGradInput(input, gradOutput)
      check_input(self, input)
      expect.same_count(self, input[1], expect.tensor(self, gradOutput, 'gradOutput'))
      if self[indices]:nElement() ~= input[1]:nElement() then
         expect.fail(self, 'backward called before forward on this input')
      end
      for i = 1, #input do
         local r = self.gradInput[i] or input[i].new()
         self.gradInput[i] = r
         local mask = self[indices]:eq(i)
         r:resizeAs(input[i]):zero()
         if mask:sum() > 0 then r:maskedCopy(mask, gradOutput:contiguous():viewAs(input[i]):maskedSelect(mask)) end
      end
      for i = #input + 1, #self.gradInput do self.gradInput[i] = nil end
      return self.gradInput
   end
end
