-- A line of the standard input, with its end, by the reader that programs use as well: what they leave is the next
-- input. At the end nil, and the number of the error where there was one.

local stdin = io.stdin
local read = getmetatable(stdin).__index.read

return function()
   local line, _, code = read(stdin, '*L')
   return line, code
end
