-- Warnings on standard error for calls that the original accepted although they are meaningless.

local errors = require 'torch.base.errors'

local warn = {}

local given = {}

-- Prints `message` after the caller's line, once for each line and message.
function warn.once(message, ...)
   if select('#', ...) > 0 then message = string.format(message, ...) end
   local text = errors.where() .. 'warning: ' .. errors.plain(message, true)
   if given[text] then return end
   given[text] = true
   io.stderr:write(text, '\n')
end

return warn
