-- Questions about objects, and the operators of tensors.

local errors, types = require 'torch.errors', require 'torch.types'
local ffi = require 'ffi'
local format, tonumber, type = string.format, tonumber, type

local utility = {}

-- A number that is the same for the same object: of a storage, the memory it is a handle on.
function utility.pointer(object)
   if types.of_storage(object) then return tonumber(ffi.cast('intptr_t', object._memory)) end
   local kind = type(object)
   if kind == 'cdata' then return tonumber(ffi.cast('intptr_t', ffi.cast('void *', object))) end
   if kind == 'table' or kind == 'function' or kind == 'userdata' or kind == 'thread' or kind == 'string' then
      return tonumber(format('%p', object))
   end
   errors.argument('pointer', 1, 'object with an address expected, got %s', errors.describe(object))
end

function utility.install(torch)
   function torch.isTensor(object) return types.of_tensor(object) ~= nil end

   function torch.isStorage(object) return types.of_storage(object) ~= nil end

   torch.pointer = utility.pointer

end

return utility
