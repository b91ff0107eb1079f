-- nn.Bottle: lets a module take inputs of more dimensions, the first of which are folded into one batch.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(Bottle, parent)

   function Bottle:__init(module, nInputDim, nOutputDim)
      parent.__init(self, module)
      self.output, self.gradInput = torch.Tensor():type(module._type), torch.Tensor():type(module._type)
      self.nInputDim = nInputDim or 2
      self.nOutputDim = nOutputDim or self.nInputDim
      self.dimDelta = self.nInputDim - self.nOutputDim
      -- Fields that Torch7's methods read, in files written here.
      self.inShape, self.outShape = torch.Tensor(self.nInputDim), torch.Tensor(self.nOutputDim)
   end

   -- Returns the input reshaped for the module, and the number of its dimensions that are folded into one.
   local function folded(self, input)
      expect.tensor(self, input)
      local folds = input:dim() - self.nInputDim + 1
      if folds <= 1 then return input, 1 end
      local sizes, batch = torch.LongStorage(self.nInputDim), 1
      for d = 1, folds do batch = batch * input:size(d) end
      sizes[1] = batch
      for d = 2, self.nInputDim do sizes[d] = input:size(folds + d - 1) end
      return input:contiguous():view(sizes), folds
   end

   function Bottle:updateOutput(input)
      local x, folds = folded(self, input)
      local output = self:rethrowErrors(self.modules[1], 1, 'updateOutput', x)
      if folds == 1 then
         self.output:set(output)
         return self.output
      end
      local sizes = torch.LongStorage(folds + output:dim() - 1)
      for d = 1, folds do sizes[d] = input:size(d) end
      for d = 2, output:dim() do sizes[folds + d - 1] = output:size(d) end
      self.output:set(output:contiguous():view(sizes))
      return self.output
   end

   -- Returns gradOutput reshaped for the module.
   local function unfolded(self, gradOutput)
      local output = self.modules[1].output
      expect.same_count(self, output, expect.tensor(self, gradOutput, 'gradOutput'))
      return gradOutput:contiguous():viewAs(output)
   end

   function Bottle:updateGradInput(input, gradOutput)
      local x = folded(self, input)
      local gradient = self:rethrowErrors(self.modules[1], 1, 'updateGradInput', x, unfolded(self, gradOutput))
      if gradient ~= nil then self.gradInput:set(gradient:viewAs(input)) end
      return self.gradInput
   end

   for _, name in ipairs { 'accGradParameters', 'accUpdateGradParameters' } do
      Bottle[name] = function(self, input, gradOutput, factor)
         self:rethrowErrors(self.modules[1], 1, name, (folded(self, input)), unfolded(self, gradOutput), factor)
      end
   end
end
