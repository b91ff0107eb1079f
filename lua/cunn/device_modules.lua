-- Modules of nn on a device of PyTorch: methods that are tried before those of the class, which compute on the CPU.
-- These handle the common cases; all others, and the errors, are for the class.

local torch = require 'torch'
local device_buffers, geometry = require 'torch.memory.device_buffers', require 'torch.base.geometry'
local device_calls, types = require 'cunn.device_calls', require 'torch.base.types'
local count_of, same_size = geometry.count, geometry.same_size
local of_tensor = types.of_tensor
local call, changed, give, like = device_calls.call, device_calls.changed, device_calls.give, device_calls.like
local need, tried, view, view_or_nil = device_calls.need, device_calls.tried, device_calls.view,
   device_calls.view_or_nil

local methods = {}

-- Layers ------------------------------------------------------------------------------------------------------------

methods.Linear = {
   updateOutput = function(self, T, x)
      local w, b = self.weight, self.bias
      need(of_tensor(w) == T and w._dim == 2 and x._dim <= 2 and x._size[x._dim - 1] == w._size[1])
      need(b == nil or count_of(b) == w._size[0])
      return give(T, self.output, call('linear', view(T, x), view(T, w), view_or_nil(T, b)))
   end,
   updateGradInput = function(self, T, x, g)
      need(of_tensor(g) == T and g._dim == x._dim and x._dim <= 2 and self.gradInput ~= nil)
      return give(T, self.gradInput, call('linear_input', view(T, g), view(T, self.weight)))
   end,
   accGradParameters = function(self, T, x, g, scale)
      need(of_tensor(g) == T and g._dim == x._dim and x._dim <= 2)
      local gb = self.bias ~= nil and self.gradBias or nil
      changed(T, call('linear_parameters', view(T, x), view(T, g), view(T, self.gradWeight), view_or_nil(T, gb),
         scale or 1), self.gradWeight, gb)
   end,
}

-- Kernel, stride, padding, dilation and adjustment, each of height and width.
local function geometry_of(self)
   return self.kH, self.kW, self.dH or 1, self.dW or 1, self.padH or 0, self.padW or 0, self.dilationH or 1,
      self.dilationW or 1, self.adjH or 0, self.adjW or 0
end

local function convolution(turned)
   local function planes(self, x)
      need((x._dim == 3 or x._dim == 4) and x._size[x._dim - 3] == self.nInputPlane)
      return turned and self.nInputPlane or self.nOutputPlane
   end
   return {
      updateOutput = function(self, T, x)
         return give(T, self.output, call('convolution', view(T, x), view(T, self.weight), view_or_nil(T, self.bias),
            planes(self, x), turned, geometry_of(self)))
      end,
      updateGradInput = function(self, T, x, g)
         need(self.gradInput ~= nil)
         return give(T, self.gradInput, call('convolution_input', view(T, x), view(T, g), view(T, self.weight),
            planes(self, x), turned, geometry_of(self)))
      end,
      accGradParameters = function(self, T, x, g, scale)
         local gb = self.bias ~= nil and self.gradBias or nil
         changed(T, call('convolution_parameters', view(T, x), view(T, g), view(T, self.gradWeight),
            view_or_nil(T, gb), scale or 1, planes(self, x), turned, geometry_of(self)), self.gradWeight, gb)
      end,
   }
end

methods.SpatialConvolution, methods.SpatialConvolutionMM = convolution(false), convolution(false)
methods.SpatialDilatedConvolution, methods.SpatialFullConvolution = convolution(false), convolution(true)

local function max_pooling()
   return {
      updateOutput = function(self, T, x)
         need(x._dim == 3 or x._dim == 4)
         local y, indices = call('max_pool', view(T, x), self.ceil_mode or false, geometry_of(self))
         need(y)
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
methods.SpatialMaxPooling, methods.SpatialDilatedMaxPooling = max_pooling(), max_pooling()

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

local function norm_back(self, T, x, g, scale, to_parameters)
   need(x._dim == self.nDim and same_size(x, g))
   local train = self.train ~= false
   local gw, gb = to_parameters and self.gradWeight or nil, to_parameters and self.gradBias or nil
   local result = call('batch_norm_back', view(T, x), view(T, g), view_or_nil(T, self.weight),
      view(T, self.running_mean), view(T, self.running_var), train and view(T, self.save_mean) or nil,
      train and view(T, self.save_std) or nil, train, self.eps, view_or_nil(T, gw), view_or_nil(T, gb), scale)
   changed(T, result, gw, gb)
   return result
end

local function normalization()
   return {
      updateOutput = function(self, T, x)
         need(x._dim == self.nDim and x._size[1] == count_of(self.running_mean))
         local train = self.train ~= false
         local y, mean, inverse = call('batch_norm', view(T, x), view_or_nil(T, self.weight),
            view_or_nil(T, self.bias), view(T, self.running_mean), view(T, self.running_var), train, self.momentum,
            self.eps)
         need(y)
         if train then
            changed(T, true, self.running_mean, self.running_var)
            self.save_mean = give(T, of_tensor(self.save_mean) == T and self.save_mean or T.new_tensor(), mean)
            self.save_std = give(T, of_tensor(self.save_std) == T and self.save_std or T.new_tensor(), inverse)
         end
         return give(T, self.output, y)
      end,
      updateGradInput = function(self, T, x, g)
         need(self.gradInput)
         return give(T, self.gradInput, norm_back(self, T, x, g, 1, false))
      end,
      accGradParameters = function(self, T, x, g, scale) norm_back(self, T, x, g, scale or 1, true) end,
      backward = function(self, T, x, g, scale)
         need(self.gradInput)
         return give(T, self.gradInput, norm_back(self, T, x, g, scale or 1, true))
      end,
   }
end
for _, name in ipairs { 'BatchNormalization', 'SpatialBatchNormalization', 'VolumetricBatchNormalization' } do
   methods[name] = normalization()
end

-- Element-wise, of tables, and probabilities ------------------------------------------------------------------------

local function run(T, text, z, x, y, w, v, u) need(device_buffers.fused(text, T, z, x, y, w, v, u)) end

local function zero() return 0 end

-- The methods of a row of transfer_rows.lua.
local function transfer(row)
   local v_of, u_of = row.v or zero, row.u or zero
   local function programs(self) return row.special and row.special(self, 1) or row end
   return {
      updateOutput = function(self, T, x)
         need(count_of(x) > 0)
         local y = x
         if self.inplace ~= true then y = like(T, self.output, x) end
         run(T, programs(self).output, y, x, nil, nil, v_of(self), u_of(self))
         if self.inplace == true then self.output:set(x) end
         return self.output
      end,
      updateGradInput = function(self, T, x, g)
         need(of_tensor(g) == T and same_size(g, x) and same_size(self.output, x))
         local r = g
         if self.inplace ~= true then r = like(T, self.gradInput, x) end
         run(T, programs(self).gradient, r, x, g, self.output, v_of(self), u_of(self))
         if self.inplace == true then self.gradInput:set(g) end
         return self.gradInput
      end,
   }
end

local function probabilities(name)
   return {
      updateOutput = function(self, T, x)
         need(x._dim >= 1 and x._dim <= 4)
         return give(T, self.output, call(name, view(T, x)))
      end,
      updateGradInput = function(self, T, x, g)
         need(same_size(self.output, x) and same_size(g, x))
         return give(T, self.gradInput, call(name .. '_input', view(T, self.output), view(T, g)))
      end,
   }
end
methods.SoftMax, methods.LogSoftMax = probabilities 'softmax', probabilities 'log_softmax'

methods.Dropout = {
   updateOutput = function(self, T, x)
      need(self.p > 0 and (self.train or self.stochastic_inference) and not self.inplace)
      local noise = like(T, self.noise, x):bernoulli(1 - self.p)
      if self.v2 then noise:div(1 - self.p) end
      return like(T, self.output, x):cmul(x, noise)
   end,
   updateGradInput = function(self, T, x, g)
      need(self.p > 0 and (self.train or self.stochastic_inference) and not self.inplace)
      need(of_tensor(g) == T and same_size(self.noise, g) and same_size(x, g))
      return like(T, self.gradInput, g):cmul(g, self.noise)
   end,
}

methods.CAddTable = {
   updateOutput = function(self, T, list)
      need(not self.inplace)
      for _, t in ipairs(list) do need(of_tensor(t) == T and same_size(t, list[1])) end
      local y = like(T, self.output, list[1])
      if #list == 1 then return y:copy(list[1]) end
      torch.add(y, list[1], list[2])
      for i = 3, #list do y:add(list[i]) end
      return y
   end,
   updateGradInput = function(self, T, list, g)
      need(not self.inplace and of_tensor(g) == T)
      local r = self.gradInput
      for _, t in ipairs(list) do need(of_tensor(t) == T and same_size(t, g)) end
      for i = 1, #list do r[i] = like(T, of_tensor(r[i]) == T and r[i] or T.new_tensor(), g):copy(g) end
      for i = #list + 1, #r do r[i] = nil end
      return r
   end,
}

methods.LookupTable = {
   updateOutput = function(self, T, indices)
      need(self.maxNorm == nil and (indices._dim == 1 or indices._dim == 2))
      local W = of_tensor(self.weight)
      return give(W, self.output, call('lookup', view(T, indices), view(W, self.weight)))
   end,
   accGradParameters = function(self, T, indices, g, scale)
      local W = of_tensor(self.gradWeight)
      need(W and not self.shouldScaleGradByFreq)
      need(count_of(g) == count_of(indices) * self.gradWeight._size[1])
      changed(W, call('lookup_parameters', view(T, indices), view(W, g), view(W, self.gradWeight), scale or 1,
         self.paddingValue or 0), self.gradWeight)
   end,
}

-- Criterions --------------------------------------------------------------------------------------------------------

local function on_device(T, target)
   if of_tensor(target) == T then return target end
   need(of_tensor(target))
   return target:type(T.tensor_name)
end

-- Whether targets that do not count may be classes: all others that are no classes are for the CPU.
local function ignores_class(self, x)
   local index = self.ignoreIndex or -100
   return index >= 1 and index <= x._size[1]
end

methods.ClassNLLCriterion = {
   updateOutput = function(self, T, x, target)
      need(x._dim == 2 and not ignores_class(self, x))
      local loss, total = call('class_nll', view(T, x), view(T, on_device(T, target)), view_or_nil(T, self.weights))
      need(loss)
      if self.sizeAverage and total ~= 0 then loss = loss / total end
      self.total_weight, self.output = total, loss
      if self.total_weight_tensor then self.total_weight_tensor:fill(total) end
      return loss, total
   end,
   updateGradInput = function(self, T, x, target)
      need(x._dim == 2 and not ignores_class(self, x))
      local weights, divisor = self.weights, 1
      if self.sizeAverage then
         divisor = weights == nil and x._size[0] or self.total_weight
         need(divisor ~= 0)
      end
      return give(T, self.gradInput, call('class_nll_input', view(T, x), view(T, on_device(T, target)),
         view_or_nil(T, weights), divisor))
   end,
}

-- The methods of a row of criterion_rows.lua.
local function criterion(row)
   local u_of = row.u or zero
   return {
      updateOutput = function(self, T, x, y)
         need(self.weights == nil and of_tensor(y) == T and same_size(x, y))
         local terms = T.new_like(x)
         run(T, row.plain_loss or row.loss, terms, x, y, nil, 1, u_of(self))
         local total = call('total', view(T, terms))
         need(total)
         self.output = self.sizeAverage and total / count_of(x) or total
         return self.output
      end,
      updateGradInput = function(self, T, x, y)
         need(self.weights == nil and of_tensor(y) == T and same_size(x, y))
         local scale = row.scale or 1
         run(T, row.plain_gradient or row.gradient, like(T, self.gradInput, x), x, y, nil,
            self.sizeAverage and scale / count_of(x) or scale, u_of(self))
         return self.gradInput
      end,
   }
end

return function(nn)
   for name, row in pairs(require 'nn.transfer.transfer_rows') do methods[name] = transfer(row) end
   for name, row in pairs(require 'nn.criterions.criterion_rows') do methods[name] = criterion(row) end
   for name, list in pairs(methods) do
      local Class = nn[name]
      for key, method in pairs(list) do Class[key] = tried(Class[key], method, name == 'LookupTable') end
   end
end
