-- Calls of the functions in Python, with the errors that they raise.

local check = require 'torch.core.check'
local host = require('torch.core.host').of 'gnuplot'
local memory, native = require 'torch.memory.blocks', require 'torch.core.native'
local error, gsub, match, pcall, tostring = error, string.gsub, string.match, pcall, tostring
local address_of = native.address_of

local session = {}

local function returned(name, fine, ...)
   if fine then return ... end
   local reason = ...
   local text = tostring(reason)
   if match(text, 'KeyboardInterrupt') or match(text, 'SystemExit') then error(reason, 0) end
   check.fail(name, '%s', (gsub(text, '^%w*Error: ', '')))
end

-- What host function `what` gives; its errors become those of gnuplot.<name>.
function session.call(name, what, ...)
   return returned(name, pcall(host[what], ...))
end

-- Hands a curve over: a name, a format, and a matrix.
function session.curve(name, title, form, matrix)
   matrix = matrix:double():contiguous()
   session.call(name, 'curve', title, form, address_of(matrix:data()), matrix:size(1), matrix:size(2))
   memory.alive(matrix)
end

return session
