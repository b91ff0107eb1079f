-- The receptive field of an output of a network of convolutions and poolings: width, height, and the steps between
-- outputs, in pixels. Layers with padding are rejected, since it would shift the field.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(function_name, network)
   local field = { width = 1, height = 1, stepWidth = 1, stepHeight = 1 }
   local function read(module)
      if module.modules then
         if not module.add or #module.modules > 1 and torch.type(module) ~= 'nn.Sequential' then
            check.argument_error(function_name, 'network', 'modules in a row', module)
         end
         for _, inner in ipairs(module.modules) do read(inner) end
      elseif module.kW and module.dW then
         if (module.padW or 0) ~= 0 or (module.padH or 0) ~= 0 then
            check.argument_error(function_name, 'network', 'of layers without padding', module)
         end
         field.width = field.width + (module.kW - 1) * field.stepWidth
         field.height = field.height + (module.kH - 1) * field.stepHeight
         field.stepWidth, field.stepHeight = field.stepWidth * module.dW, field.stepHeight * module.dH
      end
   end
   read(network)
   return field
end
