-- sys: time, the shell of the system, colours of the terminal.

local sys = { COLORS = require 'sys.colors' }

for _, part in ipairs { 'time', 'shell', 'names' } do
   require('sys.' .. part)(sys)
end

return sys
