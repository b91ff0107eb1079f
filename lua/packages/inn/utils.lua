-- inn.utils: batch normalization as fixed layers, and folded into convolutions, for networks that only compute.

local torch = require 'torch'
local check = require 'torch.base.check'

local utils = {}

-- Scale and offset of each plane.
local function constants(bn)
   local scale = torch.add(bn.running_var, bn.eps):sqrt():pow(-1)
   if bn.weight then scale:cmul(bn.weight) end
   local offset = torch.cmul(bn.running_mean, scale):mul(-1)
   if bn.bias then offset:add(bn.bias) end
   return scale, offset
end

local function is_normalization(module) return torch.isTypeOf(module, 'nn.BatchNormalization') end

-- Replaces each BatchNormalization by an inn.ConstAffine with the same result in evaluation.
function utils.BNtoFixed(net, inplace)
   if not torch.isTypeOf(net, 'nn.Module') then check.argument_error('BNtoFixed', 'net', 'a module', net) end
   if inplace ~= nil then check.kind('BNtoFixed', 'inplace', inplace, 'boolean') end
   return net:replace(function(module)
      if not is_normalization(module) then return module end
      local scale, offset = constants(module)
      local fixed = require('inn').ConstAffine(scale:size(1)):type(module:type())
      fixed.a:copy(scale)
      fixed.b:copy(offset)
      return fixed
   end)
end

-- Folds each BatchNormalization that follows a convolution or linear layer in a Sequential into it.
function utils.foldBatchNorm(net)
   if not torch.isTypeOf(net, 'nn.Module') then check.argument_error('foldBatchNorm', 'net', 'a module', net) end
   for _, sequence in ipairs((net:findModules 'nn.Sequential')) do
      for i = #sequence.modules, 2, -1 do
         local layer, bn = sequence.modules[i - 1], sequence.modules[i]
         local folds = torch.isTypeOf(layer, 'nn.SpatialConvolution') or torch.isTypeOf(layer, 'nn.Linear')
         if is_normalization(bn) and folds then
            local scale, offset = constants(bn)
            local rows = layer.weight:view(scale:size(1), -1)
            rows:cmul(scale:view(-1, 1):expandAs(rows))
            if not layer.bias then
               layer.bias, layer.gradBias = scale:clone():zero(), scale:clone():zero()
            end
            layer.bias:cmul(scale):add(offset)
            sequence:remove(i)
         end
      end
   end
   return net
end

return utils
