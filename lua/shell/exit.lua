-- os.exit: Python ends the process, since it must flush its output first.

local errors, output = require 'torch.base.errors', require 'shell.output'

return function(host_exit)
   -- Takes a number, also as text, or true (0, the default) or false (1). A second argument means nothing.
   function os.exit(given)
      local status = given
      if status == nil or status == true then status = 0 end
      if status == false then status = 1 end
      if type(status) == 'string' then status = tonumber(status) end
      if type(status) ~= 'number' then errors.argument_error('os.exit', 1, 'a number or a boolean', given) end
      local unwritten = output.flush()
      if unwritten and status == 0 then
         io.stderr:write('t7: cannot write the output: ', unwritten, '\n')
         status = 1
      end
      status = status < 0 and math.ceil(status) or math.floor(status)
      host_exit(status - status == 0 and status or 0)
   end
end
