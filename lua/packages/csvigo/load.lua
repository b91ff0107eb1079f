-- csvigo.load: a file as a table of columns ('tidy'), a list of rows ('raw'), an object that reads a row when it is
-- asked for ('large'), or a function that answers questions ('query').

local errors, rows, query = require 'torch.base.errors', require 'csvigo.rows', require 'csvigo.query'
local large = require 'csvigo.large'

local DEFAULTS = { mode = 'tidy', separator = ',', header = 'auto', skip = 0 }
local KNOWN = { path = 'string', mode = 'string', separator = 'string', skip = 'number', nrows = 'number' }

local function options_of(given)
   if type(given) == 'string' then given = { path = given } end
   if type(given) ~= 'table' then errors.refuse('csvigo.load', 1, 'a path or a table of options', given) end
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

return function(given)
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
   if mode == 'query' then return query(columns, names) end
   if options.column_order then return columns, names end
   return columns
end
