-- display.start: `th -ldisplay.start 8000 0.0.0.0` serves the page, as `t7 display --port 8000` does, until Ctrl-C.

local host = require('torch.native.host').of 'display'
local host_calls = require 'shell.host_calls'

local words = _G.arg or {}

-- The command takes the port for a script.
local port = 8000
for i = 0, #words do
   if tonumber(words[i]) then
      port = tonumber(words[i])
      break
   end
end
io.flush()
os.exit(host_calls.call('display.start', host, 'serve', port))
