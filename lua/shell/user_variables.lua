-- The variables of the user at the prompt: all globals but those of baseline.lua, and the results _, _1, ...

local insert, match = table.insert, string.match
local baseline, dialect = require 'shell.baseline', require 'torch.base.dialect'
local last_error = require 'shell.last_error'
local globals = _G

local user_variables = {}

local KEPT = 3      -- results that are kept

local given, modules = baseline.globals, baseline.modules
local results = {}     -- values that we set, by name: those that the user has changed are left alone

local function set(name, value)
   if not rawequal(rawget(globals, name), results[name]) then return end
   results[name] = value
   rawset(globals, name, value)
end

-- In `th` all results are in a list.
local function keep_by_th(value)
   if dialect.name ~= 'th' then return end
   if results._RESULTS == nil then set('_RESULTS', {}) end
   insert(results._RESULTS, value)
   set('_LAST', value)
end

-- Stores a result as _ and _1, and earlier ones as _2 and _3.
function user_variables.keep(value)
   for i = KEPT, 2, -1 do set('_' .. i, results['_' .. i - 1]) end
   set('_1', value)
   set('_', value)
   keep_by_th(value)
end

-- Stores the output of a system command, as `th` did.
function user_variables.keep_output(text) keep_by_th(text) end

-- Returns the name under which a result is stored; nil if the user has assigned these names.
function user_variables.name_of(value)
   for _, name in next, { '_', '_1' } do
      if rawequal(rawget(globals, name), value) then return name end
   end
end

-- The names of the user's variables, in order.
local function user_names()
   local list = {}
   for key in next, globals do
      if type(key) == 'string' and type(given[key]) == 'nil' and type(results[key]) == 'nil' then
         insert(list, key)
      end
   end
   table.sort(list)
   return list
end

-- Returns the names of the user's variables, in order, as one text, and their number.
function user_variables.names()
   local list = user_names()
   return table.concat(list, ', '), #list
end

-- Releases the objects that the prompt stores, and collects, after an out-of-memory error.
function user_variables.free_memory()
   for i = 1, KEPT do set('_' .. i, nil) end
   set('_', nil)
   results, last_error.frames, last_error.failing = {}, {}, {}
   collectgarbage()
   collectgarbage()
end

-- Returns the text of %who: the user's variables with their abbreviated values.
function user_variables.who()
   local list = user_names()
   for i, key in next, list do list[i] = { key, rawget(globals, key) } end
   return last_error.variables(list, '')
end

-- Removes the user's variables and modules.
function user_variables.reset()
   for _, key in next, user_names() do rawset(globals, key, nil) end
   for key in next, results do rawset(globals, key, nil) end
   for key, value in next, given do rawset(globals, key, value) end
   for key in next, package.loaded do
      if not modules[key] and not match(key, '^shell%.') and not match(key, '^torch%.') then
         package.loaded[key] = nil
      end
   end
   results, last_error.frames = {}, {}
   collectgarbage()
end

return user_variables
