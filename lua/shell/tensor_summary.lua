-- The summary of a large tensor: the elements at both ends of each dimension, in lines that fit.

local find, gmatch, gsub, match, sub = string.find, string.gmatch, string.gsub, string.match, string.sub
local tensor_text = require 'torch.tensor.tensor_text'

-- How many are shown at either end: rows, matrices, and elements of a row at most.
local ROWS, MATRICES, COLUMNS = 6, 1, 20
local WIDTH, GAP = 80, '...'

-- Returns a new tensor of the first and last `ends` elements of dimension d, if it has more.
local function both_ends(x, d, ends)
   local size = x:size(d)
   if size <= 2 * ends then return x end
   local sizes = x:size()
   sizes[d] = 2 * ends
   local part = x.new():resize(sizes)
   part:narrow(d, 1, ends):copy(x:narrow(d, 1, ends))
   part:narrow(d, ends + 1, ends):copy(x:narrow(d, size - ends + 1, ends))
   return part
end

-- Returns the part of x with `columns` elements at either end of its rows.
local function part_of(x, columns)
   local dims, part = x:dim(), x
   for d = 1, dims do
      local ends = d == dims and dims > 1 and columns or d >= dims - 1 and ROWS or MATRICES
      part = both_ends(part, d, ends)
   end
   return part
end

-- The text of elements, without the last line, as a list of lines.
local function lines_of(part)
   local lines = {}
   for line in gmatch(match(tostring(part), '^(.*\n)%['), '(.-)\n') do lines[#lines + 1] = line end
   return lines
end

-- Tells whether rows are in one piece, with place for a gap.
local function fits(lines, gap)
   for _, line in ipairs(lines) do
      if find(line, '^%s*Columns %d') or #line + (gap and #GAP + 1 or 0) > WIDTH then return false end
   end
   return true
end

-- A row with a gap after its element `ends`.
local function with_gap(line, ends)
   local finish = 0
   for _ = 1, ends do finish = select(2, find(line, '%S+', finish + 1)) end
   return sub(line, 1, finish) .. ' ' .. GAP .. sub(line, finish + 1)
end

-- The heading of a matrix, with its indices in x: those after a gap are counted from the end.
local function heading(line, x, part)
   local d = 0
   return (gsub(line, '%d+', function(digits)
      d = d + 1
      local index = tonumber(digits)
      local shift = index > MATRICES and x:size(d) - part:size(d) or 0
      return string.format('%.0f', index + shift)
   end))
end

-- Returns the text of x, whose last line is its type and size, and the tensor of the elements in it.
return function(x)
   local dims, columns = x:dim(), COLUMNS + 1
   local part, lines
   repeat
      columns = columns - 1
      part = part_of(x, columns)
      lines = lines_of(part)
   until columns == 1 or fits(lines, part:size(dims) < x:size(dims))
   local vertical = math.max(dims - 1, 1)
   local row_gap = part:size(vertical) < x:size(vertical) and ROWS
   local column_gap = dims > 1 and part:size(dims) < x:size(dims) and columns
   local found, row = {}, 0
   for _, line in ipairs(lines) do
      if find(line, '^%(') then
         row, line = 0, heading(line, x, part)
      elseif find(line, '%S') and not find(line, '%*$') then
         row = row + 1
         if column_gap then line = with_gap(line, column_gap) end
      end
      found[#found + 1] = line
      if row_gap and row == row_gap then
         found[#found + 1] = ' ' .. GAP
         row = row + 1
      end
   end
   return table.concat(found, '\n') .. '\n' .. tensor_text.footer(x), part
end
