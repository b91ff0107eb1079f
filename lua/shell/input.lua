-- Reads a line of standard input, including its newline, by the reader that programs also use: lines that programs do
-- not read become inputs. At the end nil, and the error number if there was an error.

local stdin = io.stdin
local read = getmetatable(stdin).__index.read

return function()
   local line, _, code = read(stdin, '*L')
   return line, code
end
