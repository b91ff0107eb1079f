-- vector_masks(size): masks for loads and stores of elements of `size` bytes of a vector: that of the first n, or of
-- all, is n vectors behind the pointer. They stay as long as this state.

local ffi = require 'ffi'

local VECTOR, WORD = 32, 4

local made = {}

return function(size)
   local list = made[size]
   if not list then
      local lanes, words = VECTOR / size, VECTOR / WORD
      list = ffi.new('int32_t[?]', (lanes + 1) * words)
      for n = 1, lanes do
         for i = 0, n * size / WORD - 1 do list[n * words + i] = -1 end
      end
      made[size] = list
   end
   return ffi.cast('char *', list)
end
