-- sys: time, the shell of the system, colours of the terminal.

local sys = {}

for _, part in ipairs { 'time', 'shell', 'names', 'colors' } do
   require('sys.' .. part)(sys)
end

return sys
