-- Rows of separated values: fields may be quoted, with doubled quotes, separators and line breaks inside.

local byte, find, gsub, sub = string.byte, string.find, string.gsub, string.sub
local concat, tostring = table.concat, tostring
local errors = require 'torch.base.errors'

local QUOTE = byte '"'

local rows = {}

-- Where the row that begins at a position ends, and where the next one begins.
function rows.extent(text, position)
   local from = position
   while true do
      local stop = find(text, '[\r\n"]', from)
      if not stop then return #text, #text + 1 end
      local c = byte(text, stop)
      if c ~= QUOTE then
         return stop - 1, c == 13 and byte(text, stop + 1) == 10 and stop + 2 or stop + 1
      end
      local close = find(text, '"', stop + 1, true)
      if not close then return #text, #text + 1 end
      from = close + 1
   end
end

local function add_quoted(list, n, text, from, last, separator)
   local close = from + 1
   while true do
      close = find(text, '"', close, true)
      if not close or close > last then errors.raise('csvigo: quote at byte %d is not closed', from) end
      if byte(text, close + 1) ~= QUOTE then break end
      close = close + 2
   end
   -- Text between the quote and the next separator belongs to the field, as in spreadsheets.
   local stop = find(text, separator, close + 1, true)
   if not stop or stop > last then stop = last + 1 end
   list[n] = gsub(sub(text, from + 1, close - 1), '""', '"') .. sub(text, close + 1, stop - 1)
   return stop
end

-- The fields of the row from `from` to `last`, as strings.
function rows.fields(text, from, last, separator)
   local list, n = {}, 0
   while true do
      n = n + 1
      local stop
      if byte(text, from) == QUOTE and from <= last then
         stop = add_quoted(list, n, text, from, last, separator)
      else
         stop = find(text, separator, from, true)
         if not stop or stop > last then stop = last + 1 end
         list[n] = sub(text, from, stop - 1)
      end
      if stop > last then return list end
      from = stop + #separator
   end
end

-- Where the rows of a text begin and end, as lists `first` and `last`. `skip` lines are
-- skipped, and at most `max_count` rows are taken.
function rows.extents(text, skip, max_count)
   local position, count, first, last = 1, 0, {}, {}
   if sub(text, 1, 3) == '\239\187\191' then position = 4 end
   while position <= #text and count < max_count do
      local stop, after = rows.extent(text, position)
      if skip > 0 then
         skip = skip - 1
      else
         count = count + 1
         first[count], last[count] = position, stop
      end
      position = after
   end
   return first, last, count
end

-- A value as a field: in quotes where it has separators, quotes or line breaks.
local function field(value, options)
   if value == nil or options.nan_as_missing and value ~= value then return '' end
   local text = tostring(value)
   if find(text, options.separator, 1, true) or find(text, '["\n]') then
      return '"' .. gsub(text, '"', '""') .. '"'
   end
   return text
end

-- The text of a row of `count` values.
function rows.line(values, count, options)
   local parts = {}
   for i = 1, count do parts[i] = field(values[i], options) end
   return concat(parts, options.separator)
end

return rows
