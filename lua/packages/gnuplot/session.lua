-- Calls of the functions in Python, with the errors that they raise.

local host_calls = require 'shell.host_calls'
local host = require('torch.native.host').of 'gnuplot'
local buffers, native = require 'torch.memory.buffers', require 'torch.native.native'
local address_of = native.address_of

local session = {}

-- Calls host function `what`; its errors become those of gnuplot.<name>.
function session.call(name, what, ...)
   return host_calls.call(name, host, what, ...)
end

-- Hands a curve over: a name, a format, and a matrix.
function session.curve(name, title, form, matrix)
   matrix = matrix:double():contiguous()
   session.call(name, 'curve', title, form, address_of(matrix:data()), matrix:size(1), matrix:size(2))
   buffers.keep_alive(matrix)
end

return session
