-- nn.CMaxTable and nn.CMinTable: the largest or smallest of tensors of one size, element by element.

local torch = require 'torch'
local expect = require 'nn.checks.expect'
local operation, typeof = require('torch.dispatch.install').operation, torch.typename

return function(Class, parent, _, name)

   -- x is the minimum or maximum of the tensors so far, y tensor v, w the numbers of those that had it.
   local texts = name == 'CMaxTable' and { minmax = 'z = where(y > x, y, x)',
      index = 'z = where(y > x, v, w)', first_index = 'z = where(y > x, 2, 1)' } or
      { minmax = 'z = where(y < x, y, x)', index = 'z = where(y < x, v, w)',
         first_index = 'z = where(y < x, 2, 1)' }
   local function program(signature, text) return operation { name, { signature, 'elementwise.map', { text } } } end
   local minmax, index = program('r t t', texts.minmax), program('r t t t n', texts.index)
   local first_index = program('r t t', texts.first_index)
   -- The gradient y where a tensor had the minimum or maximum.
   local part = program('r t t n', 'z = where(x == v, y, 0)')
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
            expect.argument_error(self, 'tensors', 'of one type and size', input)
         end
      end
   end

   function Class:updateOutput(input)
      check_input(self, input)
      local output, first = self.output, input[1]
      local own = typeof(self[indices]) == typeof(first)
      local which = (own and self[indices] or first.new()):resize(first:size())
      output:resizeAs(first)
      if #input == 1 then
         output:copy(first)
         which:fill(1)
      else
         first_index(which, first, input[2])
         minmax(output, first, input[2])
      end
      for i = 3, #input do
         index(which, output, input[i], which, i)
         minmax(output, output, input[i])
      end
      if not own then self[indices]:resize(first:size()):copy(which) end
      return output
   end

   function Class:updateGradInput(input, gradOutput)
      check_input(self, input)
      expect.same_count(self, input[1], expect.tensor(self, gradOutput, 'gradOutput'))
      if self[indices]:nElement() ~= input[1]:nElement() then
         expect.fail(self, 'backward called before forward on this input')
      end
      local which = self[indices]:typeAs(gradOutput)
      for i = 1, #input do
         self.gradInput[i] = self.gradInput[i] or input[i].new()
         part(self.gradInput[i], which, gradOutput, i):resizeAs(input[i])
      end
      for i = #input + 1, #self.gradInput do self.gradInput[i] = nil end
      return self.gradInput
   end
end
