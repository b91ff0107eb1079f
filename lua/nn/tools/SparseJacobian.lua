-- nn.SparseJacobian: nn.Jacobian for modules whose inputs are lists of {index, value}, such as SparseLinear.

local torch = require 'torch'
local derivatives = require 'nn.tools.derivatives'

return function(SparseJacobian)

   -- The values of an input, a matrix with indices and values, as a view.
   local function values_of(input) return input:select(2, 2) end

   -- Gradients with respect to the values that the input has. The gradient of a dense input is a matrix, of which the
   -- second column is taken, as of the input.
   local function of_values(input, gradInput)
      if torch.isTensor(gradInput) then return values_of(gradInput) end
      gradInput = gradInput[1]
      local v = gradInput.new(input:size(1))
      for i = 1, input:size(1) do
         for j = 1, gradInput:size(1) do
            if gradInput[j][1] == input[i][1] then v[i] = gradInput[j][2] end
         end
      end
      return v
   end

   derivatives(SparseJacobian, values_of, of_values)
end
