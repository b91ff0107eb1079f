-- How much of a module is kept when it is written as an nn.Serial: heavySerial all, mediumSerial without outputs and
-- gradients of inputs, lightSerial without gradients of parameters too. Fields that are left out are listed in
-- dpnn_serialEmpty; they become empty tensors and tables.

local torch = require 'torch'
local check, key_order = require 'torch.base.check', require 'torch.base.key_order'

return function(nn)
   local Module = nn.Module

   Module.dpnn_parameters, Module.dpnn_gradParameters = { 'weight', 'bias' }, { 'gradWeight', 'gradBias' }
   Module.dpnn_serialEmpty = {}
   Module.dpnn_mediumEmpty = { 'output', 'gradInput', 'momGradParams', 'dpnn_input' }
   Module.dpnn_lightEmpty = Module.dpnn_gradParameters

   local function list(...)
      local all = {}
      for _, part in ipairs { ... } do
         for _, name in ipairs(part) do all[#all + 1] = name end
      end
      return all
   end

   -- Classes with more that a forward fills.
   nn.SpatialMaxPooling.dpnn_mediumEmpty = list(Module.dpnn_mediumEmpty, { 'indices' })
   nn.SpatialConvolution.dpnn_mediumEmpty = list(Module.dpnn_mediumEmpty,
      { 'finput', 'fgradinput', '_input', '_gradOutput' })
   nn.SpatialConvolutionMM.dpnn_mediumEmpty = nn.SpatialConvolution.dpnn_mediumEmpty
   for _, name in ipairs { 'BatchNormalization', 'SpatialBatchNormalization' } do
      nn[name].dpnn_mediumEmpty = list(Module.dpnn_mediumEmpty,
         { 'buffer', 'buffer2', 'centered', 'std', 'normalized' })
   end
   nn.BatchNormalization.dpnn_parameters = list(Module.dpnn_parameters, { 'running_mean', 'running_var' })

   -- Sets the list of a module and of all that its fields lead to.
   local function each(self, choose)
      local seen = {}
      local function visit(value)
         if type(value) ~= 'table' or seen[value] then return end
         seen[value] = true
         if torch.isTypeOf(value, 'nn.Module') then value.dpnn_serialEmpty = choose(value) end
         for _, inner in key_order.pairs(value) do visit(inner) end
      end
      visit(self)
      return self
   end

   function Module:serialMode(fields)
      check.kind(self, 'fields', fields, 'table')
      return each(self, function() return fields end)
   end

   function Module:heavySerial() return self:serialMode {} end

   function Module:mediumSerial() return each(self, function(module) return module.dpnn_mediumEmpty end) end

   function Module:lightSerial()
      return each(self, function(module) return list(module.dpnn_mediumEmpty, module.dpnn_lightEmpty) end)
   end

   local function emptied(value)
      if torch.isTensor(value) then return value.new() end
      if torch.type(value) == 'table' then return {} end
      return value
   end

   -- The module as tables without classes, whose names are in dpnn_typename, and without the fields that are left out.
   -- `states` has those of other modules. Tensors are those of the module.
   function Module:getSerialState(states)
      states = states or {}
      if states[self] then return states[self] end
      local function plain(value)
         local left_out = {}
         for _, name in ipairs(torch.isTypeOf(value, 'nn.Module') and value.dpnn_serialEmpty or {}) do
            left_out[name] = true
         end
         local state = {}
         states[value] = state
         for key, inner in key_order.pairs(value) do
            if left_out[key] then
               state[key] = emptied(inner)
            elseif torch.isTypeOf(inner, 'nn.Module') then
               state[key] = inner:getSerialState(states)
            elseif torch.type(inner) == 'table' then
               state[key] = states[inner] or plain(inner)
            else
               state[key] = inner
            end
         end
         return state
      end
      local state = plain(self)
      state.dpnn_typename = torch.type(self)
      return state
   end

   function Module:Serial(tensortype) return nn.Serial(self, tensortype) end
end
