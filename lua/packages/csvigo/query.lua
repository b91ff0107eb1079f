-- The result of csvigo.load in the mode 'query': a function that answers questions about columns.

local errors = require 'torch.base.errors'

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

return function(columns, names)
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
