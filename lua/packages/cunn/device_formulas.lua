-- Modules and criterions that are formulas in t7shell/packages/cutorch/formulas.py, one row each.
--
--    parameters  the fields of the parameters of the formula
--    numbers     a function of the module, the input and `need`: the numbers of the formula

local geometry, of_tensor = require 'torch.base.geometry', require('torch.base.types').of_tensor
local device_calls = require 'cunn.device_calls'
local call, changed, give, need = device_calls.call, device_calls.changed, device_calls.give, device_calls.need
local view, view_or_nil = device_calls.view, device_calls.view_or_nil
local numel = geometry.numel

local function fields(names)
   local list = {}
   for name in string.gmatch(names, '%S+') do list[#list + 1] = name end
   return function(self)
      local values = {}
      for i = 1, #list do values[i] = self[list[i]] end
      return unpack(values, 1, #list)
   end
end

-- The dimension of the planes of an input of PReLU, from 0; -1 where one slope is for all.
local function plane_axis(self, x)
   local planes = self.nOutputPlane
   if planes == 0 then return -1 end
   local axis = x._dim == 1 and 0 or x._dim == 3 and x._size[1] ~= planes and 0 or 1
   need(x._size[axis] == planes)
   return axis
end

local function images(self, x)
   need(x._dim == 3 or x._dim == 4)
   return self
end

local function output_size(mode, min_dim)
   return function(self, x)
      need(x._dim >= min_dim)
      self.mode = self.mode or mode
      self:setSize(x)
      local to, n = self.outputSize, x._dim == 5 and 3 or 2
      local way = self.mode == 'nearest' and 'nearest' or n == 3 and 'trilinear' or 'bilinear'
      if n == 3 then return way, to[3], to[4], to[5] end
      return way, to[x._dim - 1], to[x._dim]
   end
end

local sides = fields 'pad_l pad_r pad_t pad_b'

local modules = {
   PReLU = { parameters = { 'weight' }, numbers = plane_axis },
   SpatialCrossMapLRN = { numbers = fields 'size alpha beta k' },
   TemporalMaxPooling = { numbers = fields 'kW dW' },
   SpatialAdaptiveMaxPooling = { numbers = fields 'H W' },
   SpatialAdaptiveAveragePooling = { numbers = fields 'H W' },
   SpatialSubSampling = { parameters = { 'weight', 'bias' }, numbers = fields 'kH kW dH dW' },
   TemporalSubSampling = { parameters = { 'weight', 'bias' }, numbers = fields 'kW dW' },
   SpatialZeroPadding = { numbers = function(self, x) return sides(images(self, x)) end },
   SpatialReflectionPadding = { numbers = sides },
   SpatialReplicationPadding = { numbers = sides },
   VolumetricReplicationPadding = { numbers = fields 'pleft pright ptop pbottom pfront pback' },
   SpatialUpSamplingNearest = { numbers = output_size('nearest', 3) },
   SpatialUpSamplingBilinear = { numbers = output_size('linear', 3) },
   UpSampling = { numbers = output_size('nearest', 4) },
   VolumetricAveragePooling = { numbers = function(self)
      return self.ceil_mode or false, self.count_include_pad ~= false, self.kT, self.kH, self.kW, self.dT, self.dH,
         self.dW, self.padT or 0, self.padH or 0, self.padW or 0
   end },
   SpatialSoftMax = { numbers = function(self, x) images(self, x) end },
   SpatialLogSoftMax = { numbers = function(self, x) images(self, x) end },
}

local function methods_of(name, row)
   local parameters = row.parameters or {}
   -- Views of fields, which have elements; the numbers follow.
   local function views(self, T, prefix, ...)
      local list = {}
      for i, field in ipairs(parameters) do
         field = prefix and prefix .. string.gsub(field, '^%l', string.upper) or field
         list[i] = view(T, self[field])
      end
      local count = select('#', ...)
      for i = 1, count do list[#parameters + i] = (select(i, ...)) end
      return unpack(list, 1, #parameters + count)
   end
   local methods = {
      updateOutput = function(self, T, x)
         return give(T, self.output, call('formula', name, view(T, x), views(self, T, nil, row.numbers(self, x))))
      end,
      updateGradInput = function(self, T, x, g)
         need(self.gradInput ~= nil)
         return give(T, self.gradInput, call('formula_input', name, view(T, g), view(T, x),
            views(self, T, nil, row.numbers(self, x))))
      end,
   }
   if #parameters > 0 then
      function methods.accGradParameters(self, T, x, g, scale)
         local targets = {}
         for i, field in ipairs(parameters) do targets[i] = self['grad' .. string.gsub(field, '^%l', string.upper)] end
         changed(T, call('formula_parameters', name, #parameters, scale or 1, view(T, g), view(T, x),
            views(self, T, 'grad', views(self, T, nil, row.numbers(self, x)))), unpack(targets))
      end
   end
   return methods
end

local criterions = {
   MultiMarginCriterion = { numbers = function(self) return self.p, self.margin, self.sizeAverage end },
   MultiLabelMarginCriterion = { numbers = function(self) return self.sizeAverage end },
}

local function criterion_methods(name, row)
   local function operands(self, T, x, target)
      need(of_tensor(target) and numel(target) > 0)
      local t = of_tensor(target) == T and target or target:type(T.tensor_name)
      return name, view(T, x), view(T, t), view_or_nil(T, self.weights), row.numbers(self)
   end
   return {
      updateOutput = function(self, T, x, target)
         local loss = call('criterion', operands(self, T, x, target))
         need(loss)
         self.output = loss
         return loss
      end,
      updateGradInput = function(self, T, x, target)
         return give(T, self.gradInput, call('criterion_input', operands(self, T, x, target)))
      end,
   }
end

-- methods[class] = its device methods.
return function(methods)
   for name, row in pairs(modules) do methods[name] = methods_of(name, row) end
   for name, row in pairs(criterions) do methods[name] = criterion_methods(name, row) end
end
