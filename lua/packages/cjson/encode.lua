-- Writes a Lua value as JSON.

local byte, find, format, gsub = string.byte, string.find, string.format, string.gsub
local concat, error = table.concat, error
local floor, pairs, type = math.floor, pairs, type
local key_order, lazy_table = require 'torch.base.key_order', require 'torch.jit.lazy_table'

local escapes = lazy_table(function(character) return format('\\u%04x', byte(character)) end, {
   ['"'] = '\\"', ['\\'] = '\\\\', ['/'] = '\\/', ['\b'] = '\\b', ['\t'] = '\\t', ['\n'] = '\\n', ['\f'] = '\\f',
   ['\r'] = '\\r',
})

local QUOTE, BACKSLASH, SLASH, SPACE, DELETE = byte('"\\/ \127', 1, 5)

-- Whether characters of a text are escaped. Loops over bytes are compiled, searches for patterns are not.
local function has_escapes(text)
   if #text > 200 then return find(text, '[%c"\\/\127]') ~= nil end
   for i = 1, #text do
      local c = byte(text, i)
      if c < SPACE or c == QUOTE or c == BACKSLASH or c == SLASH or c == DELETE then return true end
   end
   return false
end

local function escaped(text)
   if has_escapes(text) then return (gsub(text, '[%c"\\/\127]', escapes)) end
   return text
end

local function reject(value, why)
   local kind = type(value)
   error(format('Cannot serialise %s: %s', kind == 'cdata' and 'userdata' or kind, why), 0)
end

local function number(value, settings)
   if value ~= value or value == 1 / 0 or value == -1 / 0 then
      local invalid = settings.invalid_out
      if invalid == 'null' then return 'null' end
      if not invalid then reject(value, 'must not be NaN or Infinity') end
      if value ~= value then return 'NaN' end
      return value > 0 and 'Infinity' or '-Infinity'
   end
   return format(settings.number_format, value)
end

-- The largest key of a table whose keys are all positive integers; nil for other tables, which become objects.
local function array_length(t, settings)
   local max_index, count = 0, 0
   for key in pairs(t) do
      if type(key) ~= 'number' or key < 1 or floor(key) ~= key then return nil end
      if key > max_index then max_index = key end
      count = count + 1
   end
   if settings.ratio > 0 and max_index > count * settings.ratio and max_index > settings.safe then
      if not settings.convert then reject(t, 'excessively sparse array') end
      return nil
   end
   return max_index > 0 and max_index or nil
end

local append

local function append_array(out, n, t, length, settings, depth)
   out[n + 1] = '['
   n = n + 1
   for i = 1, length do
      if i > 1 then
         n = n + 1
         out[n] = ','
      end
      n = append(out, n, t[i], settings, depth)
   end
   out[n + 1] = ']'
   return n + 1
end

local function append_object(out, n, t, settings, depth)
   local separator = '{"'
   for key, value in key_order.pairs(t) do
      local name
      if type(key) == 'string' then
         name = escaped(key)
      elseif type(key) == 'number' then
         name = number(key, settings)
      else
         reject(key, 'table key must be a number or string')
      end
      out[n + 1], out[n + 2], out[n + 3] = separator, name, '":'
      n = append(out, n + 3, value, settings, depth)
      separator = ',"'
   end
   out[n + 1] = separator == '{"' and '{}' or '}'
   return n + 1
end

-- Appends the text of a value after out[n] and returns the new count.
function append(out, n, value, settings, depth)
   local kind, text = type(value), nil
   if kind == 'string' then
      -- Texts are not joined before the end: each would become a string of Lua's.
      out[n + 1], out[n + 2], out[n + 3] = '"', escaped(value), '"'
      return n + 3
   elseif kind == 'number' then
      text = number(value, settings)
   elseif kind == 'boolean' then
      text = value and 'true' or 'false'
   elseif kind == 'nil' or value == settings.null then
      text = 'null'
   elseif kind == 'table' then
      depth = depth + 1
      if depth > settings.encode_depth then error(format('Cannot serialise, excessive nesting (%d)', depth), 0) end
      local length = array_length(value, settings)
      if length then return append_array(out, n, value, length, settings, depth) end
      return append_object(out, n, value, settings, depth)
   else
      reject(value, 'type not supported')
   end
   out[n + 1] = text
   return n + 1
end

-- Returns the text of a value. Raises a message without a position for what JSON cannot hold.
return function(value, settings)
   settings.number_format = '%.' .. settings.precision .. 'g'
   local out = {}
   return concat(out, '', 1, append(out, 0, value, settings, 0))
end
