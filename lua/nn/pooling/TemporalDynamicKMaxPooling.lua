-- nn.TemporalDynamicKMaxPooling: the largest values of each feature in their order in time; at least minK of them, and
-- a part `factor` of the frames.

local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'

return function(Pool)

   -- Checks a call; returns the dimension of time, and how many frames are kept.
   local function prepare(self, x)
      local n = x:dim()
      if n ~= 2 and n ~= 3 then expect.argument_error(self, 'input', 'frames x features, or a batch', x) end
      local frames = x:size(n - 1)
      local kept = math.max(self.minK, math.ceil(self.factor * frames))
      if kept > frames or kept < 1 then
         expect.fail(self, 'input must have at least %d frames (got %s)', math.max(kept, 1), expect.describe(x))
      end
      return n - 1, kept
   end

   function Pool:updateOutput(input)
      kernel.of(self, input)
      local dim, kept = prepare(self, input)
      -- The order of sorting decides between equal values.
      local _, indices = input:sort(dim, true)
      self.indices = indices:narrow(dim, 1, kept):sort(dim)
      self.output:resize(self.indices:size()):copy(input:gather(dim, self.indices))
      return self.output
   end

   function Pool:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local dim = prepare(self, input)
      if not torch.isTensor(self.indices) or self.indices:dim() ~= input:dim() then
         expect.fail(self, 'backward called before forward')
      end
      if not k.is(gradOutput) or not gradOutput:isSize(self.indices:size()) then
         expect.fail(self, 'gradOutput must be of the size of the output, %s (got %s)', expect.shape(self.indices),
            expect.describe(gradOutput))
      end
      return self.gradInput:resizeAs(input):zero():scatter(dim, self.indices:long(), gradOutput)
   end

end
