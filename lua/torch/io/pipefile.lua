-- torch.PipeFile: the output or input of a shell command.

local descriptor, diskfile = require 'torch.io.descriptor', require 'torch.io.diskfile'
local file = require 'torch.io.file'

local pipefile = {}

local open = diskfile.opener('torch.PipeFile', 'shell command', "'r' or 'w'", 'run <%s>', descriptor.pipe)

function pipefile.fill(methods, new)
   -- PipeFile(command [, mode [, quiet]]): the mode is 'r' (the default) or 'w'.
   function methods.new(command, mode, quiet) return open(command, mode, quiet, new) end
   methods.__gc = file.collect
end

return pipefile
