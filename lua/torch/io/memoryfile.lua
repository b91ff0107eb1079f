-- torch.MemoryFile: a file in a CharStorage, which ends in a NUL that is not part of the file.

local ffi = require 'ffi'
local errors, file, stream = require 'torch.base.errors', require 'torch.io.file', require 'torch.io.stream'
local types = require 'torch.base.types'

local memoryfile = {}

function memoryfile.mode(s)
   return (s.readable and 'r' or ' ') .. (s.writable and 'w' or ' ')
end

function memoryfile.fill(methods, new)
   local Char = types.by_name.Char

   -- MemoryFile([mode]), MemoryFile(storage [, mode]): the mode is 'r', 'w' or 'rw', by default 'rw'.
   function methods.new(first, second)
      local storage, mode = nil, first
      if first ~= nil and ffi.istype(Char.storage_ct, first) then storage, mode = first, second end
      if mode == nil then mode = 'rw' end
      if mode ~= 'r' and mode ~= 'w' and mode ~= 'rw' then
         errors.argument_error('torch.MemoryFile', storage and 2 or 1, "'r', 'w', 'rw' or a torch.CharStorage", mode)
      end
      if storage then
         local size = storage._memory._size
         if size == 0 or storage[size] ~= 0 then errors.argument('torch.MemoryFile', 1, 'must end in a NUL') end
      end
      local s = stream.over_storage(storage, 'torch.MemoryFile', mode ~= 'w', mode ~= 'r')
      if mode == 'w' then s.limit = 0 end
      return file.attach(new(), s)
   end

   memoryfile.new = new

   -- A CharStorage that shares the file's memory, with the NUL at its end.
   function methods.storage(object)
      local s = file.stream(object, 'storage')
      if s.closed then errors.raise('storage: the torch.MemoryFile is closed') end
      return stream.storage(s)
   end

   function methods.__tostring__(object)
      local s = file.stream(object, '__tostring__')
      return 'torch.MemoryFile [status: ' .. (s.closed and 'closed' or 'open') .. ' -- mode: '
         .. memoryfile.mode(s) .. ']'
   end
end

return memoryfile
