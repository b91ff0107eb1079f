-- csvigo.save: columns or rows into a file.

local torch = require 'torch'
local errors, host = require 'torch.base.errors', require 'torch.native.host'
local rows = require 'csvigo.rows'

local function write_rows(out, data, options)
   for i, row in ipairs(data) do
      if type(row) ~= 'table' then
         errors.raise('csvigo.save: row %d must be a table (got %s)', i, errors.describe(row))
      end
      out[#out + 1] = rows.line(row, #row, options)
   end
end

local function write_columns(out, data, options)
   local names, most = options.column_order, 0
   if type(names) ~= 'table' then
      names = {}
      for name in pairs(data) do names[#names + 1] = name end
      table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
   end
   for _, name in ipairs(names) do
      if type(data[name]) ~= 'table' then
         errors.raise("csvigo.save: column '%s' must be a table (got %s)", tostring(name), errors.describe(data[name]))
      end
      if #data[name] > most then most = #data[name] end
   end
   if options.header ~= false then out[1] = rows.line(names, #names, options) end
   local row = {}
   for i = 1, most do
      for k, name in ipairs(names) do row[k] = data[name][i] end
      out[#out + 1] = rows.line(row, #names, options)
   end
end

return function(given, data)
   if type(given) == 'string' then given = { path = given, data = data } end
   if type(given) ~= 'table' then errors.refuse('csvigo.save', 1, 'a path or a table of options', given) end
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
