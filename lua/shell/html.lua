-- Values as HTML, for notebooks: tensors as tables of numbers, tables of Lua as tables of keys and values.

local format = string.format
local floor = math.floor
local class_registry, key_order = require 'torch.base.class_registry', require 'torch.base.key_order'
local output, types = require 'shell.output', require 'torch.base.types'
local dimension_names, shape = require 'torch.base.dimension_names', require('torch.base.geometry').shape

local ROWS, COLUMNS, SLICES, KEYS, DEPTH = 20, 16, 4, 50, 3

local entities = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;' }
local function escaped(text) return (string.gsub(text, '[&<>]', entities)) end

-- The format of the numbers of a tensor: integers as such, others with four digits.
local function format_of(x)
   local whole, largest = true, 0
   local flat = x:contiguous():view(-1):double()
   for i = 1, flat:size(1) do
      local v = flat[i]
      if v ~= floor(v) or v == math.huge or v == -math.huge then whole = false end
      if v == v and math.abs(v) ~= math.huge and math.abs(v) > largest then largest = math.abs(v) end
   end
   if whole then return '%.0f' end
   return (largest >= 1e5 or (largest < 1e-3 and largest > 0)) and '%.4e' or '%.4f'
end

-- One row of numbers; a last cell of dots where there are more.
local function row_of(out, x, count, total, form)
   out[#out + 1] = '<tr>'
   for i = 1, count do out[#out + 1] = '<td style="text-align: right">' .. format(form, x[i]) .. '</td>' end
   if total > count then out[#out + 1] = '<td>&hellip;</td>' end
   out[#out + 1] = '</tr>'
end

-- A matrix, or a vector as a column.
local function matrix(out, x, form)
   local rows, columns = x:size(1), x:dim() == 2 and x:size(2) or 1
   out[#out + 1] = '<table>'
   for i = 1, math.min(rows, ROWS) do
      if x:dim() == 2 then
         row_of(out, x[i], math.min(columns, COLUMNS), columns, form)
      else
         row_of(out, { x[i] }, 1, 1, form)
      end
   end
   if rows > ROWS then out[#out + 1] = '<tr><td>&#8942;</td></tr>' end
   out[#out + 1] = '</table>'
end

local function slices(out, x, form, name)
   if x:dim() <= 2 then
      if name ~= '' then out[#out + 1] = '<div>(' .. name .. '.,.)</div>' end
      return matrix(out, x, form)
   end
   for i = 1, math.min(x:size(1), SLICES) do slices(out, x[i], form, name .. i .. ',') end
   if x:size(1) > SLICES then out[#out + 1] = '<div>&#8942;</div>' end
end

-- The part of a tensor that is shown.
local function shown_part(x)
   for d = 1, x:dim() do
      local limit = d <= x:dim() - 2 and SLICES or (d == x:dim() and x:dim() > 1) and COLUMNS or ROWS
      if x:size(d) > limit then x = x:narrow(d, 1, limit) end
   end
   return x
end

local function tensor(out, x)
   out[#out + 1] = '<div>'
   if x:dim() > 0 then slices(out, x, format_of(shown_part(x)), '') end
   out[#out + 1] = '<small>' .. escaped(x:type()) .. (x:dim() > 0 and ' of size ' .. shape(x) or ' without elements')
   local list = dimension_names.get(x)
   if list then out[#out + 1] = ', names ' .. table.concat(list, ' x ') end
   out[#out + 1] = '</small></div>'
end

local value

local function pairs_of(out, t, depth, seen)
   seen[t] = true
   out[#out + 1] = '<table>'
   local count = 0
   local function entry(key, inner)
      count = count + 1
      if count > KEYS then return end
      out[#out + 1] = '<tr><th style="text-align: left">' .. escaped(tostring(key)) .. '</th>'
      out[#out + 1] = '<td style="text-align: left">'
      value(out, inner, depth + 1, seen)
      out[#out + 1] = '</td></tr>'
   end
   for i = 1, #t do entry(i, t[i]) end
   for key, inner in key_order.sorted(t) do
      if not (type(key) == 'number' and key >= 1 and key <= #t and key == floor(key)) then entry(key, inner) end
   end
   if count > KEYS then out[#out + 1] = '<tr><td>&#8942;</td></tr>' end
   out[#out + 1] = '</table>'
   seen[t] = nil
end

-- Tells whether a value is a table without a class and without `__tostring`.
local function is_plain(v)
   return output.is_plain_table(v) and not class_registry.typename(v)
end

function value(out, v, depth, seen)
   if types.of_tensor(v) then
      tensor(out, v)
   elseif is_plain(v) and depth < DEPTH and not seen[v] then
      pairs_of(out, v, depth, seen)
   else
      out[#out + 1] = escaped(tostring(v))
   end
end

-- The HTML of a single tensor or plain table; nothing for other values, which text shows well.
return function(...)
   if select('#', ...) ~= 1 then return end
   local v = ...
   if not types.of_tensor(v) and not (is_plain(v) and next(v) ~= nil) then return end
   local out = {}
   value(out, v, 0, {})
   return table.concat(out)
end
