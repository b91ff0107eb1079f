-- Reports a notice, a line of text: on the error stream, or as a warning of Python, as t7shell/host/notices.py decides.

local host = require 'torch.native.host'

return function(text, ...)
   if select('#', ...) > 0 then text = string.format(text, ...) end
   if not host.warned(text) then io.stderr:write(text, '\n') end
end
