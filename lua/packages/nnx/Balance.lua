-- nn.Balance: divides probabilities of classes by their shares of the latest batches, and makes the rows add up to 1.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Balance, parent)

   -- inputCache has the rows of the latest nBatch batches; the next one goes to row startIdx.
   function Balance:__init(nBatch)
      parent.__init(self)
      self.nBatch, self.batchSize, self.startIdx, self.train = nBatch or 10, 0, 1, true
      self.inputCache, self.prob, self.sum = torch.Tensor(), torch.Tensor(), torch.Tensor()
   end

   local function remember(self, input)
      local rows, columns = input:size(1), input:size(2)
      if self.batchSize ~= rows or self.inputCache:size(2) ~= columns then
         self.inputCache:resize(rows * self.nBatch, columns):zero()
         self.batchSize, self.startIdx = rows, 1
      end
      self.inputCache:narrow(1, self.startIdx, rows):copy(input)
      self.startIdx = self.startIdx + rows
      if self.startIdx > self.inputCache:size(1) then self.startIdx = 1 end
   end

   function Balance:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 2, 2)
      self.output:resizeAs(input):copy(input)
      if not self.train then return self.output end
      remember(self, input)
      self.prob:sum(self.inputCache, 1)
      self.prob:div(self.prob:sum()):resize(1, input:size(2))
      self.output:cdiv(self.prob:expandAs(input))
      self.sum:sum(self.output, 2):resize(input:size(1), 1)
      self.output:cdiv(self.sum:expandAs(input))
      return self.output
   end

   -- The two divisors count as constants.
   function Balance:updateGradInput(input, gradOutput)
      check.same_type(self, 'gradOutput', check.same_size(self, 'gradOutput', gradOutput, input), input)
      if self.prob:nElement() == 0 then check.fail(self, 'backward called before forward') end
      check.same_size(self, 'input', input, self.output)
      self.gradInput:resizeAs(gradOutput):copy(gradOutput)
      self.gradInput:cdiv(self.sum:expandAs(input)):cdiv(self.prob:expandAs(input))
      return self.gradInput
   end
end
