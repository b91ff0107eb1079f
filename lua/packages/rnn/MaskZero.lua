-- nn.MaskZero: a module whose output is zero for samples of a mask. With the number of dimensions of a sample the mask
-- is that of the samples of the input that are all zeros (Element-Research); without it that of setZeroMask, or, with
-- `true`, that of the rows of zeros (torch).

local torch = require 'torch'
local check, warn, zero_rows = require 'torch.base.check', require 'torch.base.warn', require 'rnn.zero_rows'

return function(MaskZero, parent, nn)

   -- nInputDim: dimensions of a sample of the first tensor of the input, or whether rows of zeros are the mask. With a
   -- number the third argument says whether a recurrent module is masked without a warning; else it says whether the
   -- input and its gradient are masked, in place, and the fourth whether the output is.
   function MaskZero:__init(module, nInputDim, silent, maskoutput)
      parent.__init(self, module)
      if type(nInputDim) == 'number' then
         if torch.isTypeOf(module, 'nn.AbstractRecurrent') and not silent then
            warn.once('%s of a recurrent module keeps its state: module:maskZero(%s) starts it anew', torch.type(self),
               check.describe(nInputDim))
         end
         self.nInputDim = check.integer(self, 'dimensions of a sample', nInputDim, 0)
         return
      end
      if nInputDim and nInputDim ~= true then
         check.argument_error(self, 'dimensions of a sample', 'a number, true or nil', nInputDim)
      end
      self.v2, self.maskinput, self.maskoutput = not nInputDim, silent or false, maskoutput == nil or maskoutput
   end

   MaskZero.recursiveGetFirst = function(_, input) return zero_rows.first(input) end

   function MaskZero:recursiveMask(output, input, mask)
      return zero_rows.masked(self, output, input, mask, self.batchmode)
   end

   -- A ByteTensor with a 1 for each sample, or steps x batch, that is to be zero; false for none.
   function MaskZero:setZeroMask(mask)
      if mask ~= false and torch.type(mask) ~= 'torch.ByteTensor' and torch.type(mask) ~= 'torch.CudaByteTensor' then
         check.argument_error(self, 'mask', 'a torch.ByteTensor or false', mask)
      end
      self.zeroMask = mask
   end

   -- The mask of an input, from the program or its zeros; false for none.
   local function mask_of(self, input)
      if self.nInputDim then
         local mask, batch = zero_rows.mask(self, input, self.nInputDim)
         self.zeroMask, self.batchmode = mask, batch
      elseif not self.v2 then
         self.zeroMask = nn.utils.getZeroMaskBatch(input)
      elseif self.zeroMask == nil then
         check.fail(self, 'a mask, or false, must be given by setZeroMask before forward')
      end
      return self.zeroMask
   end

   -- Copies tensors into `to` with zeros in the samples of the mask.
   local function masked(self, to, from)
      if self.nInputDim then return self:recursiveMask(to, from, self.zeroMask) end
      return nn.utils.recursiveZeroMask((nn.utils.recursiveCopy(to, from)), self.zeroMask)
   end

   function MaskZero:updateOutput(input)
      local mask = mask_of(self, input)
      if mask and self.maskinput then nn.utils.recursiveZeroMask(input, mask) end
      local output = self.modules[1]:updateOutput(input)
      self.output = mask and self.maskoutput ~= false and masked(self, self.output, output) or output
      return self.output
   end

   -- Outputs for masked samples are constant: their gradients are zero.
   local function masked_gradient(self, gradOutput)
      if self.zeroMask == nil then check.fail(self, 'backward called before forward') end
      if not self.zeroMask or self.maskoutput == false then return gradOutput end
      self.gradOutput = masked(self, self.gradOutput, gradOutput)
      return self.gradOutput
   end

   function MaskZero:updateGradInput(input, gradOutput)
      self.gradInput = self.modules[1]:updateGradInput(input, masked_gradient(self, gradOutput))
      if self.zeroMask and self.maskinput then nn.utils.recursiveZeroMask(self.gradInput, self.zeroMask) end
      return self.gradInput
   end

   function MaskZero:accGradParameters(input, gradOutput, scale)
      self.modules[1]:accGradParameters(input, masked_gradient(self, gradOutput), scale)
   end
end
