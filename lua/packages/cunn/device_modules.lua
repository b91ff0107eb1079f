-- Modules of nn on a device of PyTorch: methods that are tried before those of the class, which run on the CPU. They
-- handle the common cases; all others, and the errors, are left to the class.

local torch = require 'torch'
local device_buffers, geometry = require 'torch.memory.device_buffers', require 'torch.base.geometry'
local device_calls, types = require 'cunn.device_calls', require 'torch.base.types'
local numel, same_size = geometry.numel, geometry.same_size
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
      need(b == nil or numel(b) == w._size[0])
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

local function norm_back(self, T, x, g, scale, to_parameters)
   need(x._dim == self.nDim and same_size(x, g))
   local train = self.train ~= false and x._size[0] > 1
   local gw, gb = to_parameters and self.gradWeight or nil, to_parameters and self.gradBias or nil
   local result = call('batch_norm_back', view(T, x), view(T, g), view_or_nil(T, self.weight),
      view(T, self.running_mean), view(T, self.running_var), train and view(T, self.save_mean) or nil,
      train and view(T, self.save_std) or nil, train, self.eps, view_or_nil(T, gw), view_or_nil(T, gb), scale)
   changed(T, result, gw, gb)
   return result
end

local normalization = {
   updateOutput = function(self, T, x)
      need(x._dim == self.nDim and x._size[1] == numel(self.running_mean))
      local train = self.train ~= false and x._size[0] > 1
      local y, mean, inverse = call('batch_norm', view(T, x), view_or_nil(T, self.weight), view_or_nil(T, self.bias),
         view(T, self.running_mean), view(T, self.running_var), train, self.momentum, self.eps)
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
for _, name in ipairs { 'BatchNormalization', 'SpatialBatchNormalization', 'VolumetricBatchNormalization' } do
   methods[name] = normalization
end

-- Element-wise, of tables, and probabilities ------------------------------------------------------------------------

local function run(T, text, z, x, y, w, v, u) need(device_buffers.fused(text, T, z, x, y, w, v, u)) end

local function zero() return 0 end

-- The methods of a row of transfer_rows.lua.
local function transfer(row)
   local v_of, u_of = row.v or zero, row.u or zero
   local function program(self, name)
      local in_place = self.inplace == true and row.in_place
      return in_place and in_place[name] or (row.special and row.special(self, 1) or row)[name]
   end
   return {
      updateOutput = function(self, T, x)
         need(numel(x) > 0)
         local y = x
         if self.inplace ~= true then y = like(T, self.output, x) end
         run(T, program(self, 'output'), y, x, nil, nil, v_of(self), u_of(self))
         if self.inplace == true then self.output:set(x) end
         return self.output
      end,
      updateGradInput = function(self, T, x, g)
         need(of_tensor(g) == T and same_size(g, x) and same_size(self.output, x))
         local r = g
         if self.inplace ~= true then r = like(T, self.gradInput, x) end
         run(T, program(self, 'gradient'), r, x, g, self.output, v_of(self), u_of(self))
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

-- The operands of a table of two with equal types and sizes.
local function pair_of(T, list)
   local a, b = list[1], list[2]
   need(#list == 2 and of_tensor(a) == T and of_tensor(b) == T and same_size(a, b))
   return a, b
end

-- The gradInput of a table, in the sizes of the operands.
local function gradients_of(self, T, list, g)
   need(of_tensor(g) == T)
   local r = self.gradInput
   for i = 1, #list do
      need(of_tensor(list[i]) == T and same_size(list[i], g))
      r[i] = like(T, of_tensor(r[i]) == T and r[i] or T.new_tensor(), g)
   end
   for i = #list + 1, #r do r[i] = nil end
   return r
end

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
      need(not self.inplace)
      local r = gradients_of(self, T, list, g)
      for i = 1, #list do r[i]:copy(g) end
      return r
   end,
}

-- The methods of a table of two: forward(output, a, b) and backward(gradInput, g, a, b).
local function of_pair(forward, backward)
   return {
      updateOutput = function(self, T, list)
         local a, b = pair_of(T, list)
         return forward(like(T, self.output, a), a, b)
      end,
      updateGradInput = function(self, T, list, g)
         local a, b = pair_of(T, list)
         local r = gradients_of(self, T, list, g)
         backward(r, g, a, b)
         return r
      end,
   }
end

methods.CSubTable = of_pair(function(y, a, b) return y:csub(a, b) end, function(r, g)
   r[1]:copy(g)
   r[2]:mul(g, -1)
end)

methods.CDivTable = of_pair(function(y, a, b) return y:cdiv(a, b) end, function(r, g, a, b)
   r[1]:cdiv(g, b)
   r[2]:cmul(r[1], a):cdiv(b):mul(-1)
end)

methods.CMulTable = {
   updateOutput = function(self, T, list)
      for _, t in ipairs(list) do need(of_tensor(t) == T and same_size(t, list[1])) end
      local y = like(T, self.output, list[1]):copy(list[1])
      for i = 2, #list do y:cmul(list[i]) end
      return y
   end,
   updateGradInput = function(self, T, list, g)
      local r = gradients_of(self, T, list, g)
      for i = 1, #list do
         r[i]:copy(g)
         for k = 1, #list do
            if k ~= i then r[i]:cmul(list[k]) end
         end
      end
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
      need(numel(g) == numel(indices) * self.gradWeight._size[1])
      changed(W, call('lookup_parameters', view(T, indices), view(W, g), view(W, self.gradWeight), scale or 1,
         self.paddingValue or 0), self.gradWeight)
   end,
}

return function(nn)
   require 'cunn.device_convolutions'(methods)
   require 'cunn.device_criterions'(methods)
   require 'cunn.device_formulas'(methods)
   for name, row in pairs(require 'nn.transfer.transfer_rows') do methods[name] = transfer(row) end
   for name, list in pairs(methods) do
      local Class = nn[name]
      for key, method in pairs(list) do Class[key] = tried(Class[key], method, name == 'LookupTable') end
   end
end
