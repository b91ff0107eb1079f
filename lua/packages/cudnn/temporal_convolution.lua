-- cudnn.TemporalConvolution(inputFrameSize, outputFrameSize, kH, dH, padH): that of nn with padH frames of zeros before
-- and after the input. Frames are rows of an image here: kH and dH are the window and the step in time.

local torch, nn = require 'torch', require 'nn'
local check = require 'torch.base.check'

return function(cudnn)
   local Convolution, parent = cudnn.TemporalConvolution, nn.TemporalConvolution

   function Convolution:__init(inputFrameSize, outputFrameSize, kH, dH, padH)
      parent.__init(self, inputFrameSize, outputFrameSize, kH, dH)
      self.nInputPlane, self.nOutputPlane = 1, outputFrameSize
      self.kW, self.kH, self.dW, self.dH = inputFrameSize, kH, 1, dH or 1
      self.padW, self.padH = 0, padH or 0
      if padH and (type(padH) ~= 'number' or padH < 0 or padH % 1 ~= 0) then
         check.argument_error('TemporalConvolution', 'padH', 'a whole number of at least 0', padH)
      end
   end

   -- Calls a method of nn, in which the window in time is kW, as it is in modules that were converted from nn.
   local function in_time(self, method, ...)
      if not self.kH then return parent[method](self, ...) end
      local kW, dW = self.kW, self.dW
      self.kW, self.dW = self.kH, self.dH
      local ok, result = pcall(parent[method], self, ...)
      self.kW, self.dW = kW, dW
      if not ok then error(result, 0) end
      return result
   end

   function Convolution:reset(stdv) return in_time(self, 'reset', stdv) end

   -- The input with its frames of zeros.
   local function padded(self, input)
      local pad = self.padH or 0
      if pad == 0 or not torch.isTensor(input) or input:dim() < 2 or input:dim() > 3 then return input end
      local d = input:dim() - 1
      local sizes, buffer = input:size(), self._padded or input.new()
      if torch.type(buffer) ~= torch.type(input) then buffer = input.new() end
      local frames = sizes[d]
      sizes[d] = frames + 2 * pad
      buffer:resize(sizes):zero():narrow(d, pad + 1, frames):copy(input)
      self._padded = buffer
      return buffer
   end

   function Convolution:updateOutput(input) return in_time(self, 'updateOutput', padded(self, input)) end

   function Convolution:updateGradInput(input, gradOutput)
      local x = padded(self, input)
      local gradient = in_time(self, 'updateGradInput', x, gradOutput)
      if rawequal(x, input) or not gradient then return gradient end
      local d = input:dim() - 1
      self.gradInput = gradient:narrow(d, self.padH + 1, input:size(d)):clone()
      return self.gradInput
   end

   function Convolution:accGradParameters(input, gradOutput, scale)
      return in_time(self, 'accGradParameters', padded(self, input), gradOutput, scale)
   end

   function Convolution:clearState()
      self._padded = nil
      return parent.clearState(self)
   end
end
