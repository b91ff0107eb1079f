-- vector_masks(size): masks for loads and stores of a part of a vector of `size`-byte elements: the mask for the first
-- n elements is n vectors after the pointer. They live as long as the state.

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
