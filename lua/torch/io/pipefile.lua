-- torch.PipeFile: what a shell command writes, or what it reads.

local descriptor, errors, file = require 'torch.io.descriptor', require 'torch.core.errors', require 'torch.io.file'
local tostring, type = tostring, type

local pipefile = {}

function pipefile.fill(methods, new)
   -- PipeFile(command [, mode [, quiet]]): the mode is 'r' (the default) or 'w'.
   function methods.new(command, mode, quiet)
      if type(command) == 'number' then command = tostring(command) end
      if type(command) ~= 'string' then
         errors.argument('torch.PipeFile', 1, 'shell command expected, got %s', errors.describe(command))
      end
      if mode == nil then mode = 'r' end
      if mode ~= 'r' and mode ~= 'w' then
         errors.argument('torch.PipeFile', 2, "'r' or 'w' expected, got %s", tostring(mode))
      end
      local s, reason = descriptor.pipe(command, mode)
      if not s then
         if quiet then return nil end
         errors.raise('torch.PipeFile: cannot run <%s>: %s', command, reason)
      end
      return file.attach(new(), s)
   end
   methods.__gc = file.collect
end

return pipefile
