-- nn.THNN: the functions of Torch7's library in C for nn, as third-party modules call them:
-- input.THNN.Tanh_updateOutput(input:cdata(), output:cdata()).

local types = require 'torch.base.types'

local thnn = { kernels = {} }

-- Adds the functions of a type of tensors; each is made when it is first used.
function thnn.add(T)
   local kernels = setmetatable({}, { __index = function(kernels, key)
      local f = require 'nn.tools.thnn_calls'(T.tensor_name, key)
      if type(f) ~= 'nil' then rawset(kernels, key, f) end
      return f
   end })
   thnn.kernels[T.tensor_name] = kernels
   rawset(T.tensor_methods_facade, 'THNN', kernels)
end

thnn.add(types.by_name.Float)
thnn.add(types.by_name.Double)

-- The argument for a tensor that may be left out.
function thnn.optionalTensor(t)
   if not t then return nil end
   return (t:cdata())
end

return thnn
