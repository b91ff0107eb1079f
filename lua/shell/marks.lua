-- Marks in the output of annotated examples (t7shell/doctest/annotated.py): the beginning and end of the output of a
-- statement, and its values. A mark is a control character, the number of the annotation and another control character.

local write = io.write

local BEGIN, VALUES, FINISH, CLOSE = '\1', '\3', '\4', '\2'

local marks = {}

local function show(...)
   require 'shell.display'(...)
end

-- Marks the beginning of statement n; returns n.
function marks.begin(n)
   write(BEGIN, n, CLOSE)
   return n
end

-- Marks its end, and shows the given values before it. Returns them.
function marks.value(n, ...)
   write(VALUES, n, CLOSE)
   -- Values may have a `__tostring` that fails.
   pcall(show, ...)
   write(FINISH, n, CLOSE)
   return ...
end

-- Runs a statement that should fail, and shows the message as its value.
function marks.attempt(n, f)
   local ok, message = pcall(f)
   write(VALUES, n, CLOSE)
   if not ok then write('error: ', tostring(message)) end
   write(FINISH, n, CLOSE)
end

return marks
