-- nn.Balance: divides probabilities of classes by their means over the latest batches, and makes the rows add up to 1.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(Balance, parent)

   -- Of the latest batches: the sums of their columns, and their rows.
   function Balance:__init() self._sums = {} end

   -- Zeros in a divisor become ones: the corresponding numerators are 0.
   local function without_zeros(t) return t:add(t:eq(0):typeAs(t)) end

   local function remember(self, input)
      local sums, newest = self._sums, self._sums[#self._sums]
      local as_before = newest and newest.columns:type() == input:type() and newest.columns:size(2) == input:size(2)
      if not as_before then sums = {} end
      sums[#sums + 1] = { columns = input:sum(1), rows = input:size(1) }
      while #sums > self.nBatch do table.remove(sums, 1) end
      self._sums = sums
   end

   -- The means of the columns, and the rows that they are of.
   local function means_of(self)
      local total, rows = self._sums[1].columns:clone():zero(), 0
      for _, batch in ipairs(self._sums) do
         total:add(batch.columns)
         rows = rows + batch.rows
      end
      return without_zeros(total:div(rows)), rows
   end

   function Balance:updateOutput(input)
      check.real(self, 'input', input)
      check.dimensions(self, 'input', input, 2, 2)
      self.output:resizeAs(input):copy(input)
      if self.train == false then return self.output end
      remember(self, input)
      self.output:cdiv(means_of(self):expandAs(input))
      self.output:cdiv(without_zeros(self.output:sum(2)):expandAs(input))
      return self.output
   end

   function Balance:updateGradInput(input, gradOutput)
      check.same_type(self, 'gradOutput', check.same_size(self, 'gradOutput', gradOutput, input), input)
      self.gradInput:resizeAs(input):copy(gradOutput)
      if self.train == false then return self.gradInput end
      if #self._sums == 0 then check.fail(self, 'backward called before forward') end
      check.same_size(self, 'input', input, self.output)
      local means, rows = means_of(self)
      means = means:expandAs(input)
      local scaled = torch.cdiv(input, means)
      local along = torch.cmul(gradOutput, self.output):sum(2):expandAs(input)
      self.gradInput:add(-1, along):cdiv(without_zeros(scaled:sum(2)):expandAs(input)):cdiv(means)
      -- The input is in the means, too.
      local through = torch.cmul(self.gradInput, scaled):sum(1):div(rows)
      self.gradInput:add(-1, through:expandAs(input))
      return self.gradInput
   end

   function Balance:type(name, cache)
      if name then self._sums = {} end
      return parent.type(self, name, cache)
   end
end
