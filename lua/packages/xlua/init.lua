-- xlua: helpers that many Torch7 scripts share: progress bars, named arguments, options, profiling.

local lazy = require 'torch.class.lazy'
local sys = require 'sys'
local check, key_order, paths = require 'torch.base.check', require 'torch.base.key_order', require 'paths'
local getenv, io, string, table = os.getenv, io, _G.string, _G.table
local globals = _G

local xlua = {}

-- Methods that every string gets, split and tosymbol, and table2string.

-- A string in double quotes; in single ones if it holds double ones and no others.
local function quote(text)
   text = string.gsub(text, '\n', '\\n')
   if string.find(text, '"') and not string.find(text, "'") then return "'" .. text .. "'" end
   return '"' .. string.gsub(text, '"', '\\"') .. '"'
end

local function is_name(key)
   return type(key) == 'string' and string.find(key, '^[%a_][%w_]*$') ~= nil
end

local function source_of(value)
   if type(value) == 'string' then return quote(value) end
   if type(value) == 'table' then return xlua.table2string(value) end
   return tostring(value)
end

-- A table as Lua source in one line; with `newlines`, for reading, each entry in a separate line.
function xlua.table2string(object, newlines)
   if type(object) ~= 'table' then check.argument_error('xlua.table2string', 'the object', 'a table', object) end
   local entries, length = {}, 0
   for i, value in ipairs(object) do entries[i], length = source_of(value), i end
   for key, value in key_order.pairs(object) do
      if type(key) ~= 'number' or key < 1 or key > length or key % 1 ~= 0 then
         local name = is_name(key) and key or '[' .. source_of(key) .. ']'
         entries[#entries + 1] = name .. (newlines and ' : ' or '=') .. source_of(value)
      end
   end
   if newlines then return '{\n   ' .. table.concat(entries, '\n   ') .. '\n}' end
   return '{' .. table.concat(entries, ',') .. '}'
end

string.split = sys.split

-- The value of an expression, such as the name 'math.floor'.
function string.tosymbol(text)
   local chunk, why = globals.loadstring('return ' .. check.kind('string.tosymbol', 'the expression', text, 'string'))
   if not chunk then error(why, 2) end
   local value = chunk()
   if not value then error(string.format('symbol "%s" does not exist', text), 2) end
   return value
end

-- Functions that the table library gets: splice and prune.

-- Cuts `length` elements (1 by default) out of a list from `start` (1 by default) on. Returns two new lists: the
-- rest and the elements that were cut out.
function table.splice(list, start, length)
   local rest, removed = {}, {}
   start = start or 1
   local stop = start + (length or 1)
   for i = 1, #list do
      local to = i >= start and i < stop and removed or rest
      to[#to + 1] = list[i]
   end
   return rest, removed
end

-- The elements of a list without duplicates: those for which `hash`, by default the element itself, is the same. The
-- last one is kept, or what `merge` makes of one and that before. They come in the order of their hashes.
function table.prune(list, hash, merge)
   local of_hash, kept = {}, {}
   for _, value in ipairs(list) do
      local key = value
      if hash then key = hash(value) end
      local before = of_hash[key]
      of_hash[key] = merge and before and merge(value, before) or value
   end
   for _, value in key_order.pairs(of_hash) do kept[#kept + 1] = value end
   return kept
end

-- print and log.

local MAX_LENGTH = 40      -- characters of a value within a table

local function short(value)
   local kind = type(value)
   if kind == 'userdata' or kind == 'cdata' then return '<userdata>' end
   local text = string.gsub(tostring(value), '\n', '\\n')
   if #text > MAX_LENGTH then text = string.sub(text, 1, MAX_LENGTH) .. '\27[0m ... ' end
   return text
end

-- Writes a value; of a table its entries, one level deep, unless its class knows how to show it. A table with
-- __tostring shows that text before them, or its usage.
local function show(object)
   if type(object) ~= 'table' then return io.write(tostring(object)) end
   local meta = getmetatable(object)
   if meta and meta.__tostring__ then return io.write(meta.__tostring__(object)) end
   local text = tostring(object)
   if not string.find(text, 'table: ', 1, true) then
      local usage = object.usage
      if type(usage) == 'string' then io.write(usage, '\n\nFIELDS:\n') else io.write(text, ':\n') end
   end
   io.write('{')
   local separator = ''
   for key, value in key_order.pairs(object) do
      io.write(separator, '[', tostring(key), '] = ', short(value))
      separator = ',\n '
   end
   io.write('}')
end

-- Prints a value, and further ones as `print` does.
function xlua.print(object, ...)
   show(object)
   if select('#', ...) == 0 then
      io.write('\n')
   else
      io.write('    ')
      globals.print(...)
   end
end

-- Writes everything that is printed from now on to a file as well, with `append` to its end; print is xlua.print then,
-- and the functions before are io._write and _print.
function xlua.log(name, append)
   local folder = paths.dirname(check.kind('xlua.log', 'the file', name, 'string'))
   if not paths.dirp(folder) then pcall(paths.mkdir, folder) end
   local file, why = io.open(name, append and 'a' or 'w')
   if not file then check.fail('xlua.log', 'cannot write to %s', why) end
   local streams, write = globals.io, io.write
   streams._write, globals._print, globals.print = write, globals.print, xlua.print
   streams.write = function(...)
      write(...)
      for i = 1, select('#', ...) do file:write((select(i, ...))) end
      file:flush()
   end
end

-- require, installed, trycatch and envparams: what may be missing.

-- Loads a package; where that fails, prints a warning and returns false.
function xlua.require(name)
   check.kind('xlua.require', 'the name', name, 'string')
   local ok, result = pcall(require, name)
   if ok then return result end
   globals.print(tostring(result))
   globals.print('warning: <' .. name .. '> could not be loaded (is it installed?)')
   return false
end

-- The original queried its package manager.
function xlua.installed()
   error('xlua.installed: there is no package manager to ask; try pcall(require, name)', 2)
end

-- Calls `try`, and `catch` with the error if it raises one.
function xlua.trycatch(try, catch)
   check.callable('xlua.trycatch', 'try', try)
   check.callable('xlua.trycatch', 'catch', catch)
   local ok, message = pcall(try)
   if not ok then catch(message) end
end

-- A copy of a table of parameters in which variables of the environment stand in for their defaults, converted to
-- the types of these.
function xlua.envparams(defaults)
   local params = {}
   for name, default in pairs(check.kind('xlua.envparams', 'the defaults', defaults, 'table')) do
      check.kind('xlua.envparams', 'a name', name, 'string')
      local value = getenv(name)
      if value == nil then
         value = default
      elseif type(default) == 'number' then
         value = tonumber(value)
         if not value then error('xlua.envparams: value must be a number in the variable ' .. name, 2) end
      elseif type(default) == 'boolean' then
         local word = string.lower(value)
         if word == 'true' or word == 'false' then value = word == 'true' end
      end
      params[name] = value
   end
   return params
end

-- who, clear and clearall: the global variables that the user has made, without loaded packages.

local ours = { arg = true, breakpoint = true, debugger = true, xerror = true, xprint = true, xrequire = true }
for name in pairs(globals) do ours[name] = true end

local function users()
   local names = {}
   for name in pairs(globals) do
      if type(name) == 'string' and not ours[name] and not package.loaded[name] then names[#names + 1] = name end
   end
   table.sort(names)
   return names
end

-- Prints the names and types of the user's global variables.
function xlua.who()
   for _, name in pairs(users()) do io.write(name, '\t', type(globals[name]), '\n') end
end

-- Removes one of the user's global variables, or all of them.
function xlua.clear(name)
   if name ~= nil then
      globals[tostring(name)] = nil
   else
      for _, each in pairs(users()) do globals[each] = nil end
   end
end

-- Removes all of the user's global variables, and frees their values.
function xlua.clearall()
   xlua.clear()
   collectgarbage()
end

require 'xlua.progress'(xlua)
lazy.functions(xlua, { 'usage', 'usage_module', 'error' }, function() require 'xlua.usage'(xlua) end)
lazy.functions(xlua, { 'unpack', 'unpack_class' }, function() require 'xlua.unpack'(xlua) end)
lazy.functions(xlua, { 'OptionParser', 'Profiler' }, function()
   xlua.OptionParser, xlua.Profiler = require 'xlua.option_parser', require 'xlua.profiler'
end)

_G.xprint, _G.xerror, _G.xrequire = xlua.print, xlua.error, xlua.require

return xlua
