-- scratch(T) gives memory(n): a pointer to room for n elements of type T, which each call uses anew. States and
-- files have room of their own.

local ffi = require 'ffi'

return function(T)
   local room, size = nil, 0
   return function(n)
      if n > size then room, size = ffi.new(T.c .. '[?]', n), n end
      return ffi.cast(T.pointer_ct, room)
   end
end
