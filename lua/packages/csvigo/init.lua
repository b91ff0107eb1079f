-- csvigo: files of comma-separated values as tables of columns, lists of rows, or query functions.

local torch = require 'torch'
local check, errors = require 'torch.base.check', require 'torch.base.errors'
local globals, key_order = _G, require 'torch.base.key_order'
local host, rows = require 'torch.native.host', require 'csvigo.rows'

local csvigo = {}
rawset(_G, 'csvigo', csvigo)
require 'dok'

-- Rows of a text that are read when they are asked for: an object with #, an index, pairs and ipairs.
local function large(text, options)
   local first, last, count = rows.extents(text, 0, options.nrows or math.huge)
   local function row(_, i)
      if type(i) ~= 'number' or not first[i] then return nil end
      return rows.fields(text, first[i], last[i], options.separator)
   end
   local function following(_, i)
      i = (i or 0) + 1
      if i <= count then return i, row(nil, i) end
   end
   local function each(object) return following, object, 0 end
   return setmetatable({}, {
      __len = function() return count end, __index = row, __pairs = each, __ipairs = each,
      __newindex = function() error('attempt to update a read-only table', 2) end,
      __tostring = function()
         local lines = {}
         local function add(from, to)
            for i = from, to do lines[#lines + 1] = string.sub(text, first[i], last[i]) .. '\n' end
         end
         if count < 30 then
            add(1, count)
         else
            add(1, 10)
            lines[#lines + 1] = string.rep('.. .. .. .. .. .. .. .. .. \n', 10)
            add(count - 10, count)
         end
         return table.concat(lines)
      end,
   })
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
      if question == 'help' then
         io.write(HELP, '\n')
         return
      end
      if question == 'vars' then
         local vars = {}
         for name in key_order.pairs(columns) do vars[#vars + 1] = name end
         return vars
      end
      if question == nil or question == 'all' then return columns end
      if question == 'union' then return matching(conditions, false) end
      if question == 'inter' then return matching(conditions, true) end
      errors.raise("csvigo query: argument 1 must be 'vars', 'all', 'union' or 'inter' (got '%s')", tostring(question))
   end
end

-- csvigo.load: a file as a table of columns ('tidy'), a list of rows ('raw'), an object that reads a row when it is
-- asked for ('large'), or a function that answers questions ('query').

local KNOWN = { path = 'string', mode = 'string', separator = 'string', skip = 'number', nrows = 'number' }
local ORDER = { 'path', 'separator', 'mode', 'header', 'verbose', 'skip', 'column_order', 'nrows' }

-- The options of a call: a table of them, or values in an order; those that are missing from `defaults`.
local function options_of(name, order, defaults, given, ...)
   local options = {}
   if type(given) ~= 'table' or ... ~= nil then
      for i, key in ipairs(order) do options[key] = (select(i, given, ...)) end
   else
      for key, value in pairs(given) do options[key] = value end
   end
   for key, value in pairs(options) do
      if KNOWN[key] and type(value) ~= KNOWN[key] then
         errors.raise('%s: %s must be a %s (got %s)', name, key, KNOWN[key], errors.describe(value))
      end
   end
   for key, value in pairs(defaults) do
      if options[key] == nil then options[key] = value end
   end
   if not options.path then errors.raise('%s: path must be a string (got nil)', name) end
   if #options.separator == 0 then errors.raise('%s: separator must have at least one character', name) end
   options.path = string.gsub(options.path, '^~', os.getenv 'HOME' or '~')
   return options
end

local function tell(options, ...)
   if options.verbose then globals.print('<csv>', string.format(...)) end
end

local function read(path)
   local file, why = io.open(path, 'rb')
   if not file then errors.raise('csvigo.load: cannot open %s', why) end
   local text, reason = file:read '*a'
   file:close()
   if not text then errors.raise('csvigo.load: cannot read %s: %s', path, reason) end
   return text
end

-- Whether the first row names the columns: with 'auto' if its first field is not a number.
local function has_names(first, header)
   if header == 'auto' then return tonumber(first[1]) == nil end
   return header == true
end

-- The rows by columns, and the names of the columns in their order.
local function tidy(list, header)
   local names, columns = {}, {}
   local named = list[1] ~= nil and has_names(list[1], header)
   for i = 1, list[1] and #list[1] or 0 do names[i] = named and list[1][i] or 'var_' .. i end
   for _, name in ipairs(names) do columns[name] = {} end
   for k = named and 2 or 1, #list do
      for i, field in ipairs(list[k]) do
         local column = columns[names[i]]
         if column then column[#column + 1] = field end
      end
   end
   return columns, names
end

local LOAD = { mode = 'tidy', separator = ',', header = 'auto', skip = 0, verbose = true }

-- csvigo.load(path [, separator] [, mode] [, header] [, verbose] [, skip] [, column_order]), or a table of these.
function csvigo.load(...)
   local options = options_of('csvigo.load', ORDER, LOAD, ...)
   local mode = options.mode
   local is_tidy = mode == 'tidy' or mode == 'query'
   if not is_tidy and mode ~= 'raw' and mode ~= 'large' then
      errors.raise("csvigo.load: mode must be 'tidy', 'raw', 'large' or 'query' (got '%s')", mode)
   end
   tell(options, 'parsing file: %s', options.path)
   local text = read(options.path)
   if mode == 'large' then
      tell(options, 'parsing done')
      return large(text, options)
   end
   local first, last, count = rows.extents(text, is_tidy and options.skip or 0, options.nrows or math.huge)
   local list = {}
   for i = 1, count do list[i] = rows.fields(text, first[i], last[i], options.separator) end
   if mode == 'raw' then
      tell(options, 'parsing done')
      return list
   end
   tell(options, 'tidying up entries')
   local columns, names = tidy(list, options.header)
   if mode == 'query' then
      tell(options, 'generating reversed index for fast queries')
      tell(options, "returning query closure, type query('help') to get help")
      return query_of(columns, names)
   end
   tell(options, 'returning tidy table')
   if options.column_order then return names, columns end
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
      for name in key_order.pairs(data) do names[#names + 1] = name end
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

local SAVE = { separator = ',', header = true, verbose = true }
local SAVE_ORDER = { 'path', 'data', 'separator', 'mode', 'header', 'verbose', 'column_order', 'nan_as_missing' }

-- csvigo.save(path, data [, separator] [, mode] [, header] [, verbose] [, column_order] [, nan_as_missing]), or a table
-- of these.
function csvigo.save(...)
   local options = options_of('csvigo.save', SAVE_ORDER, SAVE, ...)
   tell(options, 'writing to file: %s', options.path)
   local value, mode = options.data, options.mode
   -- A matrix is a list of its rows; a query gives all its columns.
   if torch.isTensor(value) then value = value:totable() end
   local is_query = type(value) == 'function'
   if is_query then value = value 'all' end
   if type(value) ~= 'table' then
      errors.raise('csvigo.save: data must be a table or a tensor (got %s)', errors.describe(options.data))
   end
   local out = {}
   if mode == 'raw' or (mode == nil or mode == 'autodetect') and not is_query and #value > 0 then
      write_rows(out, value, options)
   else
      if is_query then tell(options, 'generating tidy table') end
      tell(options, 'exporting tidy table to raw CSV')
      write_columns(out, value, options)
   end
   out[#out + 1] = ''
   local why = host.write_whole(options.path, table.concat(out, '\n'))
   if why then errors.raise('csvigo.save: cannot write %s: %s', options.path, why) end
   tell(options, 'writing done')
end

-- csvigo.File: a file of separated values that is read or written row by row.

local File = torch.class('csvigo.File', csvigo)

-- `mode` is that of io.open, 'r' by default; the last argument is whether nan is written as an empty field, or the
-- maximum number of rows that readall returns.
function File:__init(filename, mode, separator, option)
   check.kind('csvigo.File', 'filename', filename, 'string')
   self.filepath, self.separator = filename, separator or ','
   if type(option) == 'number' then self.nrows = option else self.nan_as_missing = option or false end
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

function File:lines() return self.file:lines() end

function File:readall()
   local list = {}
   for row in self.read, self do
      if self.nrows and #list >= self.nrows then break end
      list[#list + 1] = row
   end
   return list
end

-- The rows of the rest of the file, which are read from its text when they are asked for.
function File:largereadall()
   return large(self.file:read '*a', self)
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
