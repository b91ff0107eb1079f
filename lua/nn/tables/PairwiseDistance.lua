-- nn.PairwiseDistance: the Lp norm of the difference of two vectors, or of each pair of rows.

local torch = require 'torch'
local expect, pair = require 'nn.checks.expect', require 'nn.tables.pair'

return function(PairwiseDistance, parent)

   function PairwiseDistance:__init(p)
      parent.__init(self)
      self.gradInput = { torch.Tensor(), torch.Tensor() }
      self.diff = torch.Tensor()
      self.norm = p or 2
   end

   function PairwiseDistance:updateOutput(input)
      local a, b, batch = pair.read(self, input)
      self.output:resize(batch, 1):norm(torch.add(a, -1, b), self.norm, 2)
      self.output:resize(batch)
      return self.output
   end

   function PairwiseDistance:updateGradInput(input, gradOutput)
      pair.ensure_gradients(self, input)
      local a, b, batch = pair.read(self, input)
      expect.same_count(self, self.output, expect.tensor(self, gradOutput, 'gradOutput'))
      if self.output:nElement() ~= batch then expect.fail(self, 'backward called before forward on this input') end
      local p, d = self.norm, torch.add(a, -1, b)
      local slope
      if p == 1 then
         slope = pair.random_signs(d)
      else
         -- Nothing is divided by 0. As in the original, the derivative is that of p >= 2.
         local norm = torch.add(self.output, 1e-6):view(batch, 1)
         slope = p > 2 and torch.abs(d):pow(p - 2):cmul(d) or d
         slope:cdiv(torch.pow(norm, p - 1):expandAs(slope))
      end
      slope:cmul(gradOutput:contiguous():view(batch, 1):expandAs(slope))
      self.gradInput[1]:resizeAs(input[1]):copy(slope)
      self.gradInput[2]:resizeAs(input[2]):copy(slope):mul(-1)
      return self.gradInput
   end

   PairwiseDistance.clearState = pair.clear 'diff'
end
