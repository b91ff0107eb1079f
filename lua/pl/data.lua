-- pl.data: tables of rows from files of delimited text, by the names of their columns.

local List, utils = require 'pl.List', require 'pl.utils'
local errors = require 'torch.base.errors'

local data = {}

local Data = {}
Data.__index = Data

local function index_of(self, field)
   local index = type(field) == 'number' and field or List.index(self.fieldnames, field)
   if not index or index < 1 or index > #self.fieldnames then
      errors.raise("no column '%s'", tostring(field))
   end
   return index
end

function Data:column_names() return self.fieldnames end

-- The values of a column, by its name or number.
function Data:column_by_name(field)
   local index = index_of(self, field)
   return List(self):map(function(row) return row[index] end)
end

-- Iterates over the values of columns, 'a,b', of each row.
function Data:select(fields)
   local indices = List.split(fields, '%s*,%s*'):map(function(field) return index_of(self, field) end)
   local i = 0
   return function()
      i = i + 1
      local row = self[i]
      if row then return unpack(indices:map(function(index) return row[index] end), 1, #indices) end
   end
end

-- Another table, of some columns.
function Data:copy_select(fields)
   local rows, names = {}, List.split(fields, '%s*,%s*')
   local indices = names:map(function(field) return index_of(self, field) end)
   for i, row in ipairs(self) do rows[i] = indices:map(function(index) return row[index] end) end
   rows.fieldnames = names
   return data.new(rows)
end

-- Writes the names of the columns and the rows into a file, by name or open.
function Data:write(file, names, delimiter)
   data.write(self, file, names or self.fieldnames, delimiter or self.delim)
end

-- Gives a list of rows, whose names of columns are its `fieldnames`, these methods.
function data.new(rows)
   utils.assert_arg(1, rows, 'table')
   if type(rows.fieldnames) == 'string' then rows.fieldnames = List.split(rows.fieldnames, '%s*,%s*') end
   if type(rows.fieldnames) ~= 'table' then error('fieldnames must be a list or a string of names', 2) end
   return setmetatable(rows, Data)
end

function data.write(rows, file, names, delimiter)
   delimiter = delimiter or ','
   local out, message = file, nil
   if type(file) == 'string' then out, message = io.open(file, 'w') end
   if not out then return nil, message end
   if names then out:write(table.concat(names, delimiter), '\n') end
   for _, row in ipairs(rows) do out:write(table.concat(utils.array_tostring(row), delimiter), '\n') end
   if type(file) == 'string' then out:close() end
   return true
end

-- Divides a line at delimiters, single characters; within "..." they are text.
local function fields_of(line, delimiter)
   if delimiter == ' ' then return List(utils.split((string.gsub(line, '^%s+', '')))) end
   local fields, at = List(), 1
   repeat
      local quoted, after = string.match(line, '^%s*"([^"]*)"%s*()', at)
      local stop = string.find(line, delimiter, quoted and after or at, true)
      fields:append(quoted or string.match(string.sub(line, at, (stop or 0) - 1), '^%s*(.-)%s*$'))
      at = stop and stop + 1
   until not at
   return fields
end

-- Reads a file, by name or open. The delimiter is guessed from the first line: a tab, a comma, a semicolon, or spaces.
-- `settings` are `delim`, `fieldnames`, without which the first line has them, and `no_convert`, without which columns
-- that begin with a number hold numbers.
function data.read(file, settings)
   settings = settings or {}
   local source, message = file, nil
   if type(file) == 'string' then source, message = io.open(file) end
   if not source then return nil, 'error: ' .. message end
   local rows, names, delimiter, numeric = {}, settings.fieldnames, settings.delim, nil
   if type(names) == 'string' then names = List.split(names, '%s*,%s*') end
   for line in source:lines() do
      line = string.gsub(line, '\r$', '')
      if string.find(line, '%S') then
         delimiter = delimiter or string.match(line, '[\t,;]') or ' '
         local fields = fields_of(line, delimiter)
         if not names then
            names = fields
         else
            numeric = numeric or fields:map(function(field) return tonumber(field) ~= nil end)
            if not settings.no_convert then
               for i = 1, #fields do
                  if numeric[i] then fields[i] = tonumber(fields[i]) or fields[i] end
               end
            end
            rows[#rows + 1] = fields
         end
      end
   end
   if type(file) == 'string' then source:close() end
   rows.fieldnames, rows.delim = names or List(), delimiter
   return data.new(rows)
end

return data
