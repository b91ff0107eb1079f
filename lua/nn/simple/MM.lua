-- nn.MM: the product of two matrices, or of each pair in two batches.

local torch, pair = require 'torch', require 'nn.tables.pair'
local expect = require 'nn.checks.expect'

return function(MM)

   function MM:__init()
      self.gradInput = { torch.Tensor(), torch.Tensor() }
   end

   -- The operands, transposed as `transA` and `transB` say.
   local function parts(self, input)
      expect.table(self, input)
      local a, b = expect.tensor(self, input[1], 'input[1]'), expect.tensor(self, input[2], 'input[2]')
      local dims = a:dim()
      if dims ~= b:dim() or dims ~= 2 and dims ~= 3 or dims == 3 and a:size(1) ~= b:size(1) then
         expect.argument_error(self, 'input', 'two matrices, or two batches of one size', input)
      end
      local x = self.transA and a:transpose(dims - 1, dims) or a
      local y = self.transB and b:transpose(dims - 1, dims) or b
      if x:size(dims) ~= y:size(dims - 1) then
         expect.fail(self, 'inner sizes of the matrices must agree (got %s)', expect.describe(input))
      end
      return x, y, dims
   end

   local function multiply(r, x, y, dims)
      if dims == 2 then
         r:resize(x:size(1), y:size(2)):mm(x, y)
      else
         r:resize(x:size(1), x:size(2), y:size(3)):bmm(x, y)
      end
   end

   function MM:updateOutput(input)
      local x, y, dims = parts(self, input)
      multiply(self.output, x, y, dims)
      return self.output
   end

   function MM:updateGradInput(input, gradOutput)
      pair.ensure_gradients(self, input)
      local x, y, dims = parts(self, input)
      expect.tensor(self, gradOutput, 'gradOutput')
      if gradOutput:dim() ~= dims or gradOutput:size(dims - 1) ~= x:size(dims - 1) or
         gradOutput:size(dims) ~= y:size(dims) then
         expect.fail(self, 'gradOutput must be of size %dx%d (got %s)', x:size(dims - 1), y:size(dims),
            expect.describe(gradOutput))
      end
      local function transposed(t) return t:transpose(dims - 1, dims) end
      local dx, dy = self.gradInput[1] or x.new(), self.gradInput[2] or y.new()
      self.gradInput[1], self.gradInput[2] = dx, dy
      local dz = gradOutput
      if self.transA then multiply(dx, y, transposed(dz), dims) else multiply(dx, dz, transposed(y), dims) end
      if self.transB then multiply(dy, transposed(dz), x, dims) else multiply(dy, transposed(x), dz, dims) end
      return self.gradInput
   end
end
