-- pl.app: where the program is, and its command line.

local path = require 'pl.path'

local app = {}

-- The name of the script, nil at the prompt.
function app.script_name()
   local arg = rawget(_G, 'arg')
   return arg and arg[0]
end

-- Lets `require` find modules in the folder of the script, or in `folder` there; returns that folder.
function app.require_here(folder)
   local here = path.abspath(path.dirname(app.script_name() or ''))
   if folder then here = path.join(here, folder) end
   package.path = string.format('%s/?.lua;%s/?/init.lua;%s', here, here, package.path)
   return here
end

function app.platform() return jit.os == 'OSX' and 'OSX' or jit.os end

-- Reads flags: --name, --name=value, --name:value, -a, -abc, and -n value or --name value for those of with_values,
-- a table of names. Returns the flags by name and a list of the other words; nil and a message for a missing value.
function app.parse_args(words, with_values)
   local expects, flags, rest = {}, {}, {}
   for key, value in pairs(with_values or {}) do expects[type(key) == 'number' and value or key] = true end
   words = words or rawget(_G, 'arg') or {}
   local i = 1
   while i <= #words do
      local dashes, name = string.match(words[i], '^(%-%-?)(.+)')
      if not dashes then
         rest[#rest + 1] = words[i]
      elseif expects[name] then
         i = i + 1
         if words[i] == nil or string.find(words[i], '^%-') then return nil, "no value for '" .. name .. "'" end
         flags[name] = words[i]
      elseif string.find(name, '^[^=:]+[=:]') then
         local key, value = string.match(name, '^([^=:]+)[=:](.*)$')
         flags[key] = value
      elseif dashes == '--' then
         flags[name] = true
      else
         for letter in string.gmatch(name, '.') do flags[letter] = true end
      end
      i = i + 1
   end
   return flags, rest
end

return app
