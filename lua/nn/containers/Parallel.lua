-- nn.Parallel: a module for each slice of a dimension of the input; outputs joined along another one.

local torch = require 'torch'
local branches, check = require 'nn.containers.branches', require 'nn.check'

return function(Parallel, parent)

   function Parallel:__init(inputDimension, outputDimension)
      parent.__init(self)
      self.inputDimension, self.outputDimension = inputDimension, outputDimension
      self.totalOutputSize = torch.LongStorage()
   end

   local function check_input(self, input)
      check.tensor(self, input)
      local d = self.inputDimension
      if d > input:dim() or input:size(d) ~= #self.modules then
         check.fail(self, 'input with size %d of dimension %d expected, as there are modules (got %s)',
            #self.modules, d, check.describe(input))
      end
   end

   function Parallel:updateOutput(input)
      check_input(self, input)
      local outputs, sizes, length = {}, nil, 0
      for i = 1, #self.modules do
         local output = self:rethrowErrors(self.modules[i], i, 'updateOutput', input:select(self.inputDimension, i))
         check.tensor(self, output, 'the output of each module')
         sizes = sizes or output:size()
         for d = 1, #sizes do
            if output:dim() ~= #sizes or d ~= self.outputDimension and output:size(d) ~= sizes[d] then
               check.fail(self, 'outputs of one size but for dimension %d expected (got %s and, of module %d, %s)',
                  self.outputDimension, check.describe(outputs[1]), i, check.describe(output))
            end
         end
         if self.outputDimension > output:dim() then
            check.fail(self, 'outputs with a dimension %d expected (got %s)', self.outputDimension,
               check.describe(output))
         end
         length = length + output:size(self.outputDimension)
         outputs[i] = output
      end
      if #outputs == 0 then return self.output end
      sizes[self.outputDimension] = length
      self.totalOutputSize = sizes
      self.output:resize(sizes)
      local offset = 1
      for i = 1, #outputs do
         local size = outputs[i]:size(self.outputDimension)
         self.output:narrow(self.outputDimension, offset, size):copy(outputs[i])
         offset = offset + size
      end
      return self.output
   end

   local function each(self, name, input, gradOutput, scale, filling)
      check_input(self, input)
      check.tensor(self, gradOutput, 'gradOutput')
      if not gradOutput:isSameSizeAs(self.output) then
         check.fail(self, 'gradOutput of size %s expected, as the output (got %s)', check.shape(self.output),
            check.describe(gradOutput))
      end
      if filling then self.gradInput:resizeAs(input) end
      local offset = 1
      for i = 1, #self.modules do
         local module = self.modules[i]
         local size = module.output:size(self.outputDimension)
         local gradient = self:rethrowErrors(module, i, name, input:select(self.inputDimension, i),
            gradOutput:narrow(self.outputDimension, offset, size), scale)
         if filling then self.gradInput:select(self.inputDimension, i):copy(gradient) end
         offset = offset + size
      end
      return self.gradInput
   end

   function Parallel:updateGradInput(input, gradOutput)
      return each(self, 'updateGradInput', input, gradOutput, nil, true)
   end

   function Parallel:accGradParameters(input, gradOutput, scale)
      each(self, 'accGradParameters', input, gradOutput, scale or 1)
   end

   function Parallel:accUpdateGradParameters(input, gradOutput, lr)
      each(self, 'accUpdateGradParameters', input, gradOutput, lr)
   end

   Parallel.__tostring__ = branches.tostring
end
