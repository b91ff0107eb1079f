-- tensor:write(file), tensor:read(file), and those of storages. Specialised per type.

return function(T) return function(methods)

local ffi = require 'ffi'
local errors = require 'torch.base.errors'

local function check(object, method)
   if not (ffi.istype(T.tensor_ct, object) or ffi.istype(T.storage_ct, object)) then
      errors.argument_error(method, 0, 'a ' .. T.tensor_name .. ' or ' .. T.storage_name, object)
   end
end

function methods.write(object, file)
   check(object, 'write')
   require('torch.io.object_writer').write_contents(file, object)
end

-- Reads the contents that `write` wrote.
function methods.read(object, file)
   check(object, 'read')
   require('torch.io.object_reader').read_contents(file, object)
end

end end
