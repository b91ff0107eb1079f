-- Code generation at run time: source with placeholders, and its upvalues.

local template = {}

-- Returns the text with each `$name` or `${name}` replaced by values[name], a string or number that must exist.
function template.fill(name, text, values)
   local function value_of(key)
      local value = values and values[key]
      if type(value) ~= 'string' and type(value) ~= 'number' then
         error(string.format('template %s: no value for $%s', name, key), 0)
      end
      return value
   end
   return (string.gsub(string.gsub(text, '%${([%a_][%w_]*)}', value_of), '%$([%a_][%w_]*)', value_of))
end

-- The environment of templates: a single table, since Lua's collector marks each.
local function reject(_, key)
   local name = string.match(debug.getinfo(2, 'S').source, '^=t7 (.*)') or '?'
   error(string.format('template %s: %s is not among its upvalues', name, key), 2)
end
local no_globals = setmetatable({}, { __index = reject, __newindex = reject })

-- Returns the result of the filled text. Its only free names are those of the table `upvalues`, which become locals at
-- its top; reading any other name is an error. Each compilation creates separate prototypes, so operations and types
-- whose loops should not share traces get one each.
function template.compile(name, text, values, upvalues)
   local names, list = {}, {}
   for key in next, upvalues or {} do names[#names + 1] = key end
   table.sort(names)
   for i = 1, #names do list[i] = upvalues[names[i]] end
   local head = #names > 0 and 'local ' .. table.concat(names, ', ') .. ' = ...; ' or ''
   local chunk, why = loadstring(head .. template.fill(name, text, values), '=t7 ' .. name)
   if not chunk then error(string.format('template %s: %s', name, why), 0) end
   setfenv(chunk, no_globals)
   return chunk(unpack(list, 1, #names))
end

return template
