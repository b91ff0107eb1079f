-- scratch(T) gives memory(n): a pointer to room for n elements of type T, which each call uses anew. States and
-- files have room of their own.

local aligned = require 'torch.native.aligned'

return function(T)
   -- The memory is named to be kept alive.
   local memory, room, size = nil, nil, 0
   return function(n)
      if n > size then
         memory, room = aligned(T.c, n)
         size = n
      end
      return room, memory
   end
end
