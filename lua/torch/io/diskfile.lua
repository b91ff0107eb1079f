-- torch.DiskFile: a file of the operating system. torch.PipeFile inherits its methods.

local class_registry, descriptor = require 'torch.base.class_registry', require 'torch.io.descriptor'
local errors, file, memoryfile = require 'torch.base.errors', require 'torch.io.file', require 'torch.io.memoryfile'

local diskfile = {}

-- A function (name, mode = 'r', quiet, new) that opens files of a class; failure returns nil when `quiet`, else
-- raises. `what` describes the name, `modes` lists modes, `action` is for errors, start(name, mode) gives the stream
-- or nil and why.
function diskfile.opener(name_of_class, what, modes, action, start)
   local known = {}
   for mode in string.gmatch(modes, "'(%a+)'") do known[mode] = true end
   return function(name, mode, quiet, new)
      if type(name) == 'number' then name = tostring(name) end
      if type(name) ~= 'string' then errors.argument_error(name_of_class, 1, 'a ' .. what, name) end
      errors.reject_nul(name_of_class, 1, name)
      if mode == nil then mode = 'r' end
      if not known[mode] then errors.argument_error(name_of_class, 2, modes, mode) end
      local s, reason = start(name, mode)
      if s then return file.attach(new(), s) end
      if quiet then return nil end
      errors.raise('%s: cannot %s: %s', name_of_class, string.format(action, name, mode), reason)
      return nil
   end
end

local open = diskfile.opener('torch.DiskFile', 'name of a file', "'r', 'w' or 'rw'", 'open <%s> in mode %s',
   descriptor.open)

function diskfile.fill(methods, new)
   diskfile.open = function(name, mode) return open(name, mode, false, new) end

   -- DiskFile(name [, mode [, quiet]]): the mode is 'r' (the default), 'w' or 'rw'.
   function methods.new(name, mode, quiet) return open(name, mode, quiet, new) end
   methods.__gc = file.collect

   local function encode(name, swapped)
      methods[name] = function(object)
         file.stream(object, name).swap = swapped
         return object
      end
   end
   encode('nativeEndianEncoding', false)
   encode('littleEndianEncoding', false)
   encode('bigEndianEncoding', true)

   function methods.isLittleEndianCPU() return true end
   function methods.isBigEndianCPU() return false end

   -- Disables buffering from now on.
   function methods.noBuffer(object)
      local s = file.stream(object, 'noBuffer')
      s.unbuffered = true
      s.backend.flush(s)
      return object
   end

   function methods.__tostring__(object)
      local s = file.stream(object, '__tostring__')
      return class_registry.typename(object) .. ' on <' .. s.name .. '> [status: ' .. (s.closed and 'closed' or 'open')
         .. ' -- mode ' .. memoryfile.mode(s) .. ']'
   end
end

return diskfile
