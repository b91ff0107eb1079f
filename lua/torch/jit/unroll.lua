-- Pieces of source for unrolled code.

local unroll = {}

-- An operation on the elements first..last as a balanced tree, whose branches the processor computes in parallel:
-- `operation` is a format of two operands, `element` one of an index.
function unroll.tree(operation, element, first, last)
   if first == last then return element:format(first) end
   local middle = math.floor((first + last) / 2)
   return operation:format(unroll.tree(operation, element, first, middle),
      unroll.tree(operation, element, middle + 1, last))
end

-- Statements for fewer iterations than twice `chunk`, the number in the variable `count`, in chunks of powers of two:
-- `turn` is a statement with %d for the iteration, `advance` moves its operands by %d iterations.
function unroll.chunks(chunk, count, turn, advance)
   local lines = {}
   while chunk >= 1 do
      lines[#lines + 1] = ('if %s >= %d then'):format(count, chunk)
      for k = 0, chunk - 1 do lines[#lines + 1] = (string.gsub(turn, '%%d', k)) end
      lines[#lines + 1] = ('%s %s = %s - %d end'):format((string.gsub(advance, '%%d', chunk)), count, count, chunk)
      chunk = chunk / 2
   end
   return table.concat(lines, '\n')
end

return unroll
