-- Distances of inputs from the columns of a weight, for nn.Euclidean and nn.WeightedEuclidean. Differences are
-- batch x inputs x outputs.

local torch = require 'torch'
local initialization = require 'nn.module.initialization'
local expect = require 'nn.checks.expect'

local distances = {}

function distances.init(self, inputSize, outputSize)
   self.weight, self.gradWeight = torch.Tensor(inputSize, outputSize), torch.Tensor(inputSize, outputSize)
   self.gradInput:resize(inputSize)
   self.output:resize(outputSize)
   self.fastBackward = true
end

function distances.reset(self, stdv)
   stdv = initialization.bound(self, stdv, self.weight:size(1))
   self.weight:uniform(-stdv, stdv)
end

-- A parameter, inputs x outputs, expanded to the sizes of the differences d.
function distances.expanded(parameter, d) return parameter:contiguous():view(1, d:size(2), d:size(3)):expandAs(d) end

-- The differences x - w, in d if it is given.
function distances.differences(self, input, d)
   local inputs, outputs = self.weight:size(1), self.weight:size(2)
   local x = expect.vectors(self, input, inputs)
   d = (d or x.new()):resize(x:size(1), inputs, outputs)
   d:copy(x:view(x:size(1), inputs, 1):expandAs(d))
   return d:add(-1, distances.expanded(self.weight, d))
end

-- The differences d of the forward pass, recomputed if their sizes or type do not match the input.
function distances.kept(self, input, d)
   local x = expect.vectors(self, input, self.weight:size(1))
   local fits = torch.type(d) == torch.type(x) and d:dim() == 3 and d:size(1) == x:size(1)
      and d:size(2) == self.weight:size(1) and d:size(3) == self.weight:size(2)
   return fits and d or distances.differences(self, input)
end

-- The sizes of a result of `count` columns, whose rows are the samples of the input.
local function resized(result, input, count)
   return input:dim() == 1 and result:resize(count) or result:resize(input:size(1), count)
end

function distances.output(self, input, d)
   -- A program may have set another one.
   if torch.type(self.output) ~= d:type() then self.output = d.new() end
   self.output:norm(d, 2, 2)
   return resized(self.output, input, d:size(3))
end

function distances.grad_input(self, input, d)
   self.gradInput:sum(d, 3)
   return resized(self.gradInput, input, d:size(2))
end

-- gradOutput / distance, expanded to the sizes of the differences.
function distances.ratios(self, gradOutput, d)
   expect.same_count(self, self.output, expect.own(self, gradOutput, 'gradOutput'))
   local batch, outputs = d:size(1), d:size(3)
   if self.output:nElement() ~= batch * outputs then
      expect.fail(self, 'backward called before forward on this input')
   end
   return torch.cdiv(gradOutput:contiguous():view(batch, 1, outputs),
      -- Nothing is divided by 0.
      torch.add(self.output, 1e-7):view(batch, 1, outputs)):expandAs(d)
end

return distances
