-- pl.data: tables of rows from files of delimited text, by the names of their columns.

local List, utils = require 'pl.List', require 'pl.utils'
local errors = require 'torch.base.errors'

local data = {}

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

local function delimiter_of(line)
   for _, delimiter in ipairs { ',', '\t', ' ', ';' } do
      if string.find(line, delimiter, 1, true) then return delimiter == ' ' and '%s+' or delimiter end
   end
   return ' '
end

local Data = {}
Data.__index = Data

local function index_of(self, field)
   local index = type(field) == 'number' and field or List.index(self.fieldnames, field)
   if not index then
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

-- Another table, of the columns and rows of a query.
function Data:copy_select(query)
   local rows, fields = { delim = self.delim }, parts_of(query).fields
   for row in data.query(self, query, nil, true) do table.insert(rows, List(row)) end
   rows.fieldnames = string.find(fields, '^%s*%*') and self.fieldnames or List.split(fields, ',')
   return data.new(rows)
end

-- Writes the names of the columns and the rows into a file, by name or open.
function Data:write(file) return data.write(self, file, self.fieldnames, self.delim) end

function Data:write_row(file, row) file:write(table.concat(utils.array_tostring(row), self.delim), '\n') end

-- Gives a list of rows, whose names of columns are its `fieldnames`, or the second argument, these methods.
function data.new(rows, names)
   utils.assert_arg(1, rows, 'table')
   names = rows.fieldnames or names or ''
   if type(names) == 'string' then
      rows.delim = rows.delim or delimiter_of(names)
      names = utils.split(names, rows.delim)
   end
   -- Names of columns are identifiers in queries.
   rows.original_fieldnames, rows.fieldnames = {}, List()
   for i, name in ipairs(names) do
      rows.original_fieldnames[i] = string.match(name, '^%s*(.-)%s*$')
      rows.fieldnames[i] = string.gsub(rows.original_fieldnames[i], '%W', '_')
   end
   return setmetatable(rows, Data)
end

function data.write(rows, file, names, delimiter)
   delimiter, names = delimiter or '\t', names or rows.fieldnames
   local out, message = file, nil
   if file == 'stdout' then out = io.stdout elseif type(file) == 'string' then out, message = io.open(file, 'w') end
   if not out then return nil, message end
   if names and #names > 0 then out:write(table.concat(names, delimiter), '\n') end
   for _, row in ipairs(rows) do out:write(table.concat(utils.array_tostring(row), delimiter), '\n') end
   if type(file) == 'string' and file ~= 'stdout' then out:close() end
   return true
end

-- Divides a line at a delimiter, a pattern, into at most n fields. In csv commas within "..." are text.
local function fields_of(line, delimiter, csv, n)
   local has_quotes = csv and string.find(line, '"', 1, true)
   if has_quotes then
      line = string.gsub(line, '"([^"]+)"', function(inside) return (string.gsub(inside, ',', '\1')) end)
   end
   local fields = List(utils.split(line, delimiter, false, n))
   if has_quotes then fields = fields:map(function(field) return (string.gsub(field, '\1', ',')) end) end
   if csv and string.find(line, ',$') then fields:append '' end
   return fields
end

-- Reads a file, by name or open. The delimiter is guessed from the first line: a comma, a tab, spaces or a semicolon.
-- `settings` are `csv`, a pattern `delim`, `fieldnames`, without which the first line has them, `no_convert`, without
-- which columns that begin with a number hold numbers, `numfields` and `convert`, indices of such columns and functions
-- for columns, `thousands_dot`, and `last_field_collect`: fields beyond the names belong to the last one.
function data.read(file, settings)
   settings = settings or {}
   local csv, source, message = settings.csv, file, nil
   if file == 'stdin' then source = io.stdin elseif type(file) == 'string' then source, message = io.open(file) end
   if not source then return nil, message end
   local function next_line()
      local line = source:read()
      return line and (string.gsub(line, '\r$', ''))
   end
   local line = next_line()
   if not line then return nil, 'empty file' end
   local delimiter = csv and ',' or settings.delim or delimiter_of(line)
   local rows, names = {}, settings.fieldnames

   local function to_number(field)
      if settings.thousands_dot then field = string.gsub(field, '%.(...)', '%1') end
      return tonumber(csv and field == '' and '0' or field)
   end
   local conversions, columns = {}, {}
   local function convert(column, f)
      table.insert(columns, column)
      table.insert(conversions, f)
   end
   for _, column in ipairs(settings.numfields or {}) do convert(column, to_number) end

   local indented = delimiter == '%s+' and string.find(line, '^%s')
   local function divide(text, n)
      if indented then text = string.gsub(text, '^%s+', '') end
      return fields_of(text, delimiter, csv, n)
   end

   if not names then
      local fields, numbers = divide(line), {}
      if settings.convert then
         for column, f in pairs(settings.convert) do convert(column, f) end
      else
         for i, field in ipairs(fields) do numbers[i] = tonumber(field) end
      end
      if #numbers == #fields then      -- a file without names
         table.insert(rows, numbers)
         for i = 1, #numbers do convert(i, to_number) end
      else
         names = fields
      end
      line = next_line()
   elseif type(names) == 'string' then
      names = fields_of(names, string.find(names, delimiter) and delimiter or ',', csv)
   end
   local max_count = names and settings.last_field_collect and #names or nil
   if names and not settings.no_convert and line then
      for i, field in ipairs(divide(line, max_count)) do
         if not List.index(columns, i) and to_number(field) then convert(i, to_number) end
      end
   end
   local count = #rows + (settings.fieldnames and 1 or 2)
   while line do
      if string.find(line, '%S') then
         local fields = divide(line, max_count)
         for k, column in ipairs(columns) do
            local value, why = conversions[k](fields[column])
            if value == nil then
               return nil, string.format('%s: %s at line %d', why or 'not a number', tostring(fields[column]), count)
            end
            fields[column] = value
         end
         table.insert(rows, fields)
      end
      line, count = next_line(), count + 1
   end
   if type(file) == 'string' and file ~= 'stdin' then source:close() end
   rows.fieldnames, rows.delim = names or {}, delimiter == '%s+' and ' ' or delimiter
   return data.new(rows)
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
