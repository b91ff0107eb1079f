-- nn.FeatureLPPooling: the p-norm of `width` neighbouring features, `stride` apart. Features are the first dimension,
-- or the second of a batch.

local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'

return function(Pool, parent)

   function Pool:__init(width, stride, power, batch_mode)
      parent.__init(self)
      if not (width >= 2 and width <= 16 and stride >= 1 and stride <= 4) then
         expect.fail(self, 'width must be from 2 to 16 and stride from 1 to 4 (got %s and %s)', expect.describe(width),
            expect.describe(stride))
      end
      self.width, self.stride, self.power, self.batch_mode = width, stride, power, batch_mode and true or false
   end

   -- Checks the input; returns the dimension of the features.
   local function prepare(self, x)
      local dim = self.batch_mode and 2 or 1
      if x:dim() < dim or x:dim() > dim + 2 or x:size(dim) < self.width then
         expect.fail(self, 'input must have %d features in dimension %d, and up to two more dimensions (got %s)',
            self.width, dim, expect.describe(x))
      end
      return dim
   end

   -- Element j of all windows along a dimension, as a view.
   local function elements(self, x, dim, j) return x:unfold(dim, self.width, self.stride):select(x:dim() + 1, j) end

   function Pool:updateOutput(input)
      kernel.of(self, input)
      local dim, y = prepare(self, input), self.output
      for j = 1, self.width do
         local part = elements(self, input, dim, j)
         if j == 1 then
            y:resize(part:size()):zero()
         end
         y:add(torch.pow(part, self.power))
      end
      return self.power == 2 and y:sqrt() or y:pow(1 / self.power)
   end

   function Pool:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local dim, r, y = prepare(self, input), self.gradInput, self.output
      expect.grad_output(self, k, gradOutput, y)
      r:resizeAs(input):zero()
      -- Norms of 0 pass nothing back.
      local safe = torch.add(y, y:eq(0):typeAs(y))
      for j = 1, self.width do
         local part = torch.cdiv(elements(self, input, dim, j), safe)
         if self.power ~= 2 then part:pow(self.power - 1) end
         elements(self, r, dim, j):add(part:cmul(gradOutput))
      end
      return r
   end

   function Pool:__tostring__()
      return string.format('%s(width %d, stride %d, power %g%s)', torch.type(self), self.width, self.stride, self.power,
         self.batch_mode and ', batches' or '')
   end

end
