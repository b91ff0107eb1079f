-- Warnings for calls that the original accepted although they are meaningless.

local errors, notice = require 'torch.base.errors', require 'torch.base.notice'

local warn = {}

local given = {}

-- Prints `message` after the caller's line, once for each line and message.
function warn.once(message, ...)
   if select('#', ...) > 0 then message = string.format(message, ...) end
   local text = errors.where() .. 'warning: ' .. errors.plain(message, true)
   if given[text] then return end
   given[text] = true
   notice(text)
end

return warn
