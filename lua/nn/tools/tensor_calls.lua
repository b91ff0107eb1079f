-- tensor_calls(functions): adds functions to x.nn, where Torch7's packages registered their functions in C.

local types = require 'torch.base.types'

return function(functions)
   for _, kind in ipairs { 'Float', 'Double' } do
      local methods = types.by_name[kind].tensor_methods_facade
      local own = rawget(methods, 'nn') or {}
      for name, f in pairs(functions) do own[name] = f end
      rawset(methods, 'nn', own)
   end
end
