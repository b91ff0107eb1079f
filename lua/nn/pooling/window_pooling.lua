-- The classes of pooling over windows that move by a stride, by their specs, which pooling_layer.lua explains.

local torch = require 'torch'
local pooling_layer = require 'nn.pooling.pooling_layer'
local geometry = require 'nn.checks.geometry'
local image_spec, volume_spec = geometry.image_spec, geometry.volume_spec

local specs = {
   -- Its indices count the frames of a window from 0.
   TemporalMaxPooling = { dimensions = 1, kernel = { false, 'kW', false }, stride = { false, 'dW', false },
      max = true },
   SpatialMaxPooling = image_spec { max = true, rounding = true, remember = { 'iheight', 'iwidth' } },
   SpatialDilatedMaxPooling = image_spec { max = true, rounding = true, remember = { 'iheight', 'iwidth' },
      dilation = { false, 'dilationH', 'dilationW' } },
   SpatialAveragePooling = image_spec { include = 'count_include_pad', divide = 'divide', rounding = true },
   VolumetricMaxPooling = volume_spec { max = true, rounding = true, remember = { 'itime', 'iheight', 'iwidth' } },
   VolumetricDilatedMaxPooling = volume_spec { max = true, rounding = true, remember = { 'itime', 'iheight', 'iwidth' },
      dilation = { 'dilationT', 'dilationH', 'dilationW' } },
   VolumetricAveragePooling = volume_spec { include = 'count_include_pad', rounding = true },
}

return function(Pool, _, _, name)

   local spec = specs[name]

   if not spec.dilation then
      function Pool:__init()
         if spec.rounding then self.ceil_mode = false end
         if spec.max then self.indices = torch.LongTensor() end
         if spec.include then self[spec.include] = true end
         if spec.divide then self[spec.divide] = true end
      end
   end

   -- Modules of old files lack padding and modes.
   function Pool:upgrade()
      for d = 1, 3 do
         local pad = spec.pad and spec.pad[d]
         if pad then self[pad] = self[pad] or 0 end
      end
      if spec.rounding then self.ceil_mode = self.ceil_mode or false end
      if spec.include and self[spec.include] == nil then self[spec.include] = true end
   end

   pooling_layer.methods(Pool, spec)

   if name == 'VolumetricAveragePooling' then
      function Pool:empty() return self:clearState() end
   end

   if spec.rounding then
      function Pool:__tostring__() return pooling_layer.describe(self, spec) end
   end

end
