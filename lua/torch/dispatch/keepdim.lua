-- Reductions with `keepdim` false: drops the dimension of size 1.

local dimension_names = require 'torch.base.dimension_names'
local signatures, types = require 'torch.base.signatures', require 'torch.base.types'

local keepdim = {}

-- The result of a reduction without dimension d, from 0, in r if given. A vector leaves one element.
local function dropped(r, made, d)
   local T = types.of_tensor(made)
   -- The device has no kernel for the call.
   if not T then return made end
   if made._dim > 1 then made = T.tensor_methods.squeeze(made, d + 1) end
   return r and dimension_names.take(T.result(r, made), made) or made
end

-- Makes f(keep, ...) of a kernel whose signature ends with [k]; `...` are the arguments of the kernel.
function keepdim.wrap(name, signature, kernel)
   local slots, at = signatures.parse(signature), {}
   for i, slot in ipairs(slots) do at[slot.letter] = at[slot.letter] or i end
   local several = slots[2].letter == 'L'
   local dimension_of = require('torch.kernels.reduce.reduce_axis').dimension_of
   return function(keep, ...)
      if keep then return kernel(...) end
      local given = { ... }
      local r, index = given[1], several and given[2]
      given[1] = nil
      if several then given[2] = nil end
      local made, indices = kernel(unpack(given, 1, #slots))
      local t = given[at.t]
      local d = dimension_of(name, t, given[at.d], t._dim)
      if several then return dropped(r, made, d), dropped(index, indices, d) end
      return dropped(r, made, d)
   end
end

return keepdim
