-- Pieces of source for unrolled code.

local floor = math.floor

local writtenout = {}

-- An operation on the elements first..last as a balanced tree, whose branches the processor works on at the same time:
-- `operation` is a format of two operands, `element` one of an index.
function writtenout.tree(operation, element, first, last)
   if first == last then return element:format(first) end
   local middle = floor((first + last) / 2)
   return operation:format(writtenout.tree(operation, element, first, middle),
      writtenout.tree(operation, element, middle + 1, last))
end

return writtenout
