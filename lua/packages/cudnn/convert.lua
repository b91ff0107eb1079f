-- cudnn.convert: gives the modules of a network the classes of cudnn, or those of nn.

local torch = require 'torch'
local check, nn = require 'torch.base.check', require 'nn'

-- Groups, and frames of zeros around a sequence, are only of cudnn.
local function can_be_of_nn(module)
   if torch.isTypeOf(module, 'cudnn.TemporalConvolution') and (module.padH or 0) > 0 then return false end
   return (module.groups or 1) == 1
end

return function(cudnn)
   -- Converts to the table of classes `target`, cudnn or nn; exclude(module) keeps a module as it is.
   function cudnn.convert(net, target, exclude)
      local is_criterion = torch.isTypeOf(net, 'nn.Criterion')
      if not is_criterion and not torch.isTypeOf(net, 'nn.Module') then
         check.argument_error('cudnn.convert', 'argument 1', 'a module', net)
      end
      if target ~= cudnn and target ~= nn then
         check.fail('cudnn.convert', 'argument 2 must be cudnn or nn (got %s)', tostring(target))
      end
      local to = {}
      for _, pair in ipairs(cudnn._counterparts) do
         local own, other = 'cudnn.' .. pair[1], 'nn.' .. pair[2]
         if target == nn then
            to[own] = other
         elseif not to[other] then
            to[other] = own
         end
      end
      local function convert(module)
         local name = to[torch.typename(module)]
         if name and not (exclude and exclude(module)) and (target == cudnn or can_be_of_nn(module)) then
            setmetatable(module, torch.getmetatable(name))
            if target == nn and torch.isTypeOf(module, 'nn.TemporalConvolution') and module.kH then
               module.kW, module.dW, module.kH, module.dH = module.kH, module.dH, nil, nil
            end
         end
         return module
      end
      return is_criterion and convert(net) or net:replace(convert)
   end
end
