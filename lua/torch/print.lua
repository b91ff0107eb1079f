-- The text of tensors and storages, as `print` and `tostring` show them.
--
-- One format serves all elements of a tensor. It follows from the decimal exponents of the smallest and the largest
-- magnitude, so the elements are first read into a flat array of numbers, last dimension fastest, and then written.

local require = require
local abs, ceil, floor, log10 = math.abs, math.ceil, math.floor, math.log10
local concat = table.concat
local format = string.format

-- Characters a line of matrix columns may take.
local LINE_WIDTH = 80

-- Number of digits before the decimal point of a magnitude: 1 for 0 and 5, 2 for 10, -1 for 0.01, inf for inf.
local function exponent(magnitude)
   if magnitude == 0 then return 1 end
   return floor(log10(magnitude)) + 1
end

-- Smallest and largest magnitude of values[1..n], and whether all are whole; nil when one of them is nan.
local function survey(values, n)
   local smallest, largest, whole = abs(values[1]), abs(values[1]), true
   for i = 1, n do
      local value = values[i]
      if value ~= value then return nil end
      if whole and value ~= ceil(value) then whole = false end
      local magnitude = abs(value)
      if magnitude < smallest then smallest = magnitude end
      if magnitude > largest then largest = magnitude end
   end
   return smallest, largest, whole
end

-- The format of one element, the width of its field (nil: not aligned, never split into column blocks), and the
-- scale that stands above a block (nil: none).
local function layout(values, n)
   local smallest, largest, whole = survey(values, n)
   if not smallest then return '%f', nil, nil end
   local low, high = exponent(smallest), exponent(largest)
   if whole then
      if high > 9 then return '%11.4e', 11, nil end
      return '%' .. high + 1 .. 'd', high + 1, nil
   end
   if high - low > 4 then
      -- Exponents of three digits need one more character.
      local width = (abs(high) > 99 or abs(low) > 99) and 12 or 11
      return '%' .. width .. '.4e', width, nil
   end
   if high > 5 or high < 0 then return '%7.4f', 7, 10 ^ (high - 1) end
   local width = high == 0 and 7 or high + 6
   return '%' .. width .. '.4f', width, nil
end

-- Appends one element a line to `out`, whose last used index is `k`; returns the new last index.
local function write_vector(out, k, values, n, element, scale)
   if scale then
      k = k + 1
      out[k] = format('%g *\n', scale)
   end
   local line, divisor = element .. '\n', scale or 1
   for i = 1, n do
      out[k + i] = format(line, values[i] / divisor)
   end
   return k + n
end

-- Appends the matrix of `rows` x `columns` whose elements begin after values[base], split into blocks of columns where
-- lines would be longer than LINE_WIDTH. `indent` goes before each row; of the headings only the first is indented.
local function write_matrix(out, k, values, base, rows, columns, indent, element, width, scale)
   local per_line = width and floor((LINE_WIDTH - #indent) / (width + 1)) or columns
   local divisor = scale or 1
   local margin = scale and indent .. ' ' or indent
   local first, next_element = margin .. element, ' ' .. element
   for from = 1, columns, per_line do
      local to = from + per_line - 1
      if to > columns then to = columns end
      if per_line < columns then
         k = k + 1
         out[k] = format('%sColumns %d to %d\n', from == 1 and indent or '\n', from, to)
      end
      if scale then
         k = k + 1
         out[k] = format('%s%g *\n', indent, scale)
      end
      for row = 1, rows do
         local start = base + (row - 1) * columns
         out[k + 1] = format(first, values[start + from] / divisor)
         for column = from + 1, to do
            out[k + 1 + column - from] = format(next_element, values[start + column] / divisor)
         end
         k = k + to - from + 2
         out[k] = '\n'
      end
   end
   return k
end

-- Advances the leading indices of a tensor of `dims` dimensions, the first one fastest; false after the last.
local function advance(index, sizes, dims)
   for d = 1, dims - 2 do
      if index[d] < sizes[d] then
         index[d] = index[d] + 1
         return true
      end
      index[d] = 1
   end
   return false
end

-- Appends a tensor of three or more dimensions as matrices of its last two, each below its leading indices.
local function write_blocks(out, k, values, sizes, dims, element, width, scale)
   local rows, columns = sizes[dims - 1], sizes[dims]
   local strides, index = {}, {}
   local stride = rows * columns
   for d = dims - 2, 1, -1 do
      strides[d], index[d] = stride, 1
      stride = stride * sizes[d]
   end
   local separator = '('
   repeat
      local base = 0
      for d = 1, dims - 2 do base = base + (index[d] - 1) * strides[d] end
      k = k + 1
      out[k] = separator .. concat(index, ',') .. ',.,.) = \n'
      k = write_matrix(out, k, values, base, rows, columns, ' ', element, width, scale)
      separator = '\n('
   until not advance(index, sizes, dims)
   return k
end

-- Reads the elements below dimension `d` from position `position` of the storage into `values` after index `n`.
local function read(values, n, storage, position, sizes, strides, d, dims)
   local size, stride = sizes[d], strides[d]
   if d == dims then
      for i = 1, size do
         values[n + i] = storage[position + (i - 1) * stride]
      end
      return n + size
   end
   for i = 0, size - 1 do
      n = read(values, n, storage, position + i * stride, sizes, strides, d + 1, dims)
   end
   return n
end

-- "[torch.DoubleTensor of dimension 4x5]"; the oldest generation names its double tensors plainly.
local function tensor_footer(type_name, sizes)
   local dialect = require('torch.dialect').name
   if dialect == 'torch5' and type_name == 'torch.DoubleTensor' then type_name = 'torch.Tensor' end
   if #sizes == 0 then return format('[%s with no dimension]\n', type_name) end
   return format('[%s of %s %s]\n', type_name, dialect == 'th' and 'size' or 'dimension', concat(sizes, 'x'))
end

local text = {}

--- The text of tensor `x`: its elements and a line with its type and sizes, the last line ended.
function text.tensor(x)
   local dims = x:dim()
   local sizes, strides = {}, {}
   for d = 1, dims do
      sizes[d], strides[d] = x:size(d), x:stride(d)
   end
   local footer = tensor_footer(x:type(), sizes)
   if dims == 0 then return footer end
   local values, out, k = {}, {}, 0
   local n = read(values, 0, x:storage(), x:storageOffset(), sizes, strides, 1, dims)
   local element, width, scale = layout(values, n)
   if dims == 1 then
      k = write_vector(out, k, values, n, element, scale)
   elseif dims == 2 then
      k = write_matrix(out, k, values, 0, sizes[1], sizes[2], '', element, width, scale)
   else
      k = write_blocks(out, k, values, sizes, dims, element, width, scale)
   end
   out[k + 1] = footer
   return concat(out)
end

--- The text of storage `s`: one element a line, and a line with its type and size, the last line ended.
function text.storage(s)
   local n = #s
   local values, out, k = {}, {}, 0
   if n > 0 then
      for i = 1, n do values[i] = s[i] end
      local element, _, scale = layout(values, n)
      k = write_vector(out, k, values, n, element, scale)
   end
   out[k + 1] = format('[%s of size %d]\n', require('torch.class').typename(s), n)
   return concat(out)
end

return text
