-- Reads a line of standard input, including its newline, by the reader that programs also use: lines that programs do
-- not read become inputs. At the end, and after a signal, nil, and the error number if there was an error.

local stdin, read = io.stdin, require('torch.utility.interruption').read

return function()
   local line, _, code = read(stdin, '*L')
   return line, code
end
