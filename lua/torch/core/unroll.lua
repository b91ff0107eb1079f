-- Pieces of source for unrolled code.

local concat, floor, gsub = table.concat, math.floor, string.gsub

local writtenout = {}

-- An operation on the elements first..last as a balanced tree, whose branches the processor works on at the same time:
-- `operation` is a format of two operands, `element` one of an index.
function writtenout.tree(operation, element, first, last)
   if first == last then return element:format(first) end
   local middle = floor((first + last) / 2)
   return operation:format(writtenout.tree(operation, element, first, middle),
      writtenout.tree(operation, element, middle + 1, last))
end

-- Statements for fewer turns than twice `chunk`, the number in the variable `count`, in chunks of powers of two: `turn`
-- is a statement with %d for the turn, `advance` moves what it uses by %d turns.
function writtenout.chunks(chunk, count, turn, advance)
   local lines = {}
   while chunk >= 1 do
      lines[#lines + 1] = ('if %s >= %d then'):format(count, chunk)
      for k = 0, chunk - 1 do lines[#lines + 1] = (gsub(turn, '%%d', k)) end
      lines[#lines + 1] = ('%s %s = %s - %d end'):format((gsub(advance, '%%d', chunk)), count, count, chunk)
      chunk = chunk / 2
   end
   return concat(lines, '\n')
end

return writtenout
