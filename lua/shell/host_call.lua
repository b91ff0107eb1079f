-- Calls of Python's functions, with the errors that they raise.

local check = require 'torch.core.check'
local error, gsub, match, pcall, tostring = error, string.gsub, string.match, pcall, tostring

local calls = {}

local function returned(name, fine, ...)
   if fine then return ... end
   local text = tostring((...))
   if match(text, 'KeyboardInterrupt') or match(text, 'SystemExit') then error((...), 0) end
   check.fail(name, '%s', (gsub(text, '^%w*Error: ', '')))
end

-- What host[what](...) gives; its errors become those of the function `name`.
function calls.call(name, host, what, ...)
   return returned(name, pcall(host[what], ...))
end

return calls
