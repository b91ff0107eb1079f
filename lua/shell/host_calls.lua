-- Calls of Python's functions, with the errors that they raise.

local check = require 'torch.base.check'
local host = require 'torch.native.host'

local host_calls = {}

local function returned(name, ok, ...)
   if ok then return ... end
   local reason = ...
   local words = reason
   if type(reason) == 'userdata' then
      words = host.unexpected(reason)
      -- Ctrl-C, a lack of memory, and warnings where they are errors.
      if not words then error(reason, 0) end
   end
   check.fail(name, '%s', (string.gsub(tostring(words), '^%w*Error: ', '')))
end

-- Returns functions[what](...), a function of a package in Python; its errors become those of the function `name`.
function host_calls.call(name, functions, what, ...)
   return returned(name, pcall(host.raw[functions[what]], ...))
end

return host_calls
