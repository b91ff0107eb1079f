-- scratch(T) gives memory(n): a pointer to room for n elements of type T, which the next call overwrites. Each caller
-- of scratch, in each state, has separate memory.

local aligned = require 'torch.native.aligned'

return function(T)
   local room, size = nil, 0
   return function(n)
      if n > size then room, size = aligned(T.c, n), n end
      return room
   end
end
