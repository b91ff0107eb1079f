-- Convolutions and pooling on a device of PyTorch, for device_modules.lua.

local torch = require 'torch'
local device_calls, types = require 'cunn.device_calls', require 'torch.base.types'
local call, changed, give, need = device_calls.call, device_calls.changed, device_calls.give, device_calls.need
local of_tensor, view, view_or_nil = types.of_tensor, device_calls.view, device_calls.view_or_nil

return function(methods)

-- The number of dimensions, and kernel, stride, padding, dilation and adjustment of each.
local function geometry_of(self)
   if self.kT then
      return 3, self.kT, self.kH, self.kW, self.dT or 1, self.dH or 1, self.dW or 1, self.padT or 0, self.padH or 0,
         self.padW or 0, self.dilationT or 1, self.dilationH or 1, self.dilationW or 1, self.adjT or 0, self.adjH or 0,
         self.adjW or 0
   end
   return 2, self.kH, self.kW, self.dH or 1, self.dW or 1, self.padH or 0, self.padW or 0, self.dilationH or 1,
      self.dilationW or 1, self.adjH or 0, self.adjW or 0
end

-- Checks the dimensions of an input; returns that of the planes, from 0.
local function plane_axis(self, x)
   local n = self.kT and 3 or 2
   need(x._dim == n + 1 or x._dim == n + 2)
   return x._dim - n - 1
end

local function convolution(transposed)
   local function planes(self, x)
      need(x._size[plane_axis(self, x)] == self.nInputPlane)
      return transposed and self.nInputPlane or self.nOutputPlane
   end
   return {
      updateOutput = function(self, T, x)
         return give(T, self.output, call('convolution', view(T, x), view(T, self.weight), view_or_nil(T, self.bias),
            planes(self, x), transposed, geometry_of(self)))
      end,
      updateGradInput = function(self, T, x, g)
         need(self.gradInput ~= nil)
         return give(T, self.gradInput, call('convolution_input', view(T, x), view(T, g), view(T, self.weight),
            planes(self, x), transposed, geometry_of(self)))
      end,
      accGradParameters = function(self, T, x, g, scale)
         local gb = self.bias ~= nil and self.gradBias or nil
         changed(T, call('convolution_parameters', view(T, x), view(T, g), view(T, self.gradWeight),
            view_or_nil(T, gb), scale or 1, planes(self, x), transposed, geometry_of(self)), self.gradWeight, gb)
      end,
   }
end

for _, name in ipairs { 'SpatialConvolution', 'SpatialConvolutionMM', 'SpatialDilatedConvolution',
   'VolumetricConvolution', 'VolumetricDilatedConvolution' } do
   methods[name] = convolution(false)
end
methods.SpatialFullConvolution, methods.VolumetricFullConvolution = convolution(true), convolution(true)

local function check_frames(self, T, x)
   need((x._dim == 2 or x._dim == 3) and x._size[x._dim - 1] == self.inputFrameSize and of_tensor(self.weight) == T)
   need(self.weight._dim == 2 and self.weight._size[1] == self.inputFrameSize * self.kW)
end

methods.TemporalConvolution = {
   updateOutput = function(self, T, x)
      check_frames(self, T, x)
      return give(T, self.output, call('temporal', view(T, x), view(T, self.weight), view_or_nil(T, self.bias),
         self.dW))
   end,
   updateGradInput = function(self, T, x, g)
      check_frames(self, T, x)
      need(self.gradInput ~= nil)
      return give(T, self.gradInput, call('temporal_input', view(T, x), view(T, g), view(T, self.weight), self.dW))
   end,
   accGradParameters = function(self, T, x, g, scale)
      check_frames(self, T, x)
      local gb = self.bias ~= nil and self.gradBias or nil
      changed(T, call('temporal_parameters', view(T, x), view(T, g), view(T, self.gradWeight), view_or_nil(T, gb),
         scale or 1, self.dW), self.gradWeight, gb)
   end,
}

local function max_pooling()
   return {
      updateOutput = function(self, T, x)
         plane_axis(self, x)
         local y, indices = call('max_pool', view(T, x), self.ceil_mode or false, geometry_of(self))
         need(y)
         self.itime = self.kT and x._size[x._dim - 3] or nil
         self.iheight, self.iwidth = x._size[x._dim - 2], x._size[x._dim - 1]
         local Long = types.by_name.CudaLong
         if of_tensor(self.indices) ~= Long then self.indices = torch.CudaLongTensor() end
         give(Long, self.indices, indices)
         return give(T, self.output, y)
      end,
      updateGradInput = function(self, T, x, g)
         return give(T, self.gradInput, call('max_pool_input', view(T, x), view(T, g),
            view(types.by_name.CudaLong, self.indices), self.ceil_mode or false, geometry_of(self)))
      end,
   }
end
for _, name in ipairs { 'SpatialMaxPooling', 'SpatialDilatedMaxPooling', 'VolumetricMaxPooling',
   'VolumetricDilatedMaxPooling' } do
   methods[name] = max_pooling()
end

methods.SpatialAveragePooling = {
   updateOutput = function(self, T, x)
      need(x._dim == 3 or x._dim == 4)
      return give(T, self.output, call('average_pool', view(T, x), self.ceil_mode or false,
         self.count_include_pad ~= false, self.divide ~= false, geometry_of(self)))
   end,
   updateGradInput = function(self, T, x, g)
      return give(T, self.gradInput, call('average_pool_input', view(T, x), view(T, g), self.ceil_mode or false,
         self.count_include_pad ~= false, self.divide ~= false, geometry_of(self)))
   end,
}

end
