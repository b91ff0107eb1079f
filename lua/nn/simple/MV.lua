-- nn.MV: the product of a matrix and a vector, or of each pair in two batches.

local torch, pair = require 'torch', require 'nn.tables.pair'
local expect = require 'nn.checks.expect'

return function(MV)

   function MV:__init()
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   -- Both as batches of matrices; whether they are batches.
   local function parts(self, input)
      expect.table(self, input)
      local m, v = expect.tensor(self, input[1], 'input[1]'), expect.tensor(self, input[2], 'input[2]')
      local dims = m:dim()
      if v:dim() ~= dims - 1 or dims ~= 2 and dims ~= 3 or dims == 3 and m:size(1) ~= v:size(1) or
         v:size(dims - 1) ~= m:size(self.trans and dims - 1 or dims) then
         expect.argument_error(self, 'input', 'a matrix and a vector that fits it, or batches of them', input)
      end
      if dims == 2 then
         m, v = m:contiguous():view(1, m:size(1), m:size(2)), v:contiguous():view(1, v:size(1), 1)
      else
         v = v:contiguous():view(v:size(1), v:size(2), 1)
      end
      return m, v, dims
   end

   function MV:updateOutput(input)
      local m, v, dims = parts(self, input)
      if self.trans then m = m:transpose(2, 3) end
      self.output:resize(m:size(1), m:size(2), 1):bmm(m, v)
      if dims == 2 then self.output:resize(m:size(2)) else self.output:resize(m:size(1), m:size(2)) end
      return self.output
   end

   function MV:updateGradInput(input, gradOutput)
      pair.ensure_gradients(self, input)
      local m, v = parts(self, input)
      local count, rows, columns = m:size(1), m:size(2), m:size(3)
      local length = self.trans and columns or rows
      expect.tensor(self, gradOutput, 'gradOutput')
      local g = expect.gradient_rows(self, gradOutput, count, length):view(count, length, 1)
      local dm, dv = self.gradInput[1] or m.new(), self.gradInput[2] or v.new()
      self.gradInput[1], self.gradInput[2] = dm, dv
      dm:resize(count, rows, columns)
      if self.trans then dm:bmm(v, g:transpose(2, 3)) else dm:bmm(g, v:transpose(2, 3)) end
      dv:resize(count, v:size(2), 1)
      dv:bmm(self.trans and m or m:transpose(2, 3), g)
      dm:resizeAs(input[1])
      dv:resizeAs(input[2])
      return self.gradInput
   end
end
