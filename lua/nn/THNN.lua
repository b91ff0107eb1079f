-- nn.THNN: the functions of Torch7's library in C for nn, as third-party modules call them:
-- input.THNN.Tanh_updateOutput(input:cdata(), output:cdata()).

local types = require 'torch.base.types'

local THNN = { kernels = {} }

-- Adds the functions of a type of tensors; each is made when it is first used.
function THNN.add(T)
   local kernels = setmetatable({}, { __index = function(kernels, key)
      require 'nn'   -- its classes compute
      local f = require 'nn.tools.thnn_calls'(T.tensor_name, key)
      if type(f) ~= 'nil' then rawset(kernels, key, f) end
      return f
   end })
   THNN.kernels[T.tensor_name] = kernels
   rawset(T.tensor_methods_facade, 'THNN', kernels)
end

THNN.add(types.by_name.Float)
THNN.add(types.by_name.Double)

-- The argument for a tensor that may be left out.
function THNN.optionalTensor(t)
   if not t then return nil end
   return (t:cdata())
end

return THNN
