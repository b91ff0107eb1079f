-- torch.DiskFile: a file of the operating system. torch.PipeFile inherits its methods.

local descriptor, errors, file = require 'torch.io.descriptor', require 'torch.core.errors', require 'torch.io.file'
local class, memoryfile = require 'torch.core.class_registry', require 'torch.io.memoryfile'
local tostring, type = tostring, type

local diskfile = {}

local modes = { r = true, w = true, rw = true }

-- Opens a file object; on failure nil when `quiet`, else an error.
local function open(name, mode, quiet, new)
   if type(name) == 'number' then name = tostring(name) end
   if type(name) ~= 'string' then
      errors.argument('torch.DiskFile', 1, 'name of a file expected, got %s', errors.describe(name))
   end
   if mode == nil then mode = 'r' end
   if not modes[mode] then
      errors.argument('torch.DiskFile', 2, "'r', 'w' or 'rw' expected, got %s", tostring(mode))
   end
   local s, reason = descriptor.open(name, mode)
   if not s then
      if quiet then return nil end
      errors.raise('torch.DiskFile: cannot open <%s> in mode %s: %s', name, mode, reason)
   end
   return file.attach(new(), s)
end

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

   function methods.longSize(object, size) return file.set_long_size(object, size) end

   -- Writes everything at once from now on.
   function methods.noBuffer(object)
      local s = file.stream(object, 'noBuffer')
      s.unbuffered = true
      s.backend.flush(s)
      return object
   end

   function methods.__tostring__(object)
      local s = file.stream(object, '__tostring__')
      return class.typename(object) .. ' on <' .. s.name .. '> [status: ' .. (s.closed and 'closed' or 'open')
         .. ' -- mode ' .. memoryfile.mode(s) .. ']'
   end
end

return diskfile
