-- pl.app: where the program is, and its command line.

local path, utils = require 'pl.path', require 'pl.utils'

local app = {}

-- The name of the script; nil and a message at the prompt.
function app.script_name()
   local arg = rawget(_G, 'arg')
   if not arg or not arg[0] then return utils.raise 'No script name found' end
   return arg[0]
end

-- Lets `require` find modules in the folder of the script, or in `folder` there; returns that folder.
function app.require_here(folder)
   local here = path.abspath(path.dirname(app.script_name() or ''))
   if folder then here = path.join(here, folder) end
   package.path = string.format('%s/?.lua;%s/?/init.lua;%s', here, here, package.path)
   return here
end

-- The name of a file that is the program's own, in ~/.name of the script, which is made if it is not there.
function app.appfile(name)
   local script = app.script_name()
   if not script then return utils.raise 'not in a main program' end
   local folder = path.join(path.expanduser '~', '.' .. path.splitext(path.basename(script)))
   if not path.isdir(folder) and not path.mkdir(folder) then return utils.raise('cannot create ' .. folder) end
   return path.join(folder, name)
end

-- The command line before the script, and the name of the program that runs it.
function app.lua()
   local words = rawget(_G, 'arg')
   if not words then return utils.raise 'not in a main program' end
   local command, i = {}, -1
   while words[i] do
      table.insert(command, 1, words[i])
      i = i - 1
   end
   return utils.quote_arg(command), command[1]
end

function app.platform() return jit.os == 'OSX' and 'OSX' or jit.os end

-- Reads flags: --name, --name=value, --name:value, -a, -abc, -n10, and -n value or --name value for those of
-- with_values, a list or a set of names. Returns the flags by name and a list of the other words; nil and a message
-- for a missing value.
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
      else
         local key, value = string.match(name, '^([^=:]+)[=:](.*)$')
         key = key or name
         if dashes == '--' or #key == 1 then
            flags[key] = value or true
         elseif string.find(key, '.%d+') then
            flags[string.sub(key, 1, 1)] = string.sub(key, 2)
         else
            for letter in string.gmatch(key, '.') do flags[letter] = true end
         end
      end
      i = i + 1
   end
   return flags, rest
end

return app
