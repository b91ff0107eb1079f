-- cudnn.convert: gives the modules of a network the classes of cudnn, or those of nn.

local torch = require 'torch'
local check, nn = require 'torch.base.check', require 'nn'

return function(cudnn)
   -- Converts to the table of classes `target`, cudnn or nn; exclude(module) keeps a module as it is.
   function cudnn.convert(net, target, exclude)
      local is_criterion = torch.isTypeOf(net, 'nn.Criterion')
      if not is_criterion and not torch.isTypeOf(net, 'nn.Module') then
         check.refuse('cudnn.convert', 'argument 1', 'a module', net)
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
         if name and not (exclude and exclude(module)) and (target == cudnn or (module.groups or 1) == 1) then
            setmetatable(module, torch.getmetatable(name))
         end
         return module
      end
      return is_criterion and convert(net) or net:replace(convert)
   end
end
