-- A line of the standard input, with its end, by the reader that programs use as well: lines that they do not read are
-- inputs. At the end nil, and the number of the error where there was one.

local stdin = io.stdin
local read = getmetatable(stdin).__index.read

return function()
   local line, _, code = read(stdin, '*L')
   return line, code
end
