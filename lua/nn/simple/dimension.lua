-- Dimensions as modules take them: negative ones count from the end, and inputs with one more dimension than
-- a module was told are batches.

local expect = require 'nn.checks.expect'

local dimension = {}

-- The dimension of the input that a module's `dimension` means; an error when there is none.
function dimension.positive(module, input, wanted, numInputDims)
   expect.tensor(module, input)
   local d = wanted
   if d < 0 then
      d = input:dim() + d + 1
   elseif numInputDims and input:dim() == numInputDims + 1 then
      d = d + 1
   end
   if d < 1 or d > input:dim() then
      expect.fail(module, 'input must have a dimension %d (got %s)', wanted, expect.describe(input))
   end
   return d
end

-- The method setNumInputDims.
function dimension.set_num_input_dims(module, numInputDims)
   module.numInputDims = numInputDims
   return module
end

-- updateGradInput of modules whose outputs are views of their inputs with other sizes.
function dimension.view_back(module, input, gradOutput)
   expect.same_count(module, expect.own(module, input), expect.own(module, gradOutput, 'gradOutput'))
   module.gradInput:view(gradOutput:contiguous(), input:size())
   return module.gradInput
end

return dimension
