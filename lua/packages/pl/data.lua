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

-- Iterates over the values of columns: 'a,b where a > 2 sort by b desc'; see data.query.
function Data:select(query, context) return data.query(self, query, context) end

-- The same values in a table for each row.
function Data:select_row(query, context) return data.query(self, query, context, true) end

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
   data.write(self, file, names or self.original_fieldnames, delimiter or self.delim)
end

-- Gives a list of rows, whose names of columns are its `fieldnames`, these methods.
function data.new(rows)
   utils.assert_arg(1, rows, 'table')
   if type(rows.fieldnames) == 'string' then rows.fieldnames = List.split(rows.fieldnames, '%s*,%s*') end
   if type(rows.fieldnames) ~= 'table' then error('fieldnames must be a list or a string of names', 2) end
   -- Names of columns are identifiers in queries.
   rows.original_fieldnames = List(rows.fieldnames):clone()
   rows.fieldnames = rows.original_fieldnames:map(function(name) return (string.gsub(tostring(name), '%W', '_')) end)
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
-- `settings` are `delim`, `fieldnames`, without which the first line has them, `no_convert`, without which columns that
-- begin with a number hold numbers, and `last_field_collect`: fields beyond the names belong to the last one.
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
         if settings.last_field_collect and names and #fields > #names then
            local last = List.slice(fields, #names):concat(delimiter)
            fields = fields:slice(1, #names - 1):append(last)
         end
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

-- The parts of a query: fields, an expression `where` and the column `sort_by`.
local function parts_of(query)
   if type(query) == 'table' then
      local fields = type(query.fields) == 'table' and table.concat(query.fields, ',') or query.fields
      return { fields = fields or '*', where = query.where, sort_by = query.sort_by }
   end
   local parts, rest = {}, query
   local before, after = string.match(rest, '^(.-)%s*sort by%s+(.*)$')
   if before then rest, parts.sort_by = before, after end
   before, after = string.match(rest, '^(.-)%s*where%s+(.*)$')
   if before then rest, parts.where = before, after end
   parts.fields = rest
   return parts
end

-- A function of a row that gives the values of expressions of columns, by their names or $number. Other names are
-- those of the tables of `context`, if there are any, or globals.
local function compiled(rows, text, context)
   local row
   local tables = { unpack(context or {}) }
   table.insert(tables, _G)
   local environment = setmetatable({}, { __index = function(_, name)
      local index = List.index(rows.fieldnames, name)
      if index then return row[index] end
      for _, t in ipairs(tables) do
         if t[name] ~= nil then return t[name] end
      end
   end })
   local source = 'local _row = ... return ' .. string.gsub(text, '%$(%d+)', '_row[%1]')
   local f, message = utils.load(source, 'query', 't', environment)
   if not f then return nil, message end
   return function(given)
      row = given
      return f(given)
   end
end

-- Columns are selected by 'FIELDS [where CONDITION] [sort by FIELD [desc]]', or by a table with these `fields`,
-- `where`, which may be a function of a row, and `sort_by`. FIELDS are '*', or names, $numbers and expressions of them.
-- Returns an iterator over the values of each row, in a table with `in_table`; or nil and a message.
function data.query(rows, query, context, in_table)
   if type(query) ~= 'string' and type(query) ~= 'table' then return nil, 'condition must be a string or a table' end
   local parts = parts_of(query)
   local fields, message = parts.fields
   if string.find(fields, '^%s*%*%s*$') then
      local all = {}
      for i = 1, math.max(#rows.fieldnames, #(rows[1] or {})) do all[i] = '$' .. i end
      fields = table.concat(all, ',')
   end
   for name in string.gmatch(fields, '[^,]+') do
      name = string.match(name, '^%s*([%a_][%w_]*)%s*$')
      if name and not List.index(rows.fieldnames, name) then
         return nil, name .. ' not found in ' .. table.concat(rows.fieldnames, ',')
      end
   end
   local values, matches
   values, message = compiled(rows, fields, context)
   if not values then return nil, message end
   if type(parts.where) == 'string' then
      matches, message = compiled(rows, parts.where, context)
      if not matches then return nil, message end
   elseif parts.where ~= nil then
      matches = utils.function_arg(1, parts.where)
   end
   local found = {}
   for _, row in ipairs(rows) do
      if not matches or matches(row) then table.insert(found, row) end
   end
   if parts.sort_by then
      local field, order = string.match(parts.sort_by, '^%s*(%S+)%s*(%S*)')
      local key
      key, message = compiled(rows, field, context)
      if not key then return nil, message end
      table.sort(found, function(a, b)
         if order ~= '' and order ~= 'asc' then a, b = b, a end
         return key(a) < key(b)
      end)
   end
   local i = 0
   return function()
      i = i + 1
      if not found[i] then return nil end
      if in_table then return { values(found[i]) } end
      return values(found[i])
   end
end

-- Reads a file, by default the input of the program, and writes the rows of a query to another one, by default its
-- output. A query that fails ends the program, or with `dont_fail` gives nil and a message.
function data.filter(query, input, output, dont_fail)
   local rows = data.read(input or io.stdin)
   local iterator, message = rows:select_row(query)
   if not iterator then
      if dont_fail then return nil, 'error: ' .. message end
      utils.quit('error: ' .. message)
   end
   local out = type(output) == 'string' and io.open(output, 'w') or output or io.stdout
   for row in iterator do
      out:write(table.concat(utils.array_tostring(row), rows.delim), '\n')
   end
   if type(output) == 'string' then out:close() end
   return true
end

return data
