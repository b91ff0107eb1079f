-- Calls of Python's functions, with the errors that they raise.

local check = require 'torch.base.check'

local host_calls = {}

local function returned(name, ok, ...)
   if ok then return ... end
   local text = tostring((...))
   if string.match(text, 'KeyboardInterrupt') or string.match(text, 'SystemExit') then error((...), 0) end
   check.fail(name, '%s', (string.gsub(text, '^%w*Error: ', '')))
end

-- Returns host[what](...); its errors become those of the function `name`.
function host_calls.call(name, host, what, ...)
   return returned(name, pcall(host[what], ...))
end

return host_calls
