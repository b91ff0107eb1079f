-- os.exit: Python ends the process, since it must flush its output first.

local output = require 'shell.output'

return function(host_exit)
   -- Takes a number, or true (0, the default) or false (1). A second argument is accepted and means nothing.
   function os.exit(status)
      if status == nil or status == true then status = 0 end
      if status == false then status = 1 end
      if type(status) ~= 'number' then
         error(string.format('os.exit: expected a number or a boolean, got %s', tostring(status)), 2)
      end
      local unwritten = output.flush()
      if unwritten and status == 0 then
         io.stderr:write('t7: cannot write the output: ', unwritten, '\n')
         status = 1
      end
      status = status < 0 and math.ceil(status) or math.floor(status)
      host_exit(status - status == 0 and status or 0)
   end
end
