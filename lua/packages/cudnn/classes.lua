-- The classes of cudnn that exist in nn, under the same or another name. An object is an nn object with another class.

local torch = require 'torch'
local check, nn = require 'torch.base.check', require 'nn'

-- The names in nn, if they differ.
local counterparts = { VolumetricSoftMax = 'SpatialSoftMax', VolumetricLogSoftMax = 'SpatialLogSoftMax' }
local names = {
   'SpatialConvolution', 'SpatialFullConvolution', 'VolumetricConvolution', 'VolumetricFullConvolution',
   'TemporalConvolution', 'SpatialMaxPooling', 'SpatialAveragePooling', 'VolumetricMaxPooling',
   'VolumetricAveragePooling', 'ReLU', 'Tanh', 'Sigmoid', 'SoftMax', 'LogSoftMax', 'SpatialSoftMax',
   'SpatialLogSoftMax', 'VolumetricSoftMax', 'VolumetricLogSoftMax', 'BatchNormalization',
   'SpatialBatchNormalization', 'VolumetricBatchNormalization', 'SpatialCrossMapLRN', 'SpatialDivisiveNormalization',
}

return function(cudnn)
   -- Names of cudnn's classes and of the classes of nn that they replace, in the order of the list.
   cudnn._counterparts = {}

   for _, name in ipairs(names) do
      local other = counterparts[name] or name
      cudnn._counterparts[#cudnn._counterparts + 1] = { name, other }
      local Class = torch.class('cudnn.' .. name, 'nn.' .. other, cudnn)
      -- Algorithm selection, which has no effect here.
      function Class:fastest() return self end
      function Class:setMode() return self end
      function Class:resetMode() return self end
   end

   -- The stride is the size of the window by default, where that of nn is 1.
   local average = nn.SpatialAveragePooling

   function cudnn.SpatialAveragePooling:__init(kW, kH, dW, dH, padW, padH)
      average.__init(self, kW, kH, dW or kW, dH or kH, padW, padH)
   end

   -- Groups of input planes, each with its own outputs: one convolution each over a part of the planes.
   local Convolution, parent = cudnn.SpatialConvolution, nn.SpatialConvolution

   function Convolution:__init(inputs, outputs, kW, kH, dW, dH, padW, padH, groups)
      groups = groups or 1
      if groups == 1 then
         parent.__init(self, inputs, outputs, kW, kH, dW, dH, padW, padH)
      else
         check.size('SpatialConvolution', 'groups', groups)
         if inputs % groups ~= 0 or outputs % groups ~= 0 then
            check.fail('SpatialConvolution', 'planes must be multiples of %d groups (got %d and %d)', groups, inputs,
               outputs)
         end
         parent.__init(self, inputs / groups, outputs, kW, kH, dW, dH, padW, padH)
         self.nInputPlane = inputs
      end
      self.groups = groups
   end

   -- The part of a convolution for one group: a module on views of its weights.
   local function part(self, g)
      local parts = rawget(self, '_parts')
      if not parts then
         parts = {}
         self._parts = parts
      end
      local outputs, module = self.nOutputPlane / self.groups, parts[g]
      if not module then
         module = nn.SpatialConvolution(self.nInputPlane / self.groups, outputs, self.kW, self.kH, self.dW, self.dH,
            self.padW, self.padH):type(self:type())
         parts[g] = module
      end
      local at = (g - 1) * outputs + 1
      module.weight, module.gradWeight = self.weight:narrow(1, at, outputs), self.gradWeight:narrow(1, at, outputs)
      module.bias = self.bias and self.bias:narrow(1, at, outputs)
      module.gradBias = self.bias and self.gradBias:narrow(1, at, outputs)
      return module
   end

   local function planes(self, t, g, count)
      return t:narrow(t:dim() - 2, (g - 1) * count / self.groups + 1, count / self.groups)
   end

   local function check_input(self, input)
      check.dimensions(self, 'input', input, 3, 4)
      if input:size(input:dim() - 2) ~= self.nInputPlane then
         check.argument_error(self, 'input', 'a tensor of ' .. self.nInputPlane .. ' planes', input)
      end
   end

   function Convolution:updateOutput(input)
      if (self.groups or 1) == 1 then return parent.updateOutput(self, input) end
      check_input(self, input)
      for g = 1, self.groups do
         local y = part(self, g):updateOutput(planes(self, input, g, self.nInputPlane):contiguous())
         if g == 1 then
            local sizes = y:size()
            sizes[y:dim() - 2] = self.nOutputPlane
            self.output:resize(sizes)
         end
         planes(self, self.output, g, self.nOutputPlane):copy(y)
      end
      return self.output
   end

   function Convolution:updateGradInput(input, gradOutput)
      if (self.groups or 1) == 1 then return parent.updateGradInput(self, input, gradOutput) end
      check_input(self, input)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      self.gradInput:resizeAs(input)
      for g = 1, self.groups do
         local x = planes(self, input, g, self.nInputPlane):contiguous()
         local dy = planes(self, gradOutput, g, self.nOutputPlane):contiguous()
         planes(self, self.gradInput, g, self.nInputPlane):copy(part(self, g):updateGradInput(x, dy))
      end
      return self.gradInput
   end

   function Convolution:accGradParameters(input, gradOutput, scale)
      if (self.groups or 1) == 1 then return parent.accGradParameters(self, input, gradOutput, scale) end
      check_input(self, input)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      for g = 1, self.groups do
         local x = planes(self, input, g, self.nInputPlane):contiguous()
         local dy = planes(self, gradOutput, g, self.nOutputPlane):contiguous()
         part(self, g):accGradParameters(x, dy, scale)
      end
   end

   function Convolution:type(name, cache)
      if name then self._parts = nil end
      return parent.type(self, name, cache)
   end

   function Convolution:clearState()
      self._parts = nil
      return parent.clearState(self)
   end

   -- ReLU with an upper bound.
   local Clipped, clamp = torch.class('cudnn.ClippedReLU', 'nn.Clamp', cudnn)

   function Clipped:__init(ceiling, inplace)
      if type(ceiling) ~= 'number' then check.argument_error('ClippedReLU', 'ceiling', 'a number', ceiling) end
      clamp.__init(self, 0, ceiling)
      self.ceiling, self.inplace = ceiling, inplace or false
   end
end
