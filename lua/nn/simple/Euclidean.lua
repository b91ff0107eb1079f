-- nn.Euclidean: the distances of the input from the columns of the weight.

local sqrt = math.sqrt
local torch = require 'torch'
local check = require 'nn.check'

return function(Euclidean, parent)

   function Euclidean:__init(inputSize, outputSize)
      parent.__init(self)
      self.weight, self.gradWeight = torch.Tensor(inputSize, outputSize), torch.Tensor(inputSize, outputSize)
      self.gradInput:resize(inputSize)
      self.output:resize(outputSize)
      self.fastBackward = true
      self:reset()
   end

   function Euclidean:reset(stdv)
      stdv = stdv and stdv * sqrt(3) or 1 / sqrt(self.weight:size(1))
      self.weight:uniform(-stdv, stdv)
   end

   -- x - w for each sample, input and output: batch x inputs x outputs.
   local function differences(self, input)
      local weight = self.weight
      local inputs, outputs = weight:size(1), weight:size(2)
      check.own(self, input)
      local dims = input:dim()
      if dims ~= 1 and dims ~= 2 or input:size(dims) ~= inputs then
         check.fail(self, 'input of size %d, or batch x %d, expected (got %s)', inputs, inputs, check.describe(input))
      end
      local batch = dims == 2 and input:size(1) or 1
      self._repeat = self._repeat or input.new()
      self._repeat:resize(batch, inputs, outputs)
      self._repeat:copy(input:contiguous():view(batch, inputs, 1):expandAs(self._repeat))
      self._repeat:add(-1, weight:contiguous():view(1, inputs, outputs):expandAs(self._repeat))
      return self._repeat, batch, inputs, outputs
   end

   function Euclidean:updateOutput(input)
      local d, batch, _, outputs = differences(self, input)
      self.output:norm(d, 2, 2)
      if input:dim() == 1 then self.output:resize(outputs) else self.output:resize(batch, outputs) end
      return self.output
   end

   -- The gradients with respect to the differences: (x - w) / distance times gradOutput.
   local function gradients(self, input, gradOutput)
      local d, batch, inputs, outputs = differences(self, input)
      check.same_count(self, self.output, check.own(self, gradOutput, 'gradOutput'))
      if self.output:nElement() ~= batch * outputs then
         check.fail(self, 'forward of the same input expected before backward')
      end
      local ratio = torch.cdiv(gradOutput:contiguous():view(batch, 1, outputs),
         -- Nothing is divided by 0.
         torch.add(self.output, 1e-7):view(batch, 1, outputs))
      return d:cmul(ratio:expandAs(d)), batch, inputs, outputs
   end

   function Euclidean:updateGradInput(input, gradOutput)
      if self.gradInput == nil then return nil end
      local d, batch, inputs = gradients(self, input, gradOutput)
      self.gradInput:sum(d, 3)
      if input:dim() == 1 then self.gradInput:resize(inputs) else self.gradInput:resize(batch, inputs) end
      return self.gradInput
   end

   function Euclidean:accGradParameters(input, gradOutput, scale)
      local d, _, inputs, outputs = gradients(self, input, gradOutput)
      self.gradWeight:add(-(scale or 1), d:sum(1):view(inputs, outputs))
   end

   function Euclidean:clearState()
      if self._repeat then self._repeat:set() end
      return parent.clearState(self)
   end
end
