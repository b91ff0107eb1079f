-- csvigo: files of comma-separated values as tables of columns, lists of rows, or query functions.

local torch = require 'torch'
local check, errors = require 'torch.base.check', require 'torch.base.errors'
local host, rows = require 'torch.native.host', require 'csvigo.rows'

local csvigo = {}
rawset(_G, 'csvigo', csvigo)
require 'dok'

-- Rows of a text that are read when they are asked for: an object with # and an index.
local function large(text, options)
   local first, last, count = rows.extents(text, options.skip, options.nrows or math.huge)
   local object = newproxy(true)
   local metatable = getmetatable(object)
   metatable.__len = function() return count end
   metatable.__index = function(_, i)
      if type(i) ~= 'number' or not first[i] then return nil end
      return rows.fields(text, first[i], last[i], options.separator)
   end
   metatable.__tostring = function() return 'csvigo.large of ' .. tostring(count) .. ' rows' end
   return object
end

-- The result of csvigo.load in the mode 'query': a function that answers questions about columns.

local HELP = [[
query('vars')                         the names of the columns
query('all')                          all columns
query('union', { name = value, ... }) the rows in which any of the columns has its value
query('inter', { name = value, ... }) the rows in which all of them have
A value may be a list of values, of which any will do.]]

-- Makes a test of row i for each condition.
local function tests_of(columns, conditions)
   local tests = {}
   for name, wanted in pairs(conditions) do
      local column = columns[name]
      if not column then errors.raise("csvigo query: no column '%s'", tostring(name)) end
      local values = {}
      for _, value in ipairs(type(wanted) == 'table' and wanted or { wanted }) do values[tostring(value)] = true end
      tests[#tests + 1] = function(i) return values[column[i]] == true end
   end
   return tests
end

local function query_of(columns, names)
   local function select(keep)
      local found = {}
      for _, name in ipairs(names) do found[name] = {} end
      for i = 1, names[1] and #columns[names[1]] or 0 do
         if keep(i) then
            for _, name in ipairs(names) do found[name][#found[name] + 1] = columns[name][i] end
         end
      end
      return found
   end

   local function matching(conditions, all)
      if type(conditions) ~= 'table' then
         errors.raise('csvigo query: conditions must be a table (got %s)', errors.describe(conditions))
      end
      local tests = tests_of(columns, conditions)
      return select(function(i)
         for _, test in ipairs(tests) do
            if test(i) ~= all then return not all end
         end
         return all
      end)
   end

   return function(question, conditions)
      if question == nil or question == 'help' then return io.write(HELP, '\n') end
      if question == 'vars' then return names end
      if question == 'all' then return columns end
      if question == 'union' then return matching(conditions, false) end
      if question == 'inter' then return matching(conditions, true) end
      errors.raise("csvigo query: argument 1 must be 'vars', 'all', 'union' or 'inter' (got '%s')", tostring(question))
   end
end

-- csvigo.load: a file as a table of columns ('tidy'), a list of rows ('raw'), an object that reads a row when it is
-- asked for ('large'), or a function that answers questions ('query').

local DEFAULTS = { mode = 'tidy', separator = ',', header = 'auto', skip = 0 }
local KNOWN = { path = 'string', mode = 'string', separator = 'string', skip = 'number', nrows = 'number' }

local function options_of(given)
   if type(given) == 'string' then given = { path = given } end
   if type(given) ~= 'table' then errors.argument_error('csvigo.load', 1, 'a path or a table of options', given) end
   local options = {}
   for key, value in pairs(DEFAULTS) do options[key] = value end
   for key, value in pairs(given) do
      if KNOWN[key] and type(value) ~= KNOWN[key] then
         errors.raise('csvigo.load: %s must be a %s (got %s)', key, KNOWN[key], errors.describe(value))
      end
      options[key] = value
   end
   if not options.path then errors.raise('csvigo.load: path must be a string (got nil)') end
   if #options.separator == 0 then errors.raise('csvigo.load: separator must have at least one character') end
   return options
end

local function read(path)
   local file, why = io.open(path, 'rb')
   if not file then errors.raise('csvigo.load: cannot open %s', why) end
   local text, reason = file:read '*a'
   file:close()
   if not text then errors.raise('csvigo.load: cannot read %s: %s', path, reason) end
   return text
end

-- Whether the first row names the columns: 'auto' takes a row without any number for names.
local function has_names(first, header)
   if header ~= 'auto' then return header == true or header == 'true' end
   for _, field in ipairs(first) do
      if tonumber(field) then return false end
   end
   return true
end

-- The rows by columns, and the names of the columns in their order.
local function tidy(list, header)
   local names, columns = {}, {}
   local named = list[1] ~= nil and has_names(list[1], header)
   for i = 1, list[1] and #list[1] or 0 do names[i] = named and list[1][i] or 'var_' .. i end
   for i, name in ipairs(names) do
      local column = {}
      for k = named and 2 or 1, #list do column[#column + 1] = list[k][i] or '' end
      columns[name] = column
   end
   return columns, names
end

function csvigo.load(given)
   local options = options_of(given)
   local mode = options.mode
   if options.verbose then io.write('<csv> reading ', options.path, '\n') end
   local text = read(options.path)
   if mode == 'large' then return large(text, options) end
   local first, last, count = rows.extents(text, options.skip, options.nrows or math.huge)
   local list = {}
   for i = 1, count do list[i] = rows.fields(text, first[i], last[i], options.separator) end
   if mode == 'raw' then return list end
   if mode ~= 'tidy' and mode ~= 'query' then
      errors.raise("csvigo.load: mode must be 'tidy', 'raw', 'large' or 'query' (got '%s')", mode)
   end
   local columns, names = tidy(list, options.header)
   if mode == 'query' then return query_of(columns, names) end
   if options.column_order then return columns, names end
   return columns
end

-- csvigo.save: columns or rows into a file.

local function write_rows(out, data, options)
   for i, row in ipairs(data) do
      if type(row) ~= 'table' then
         errors.raise('csvigo.save: row %d must be a table (got %s)', i, errors.describe(row))
      end
      out[#out + 1] = rows.line(row, #row, options)
   end
end

local function write_columns(out, data, options)
   local names, row_count = options.column_order, 0
   if type(names) ~= 'table' then
      names = {}
      for name in pairs(data) do names[#names + 1] = name end
      table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
   end
   for _, name in ipairs(names) do
      if type(data[name]) ~= 'table' then
         errors.raise("csvigo.save: column '%s' must be a table (got %s)", tostring(name), errors.describe(data[name]))
      end
      if #data[name] > row_count then row_count = #data[name] end
   end
   if options.header ~= false then out[1] = rows.line(names, #names, options) end
   local row = {}
   for i = 1, row_count do
      for k, name in ipairs(names) do row[k] = data[name][i] end
      out[#out + 1] = rows.line(row, #names, options)
   end
end

function csvigo.save(given, data)
   if type(given) == 'string' then given = { path = given, data = data } end
   if type(given) ~= 'table' then errors.argument_error('csvigo.save', 1, 'a path or a table of options', given) end
   local options = {}
   for key, value in pairs(given) do options[key] = value end
   options.separator = options.separator or ','
   if type(options.path) ~= "string" then
      errors.raise("csvigo.save: path must be a string (got %s)", tostring(options.path))
   end
   local value = options.data
   -- A matrix is a list of its rows; a query gives all its columns.
   if torch.isTensor(value) then value = value:totable() end
   if type(value) == 'function' then value = value 'all' end
   if type(value) ~= 'table' then
      errors.raise('csvigo.save: data must be a table or a tensor (got %s)', errors.describe(options.data))
   end
   local out = {}
   local mode = options.mode
   if mode == 'raw' or (mode == nil or mode == 'autodetect') and type(value[1]) == 'table' then
      write_rows(out, value, options)
   else
      write_columns(out, value, options)
   end
   if options.verbose then io.write('<csv> writing ', options.path, '\n') end
   out[#out + 1] = ''
   local why = host.write_whole(options.path, table.concat(out, '\n'))
   if why then errors.raise('csvigo.save: cannot write %s: %s', options.path, why) end
end

-- csvigo.File: a file of separated values that is read or written row by row.

local File = torch.class('csvigo.File', csvigo)

-- `mode` is that of io.open, 'r' by default; `nrows` is the maximum number of rows that readall returns.
function File:__init(filename, mode, separator, nrows)
   check.kind('csvigo.File', 'filename', filename, 'string')
   self.filepath, self.separator, self.nrows = filename, separator or ',', nrows
   local file, why = io.open(filename, mode or 'r')
   if not file then errors.raise('csvigo.File: cannot open %s', why) end
   self.file = file
end

function File:close() self.file:close() end

-- The fields of the next row, nil at the end. A row goes on over lines while a quote is open.
function File:read()
   local text = self.file:read()
   while text do
      local _, quotes = string.gsub(text, '"', '')
      if quotes % 2 == 0 then break end
      local more = self.file:read()
      if not more then break end
      text = text .. '\n' .. more
   end
   if not text then return nil end
   text = string.gsub(text, '\r$', '')
   return rows.fields(text, 1, #text, self.separator)
end

function File:lines()
   return function() return self:read() end
end

function File:readall()
   local list = {}
   for row in self:lines() do
      if self.nrows and #list >= self.nrows then break end
      list[#list + 1] = row
   end
   return list
end

-- The rows of the rest of the file, which are read from its text when they are asked for.
function File:largereadall()
   return large(self.file:read '*a', { skip = 0, nrows = self.nrows, separator = self.separator })
end

-- Writes a row: a list of values.
function File:write(row)
   check.kind('csvigo.File:write', 'the row', row, 'table')
   self.file:write(rows.line(row, #row, self), '\n')
end

function File:writeall(list)
   check.kind('csvigo.File:writeall', 'the rows', list, 'table')
   for _, row in ipairs(list) do self:write(row) end
end

return csvigo
