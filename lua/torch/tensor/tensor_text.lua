-- The text of tensors and storages, as `print` and `tostring` show them. One format serves all elements: it follows
-- from the exponents of the smallest and largest magnitude, so the elements are first read into an array.

local dimension_names, dialect = require 'torch.base.dimension_names', require 'torch.base.dialect'
local half_up = require 'torch.base.half_up'
local abs = math.abs
local format = string.format

-- The text under construction: a new buffer would take longer than a small tensor. The buffer of a large one is freed.
local out, KEPT = require('string.buffer').new(), 65536

local function finished()
   local result = out:tostring()
   if #result > KEPT then out:free() end
   return result
end

local LINE_WIDTH = 80

-- Digits before the decimal point of a magnitude: 1 for 0 and 5, 2 for 10, -1 for 0.01, inf for inf.
local function exponent(magnitude)
   if magnitude == 0 then return 1 end
   return math.floor(math.log10(magnitude)) + 1
end

-- Smallest and largest magnitude of values[1..n], and whether all are whole; nil if one of them is nan.
local function survey(values, n)
   local smallest, largest, whole = abs(values[1]), abs(values[1]), true
   for i = 1, n do
      local value = values[i]
      if value ~= value then return nil end
      if whole and value ~= math.ceil(value) then whole = false end
      local magnitude = abs(value)
      if magnitude < smallest then smallest = magnitude end
      if magnitude > largest then largest = magnitude end
   end
   return smallest, largest, whole
end

-- The format of an element, its field's width (nil: not aligned, never in blocks), and the block's scale (nil: none).
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

-- The format of an element, and those of the parts of a number with four decimals.
local function element_format(element, width, before, after)
   local letter = string.sub(element, -1)
   -- Elements that are not integers have four decimals, except nan.
   local kind = element ~= '%f' and (letter == 'f' or letter == 'e') and letter or nil
   local style = { whole = before .. element .. after, fixed = letter == 'f', kind = kind }
   if width and style.fixed then
      local units = before .. '%' .. width - 5
      style.parts, style.below_one = units .. 'd.%04d' .. after, units .. 's.%04d' .. after
   end
   return style
end

-- Appends a number. Four decimals are written as two integers, several times as fast, unless rounding is a near tie,
-- for which format decides.
local function put(style, value)
   if style.parts then
      local scaled = abs(value) * 1e4
      local digits = math.floor(scaled + 0.5)
      if value ~= 0 and abs(scaled - digits) < 0.49999 then
         local units = math.floor(digits / 1e4)
         local decimals = digits - units * 1e4
         if value > 0 then
            out:putf(style.parts, units, decimals)
         elseif units > 0 then
            out:putf(style.parts, -units, decimals)
         else
            out:putf(style.below_one, '-0', decimals)
         end
         return
      end
   end
   -- LuaJIT misformats numbers below 1e-152 with %f; their sign stays.
   if style.fixed and abs(value) < 1e-100 then value = 0 * value end
   if style.kind and dialect.name == 'th' then value = half_up.adjusted(value, style.kind, 4) end
   out:putf(style.whole, value)
end

local function write_vector(values, n, element, width, scale)
   if scale then out:putf('%g *\n', scale) end
   local style, divisor = element_format(element, width, '', '\n'), scale or 1
   for i = 1, n do put(style, values[i] / divisor) end
end

-- Appends the matrix of `rows` x `columns` whose elements start after values[base], split into blocks of columns if
-- lines would be longer than LINE_WIDTH. `indent` precedes each row; of the headings only the first is indented.
local function write_matrix(values, base, rows, columns, indent, element, width, scale)
   local per_line = width and math.floor((LINE_WIDTH - #indent) / (width + 1)) or columns
   local divisor = scale or 1
   local margin = scale and indent .. ' ' or indent
   local first, others = element_format(element, width, margin, ''), element_format(element, width, ' ', '')
   for from = 1, columns, per_line do
      local to = from + per_line - 1
      if to > columns then to = columns end
      if per_line < columns then out:putf('%sColumns %d to %d\n', from == 1 and indent or '\n', from, to) end
      if scale then out:putf('%s%g *\n', indent, scale) end
      for row = 1, rows do
         local start = base + (row - 1) * columns
         put(first, values[start + from] / divisor)
         for column = from + 1, to do put(others, values[start + column] / divisor) end
         out:put('\n')
      end
   end
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
local function write_blocks(values, sizes, dims, element, width, scale)
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
      out:put(separator .. table.concat(index, ',') .. ',.,.) = \n')
      write_matrix(values, base, rows, columns, ' ', element, width, scale)
      separator = '\n('
   until not advance(index, sizes, dims)
end

-- Reads the elements below dimension `d`, from storage index `position` on, into `values` after index `n`.
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

local function sizes_of(x)
   local sizes = {}
   for d = 1, x:dim() do sizes[d] = x:size(d) end
   return sizes
end

-- "[torch.DoubleTensor of dimension 4x5]", or "[torch.DoubleTensor of dimension 4x5, names rows x columns]"; the oldest
-- dialect omits the type of double tensors.
local function tensor_footer(type_name, sizes, list)
   if dialect.name == 'torch5' and type_name == 'torch.DoubleTensor' then type_name = 'torch.Tensor' end
   if #sizes == 0 then return format('[%s with no dimension]\n', type_name) end
   return format('[%s of %s %s%s]\n', type_name, dialect.name == 'th' and 'size' or 'dimension',
      table.concat(sizes, 'x'), list and ', names ' .. table.concat(list, ' x ') or '')
end

local tensor_text = {}

-- The last line of the text of tensor `x`.
function tensor_text.footer(x)
   return tensor_footer(x:type(), sizes_of(x), dimension_names.get(x))
end

-- The text of tensor `x`: its elements and a line with its type and sizes, ending in a newline.
function tensor_text.tensor(x)
   local dims, sizes, strides = x:dim(), sizes_of(x), {}
   for d = 1, dims do strides[d] = x:stride(d) end
   local footer = tensor_footer(x:type(), sizes, dimension_names.get(x))
   if dims == 0 then return footer end
   local values = {}
   out:reset()
   local n = read(values, 0, x:storage(), x:storageOffset(), sizes, strides, 1, dims)
   local element, width, scale = layout(values, n)
   if dims == 1 then
      write_vector(values, n, element, width, scale)
   elseif dims == 2 then
      write_matrix(values, 0, sizes[1], sizes[2], '', element, width, scale)
   else
      write_blocks(values, sizes, dims, element, width, scale)
   end
   out:put(footer)
   return finished()
end

-- The text of storage `s`: one element per line, and a line with its type and size, ending in a newline.
function tensor_text.storage(s)
   local n = #s
   local values = {}
   out:reset()
   if n > 0 then
      for i = 1, n do values[i] = s[i] end
      local element, width, scale = layout(values, n)
      write_vector(values, n, element, width, scale)
   end
   out:putf('[%s of size %d]\n', require('torch.base.class_registry').typename(s), n)
   return finished()
end

return tensor_text
