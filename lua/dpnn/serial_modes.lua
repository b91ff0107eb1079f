-- How much of a module is kept when it is written: heavySerial all, mediumSerial without outputs and gradients of
-- inputs, lightSerial without gradients of parameters too. Fields that are left out are listed in dpnn_serialEmpty.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(nn)
   local Module = nn.Module

   Module.dpnn_parameters, Module.dpnn_gradParameters = { 'weight', 'bias' }, { 'gradWeight', 'gradBias' }
   Module.dpnn_serialEmpty = {}
   Module.dpnn_mediumEmpty = { 'output', 'gradInput', 'momGradParams', 'dpnn_input', 'dpnn_cinput' }
   Module.dpnn_lightEmpty = { 'output', 'gradInput', 'momGradParams', 'dpnn_input', 'dpnn_cinput', 'gradWeight',
      'gradBias' }

   -- `fields` is a list, or the name of one, for the module and all in it.
   function Module:serialMode(fields, tensortype)
      self:apply(function(module)
         module.dpnn_serialEmpty = type(fields) == 'string' and module[fields]
            or check.kind(self, 'fields', fields, 'table')
         module.dpnn_serialType = tensortype or false
      end)
      return self
   end

   function Module:heavySerial(tensortype) return self:serialMode({}, tensortype) end
   function Module:mediumSerial(tensortype) return self:serialMode('dpnn_mediumEmpty', tensortype) end
   function Module:lightSerial(tensortype) return self:serialMode('dpnn_lightEmpty', tensortype) end

   -- A copy of the module without the fields that are left out, in the type of tensors that was asked for.
   function Module:getSerialState()
      local copy = self:clone()
      copy:apply(function(module)
         for _, name in ipairs(module.dpnn_serialEmpty) do
            local value = module[name]
            if torch.isTensor(value) then
               module[name] = value.new()
            elseif torch.type(value) == 'table' then
               module[name] = {}
            end
         end
      end)
      if self.dpnn_serialType then copy:type(self.dpnn_serialType) end
      return copy
   end

   function Module:Serial(tensortype) return nn.Serial(self, tensortype) end
end
