-- Parameters that are added or multiplied element by element: a parameter stands for each sample of a batch,
-- and its dimensions of size 1 for all of the input's.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

local expand = {}

-- Whether each element of an input has a separate parameter.
function expand.same(parameter, input) return parameter:nElement() == input:nElement() end

-- The sizes with which a parameter broadcasts to an input: as many dimensions, 1 in front for a batch. A parameter of
-- another shape but with the elements of a sample broadcasts over the batch.
local function broadcast_sizes(module, parameter, input)
   local dims = input:dim()
   local extra = dims - parameter:dim()
   local sizes = torch.LongStorage(dims):fill(1)
   if parameter:nElement() == 1 then return sizes end
   if extra ~= 0 and dims > 1 and input:nElement() == input:size(1) * parameter:nElement() then
      for d = 1, dims do sizes[d] = d == 1 and 1 or input:size(d) end
      return sizes
   end
   local fits = extra == 0 or extra == 1
   for d = 1, dims do
      sizes[d] = d <= extra and 1 or parameter:size(d - extra)
      fits = fits and (sizes[d] == 1 or sizes[d] == input:size(d))
   end
   if not fits then
      expect.fail(module, 'input must be of size %s, or a batch of such (got %s)', expect.shape(parameter),
         expect.describe(input))
   end
   return sizes
end

-- The parameter, expanded to the sizes of the input.
function expand.forward(module, parameter, input)
   expect.own(module, input)
   if expand.same(parameter, input) then return parameter:contiguous():viewAs(input) end
   return parameter:contiguous():view(broadcast_sizes(module, parameter, input)):expandAs(input)
end

-- Adds to the gradient of a parameter the sums of a tensor of the input's sizes over the expanded dimensions.
function expand.backward(module, gradient, expanded, scale)
   if expand.same(gradient, expanded) then
      gradient:add(scale, expanded:contiguous():viewAs(gradient))
      return
   end
   local sizes = broadcast_sizes(module, gradient, expanded)
   local sum = expanded
   for d = 1, expanded:dim() do
      if sizes[d] == 1 and expanded:size(d) ~= 1 then sum = sum:sum(d) end
   end
   gradient:add(scale, sum:contiguous():viewAs(gradient))
end

-- updateGradInput of modules that add: a copy of the gradient.
function expand.pass(self, _, gradOutput)
   if self.gradInput == nil then return nil end
   self.gradInput:resizeAs(expect.own(self, gradOutput, 'gradOutput')):copy(gradOutput)
   return self.gradInput
end

return expand
