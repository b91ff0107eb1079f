-- pl.lapp: reads a command line by its help text.
--
-- A line that begins with '-s', '-s,--long' or '--long' describes a flag, one with '<name>' an argument. In
-- parentheses follow a type and a default: (number), (default 5), (string default x), (1..10), (a|b|c). A type
-- may be number, string, file-in, file-out, or one added by add_type; '...' after a name takes a list.

local globals = _G

-- lapp.callback(name, value, results) is called for each flag and argument that is given, if a program sets it.
local lapp = { callback = false, slack = false, show_usage_error = true }

local custom = {}

-- Ends the program with a message and the help text.
function lapp.quit(message, no_usage)
   if message then io.stderr:write(tostring(message), '\n\n') end
   if not no_usage then io.stderr:write(lapp.usage_text or '') end
   os.exit(1)
end

function lapp.error(message, no_usage)
   if not lapp.show_usage_error then error('lapp: ' .. message, 0) end
   lapp.quit((lapp.script or 'script') .. ': ' .. message, no_usage)
end

local function check(condition, message)
   if not condition then lapp.error(message) end
end
lapp.assert = check

-- Adds a type: one function converts the text, another one checks the value.
function lapp.add_type(name, converter, constraint)
   custom[name] = { converter = converter, constraint = constraint }
end

-- Opens a file; if that fails the program ends with a message.
function lapp.open(name, mode)
   local file, message = io.open(name, mode)
   check(file, tostring(message))
   return file
end

local function open(name, mode)
   if name == 'stdin' or name == 'stdout' or name == 'stderr' then return io[name] end
   return lapp.open(name, mode)
end

-- Reads the parentheses of a line: type, default, and whether the value is checked.
local function describe(parameter, text)
   local kind, default = text, nil
   local before, value = string.match(text, '^(.-)%s*default%s+(.*)$')
   if not before then before, value = string.match(text, '^(.-)%s*default$'), nil end
   if before then kind, default = before, value end
   local low, high = string.match(kind, '^(%-?[%d%.]-)%.%.(%-?[%d%.]+)$')
   if low and tonumber(low) and tonumber(high) then
      parameter.low, parameter.high, kind = tonumber(low), tonumber(high), 'number'
   elseif string.find(kind, '|', 1, true) then
      parameter.choices, kind = '|' .. kind .. '|', 'string'
   end
   if default then
      default = string.match(default, "^'(.*)'$") or string.match(default, '^"(.*)"$') or default
      if kind == '' then
         if tonumber(default) then kind = 'number'
         elseif default == 'true' or default == 'false' then kind = 'boolean'
         elseif default == 'stdin' then kind = 'file-in'
         elseif default == 'stdout' or default == 'stderr' then kind = 'file-out'
         else kind = 'string' end
      end
   end
   if kind ~= '' and not custom[kind] and not (kind == 'number' or kind == 'string' or kind == 'boolean' or
      kind == 'file-in' or kind == 'file-out' or kind == 'integer') then
      return          -- parentheses that are part of the help
   end
   if kind ~= '' then parameter.type = kind end
   parameter.default = default
end

local function convert(parameter, text)
   local kind, value = parameter.type, text
   if kind == 'number' or kind == 'integer' then
      value = tonumber(text)
      check(value, "unable to convert to number: " .. parameter.name .. ' is ' .. text)
      check(kind ~= 'integer' or value % 1 == 0, parameter.name .. ' must be a whole number')
   elseif kind == 'boolean' then value = text == 'true' or text == true
   elseif kind == 'file-in' then value = open(text, 'r')
   elseif kind == 'file-out' then value = open(text, 'w')
   elseif custom[kind] then
      local converter = custom[kind].converter
      if type(converter) == 'string' then value = converter == 'number' and tonumber(text) or text
      else value = converter(text) end
      if custom[kind].constraint then custom[kind].constraint(value) end
   end
   if parameter.low then
      check(value >= parameter.low and value <= parameter.high, parameter.name .. ' out of range ' .. parameter.low
         .. '..' .. parameter.high)
   end
   if parameter.choices then
      check(string.find(parameter.choices, '|' .. text .. '|', 1, true), "value '" .. text .. "' not in "
         .. string.sub(parameter.choices, 2, -2))
   end
   return value
end

-- Lists the parameters that a help text describes, and returns a table of them by short and long name.
local function parameters_of(text)
   local list, by_name, arguments = {}, {}, {}
   for line in string.gmatch(text .. '\n', '([^\n]*)\n') do
      line = string.match(line, '^%s*(.-)%s*$')
      local parameter, rest
      local short, long, more = string.match(line, '^%-(%w+),%s*%-%-([%w_%-]+)(.*)$')
      if not short then
         long, more = string.match(line, '^%-%-([%w_%-]+)(.*)$')
         if not long then short, more = string.match(line, '^%-(%w+)(.*)$') end
      end
      if short or long then
         parameter, rest = { name = string.gsub(long or short, '%W', '_'), type = 'boolean', flag = true }, more
         by_name[short or long], by_name[long or short] = parameter, parameter
      else
         local name, dots, after = string.match(line, '^<([%a_][%w_%-]*)(%.*)>(.*)$')
         if name then
            parameter, rest = { name = string.gsub(name, '%W', '_'), type = 'string', list = dots == '...' }, after
            arguments[#arguments + 1] = parameter
         end
      end
      if parameter then
         if string.match(rest, '^%s*%.%.%.') or string.match(rest, '^%s*%([%a%-]+%.%.%.%)') then
            parameter.list = true
            rest = string.gsub(rest, '%.%.%.', '', 1)
         end
         local inside = string.match(rest, '^%s*%(([^)]*)%)') or string.match(rest, '%((default[^)]*)%)')
            or string.match(rest, '%(([^)]*default[^)]*)%)')
         if inside then describe(parameter, inside) end
         list[#list + 1] = parameter
      end
   end
   return list, by_name, arguments
end

local function store(results, parameter, value)
   if parameter.list then
      results[parameter.name] = results[parameter.name] or {}
      local values = results[parameter.name]
      values[#values + 1] = value
   else
      results[parameter.name] = value
   end
   parameter.given = true
   if lapp.callback then lapp.callback(parameter.name, value, results) end
end

-- Reads words, by default the global `arg`, by a help text, and returns a table of parameters by their long names.
function lapp.process_options_string(text, words)
   words = words or globals.arg or {}
   lapp.script, lapp.usage_text = words[0] and string.match(tostring(words[0]), '[^/\\]+$'), text
   local list, by_name, arguments = parameters_of(text)
   local results, taken, i, only_arguments = {}, 0, 1, false
   while words[i] ~= nil do
      local word = words[i]
      local name, equals, value = string.match(word, '^%-%-?([%w_%-]+)(=?)(.*)$')
      if word == '--' then
         only_arguments = true
      elseif name and not only_arguments and not tonumber(word) then
         local parameter = by_name[name]
         if not parameter and string.sub(word, 2, 2) ~= '-' and by_name[string.sub(word, 2, 2)] then
            -- A value may directly follow a short flag.
            parameter, value = by_name[string.sub(word, 2, 2)], string.sub(word, 3)
            equals = '='
         end
         if not parameter and (name == 'h' or name == 'help') then
            globals.print(text)
            os.exit(0)
         end
         check(parameter, "unrecognized parameter: " .. name)
         if parameter.type == 'boolean' and equals == '=' and value ~= '' and string.sub(word, 2, 2) ~= '-' then
            -- One word may have several short flags.
            for letter in string.gmatch(string.sub(word, 2), '.') do
               check(by_name[letter], 'unrecognized parameter: ' .. letter)
               store(results, by_name[letter], by_name[letter].default ~= 'true')
            end
         elseif parameter.type == 'boolean' then
            store(results, parameter, parameter.default ~= 'true')
         else
            if equals ~= '=' then
               i = i + 1
               value = words[i]
               check(value ~= nil, parameter.name .. ' was expecting a parameter')
            end
            store(results, parameter, convert(parameter, value))
         end
      else
         taken = taken + 1
         local last = arguments[#arguments]
         local parameter = arguments[taken] or last and last.list and last
         if parameter then store(results, parameter, convert(parameter, word))
         else results[#results + 1] = word end
      end
      i = i + 1
   end
   for _, parameter in ipairs(list) do
      if not parameter.given then
         if parameter.default ~= nil then
            local value = convert(parameter, parameter.default)
            results[parameter.name] = parameter.list and { value } or value
         elseif parameter.type == 'boolean' then results[parameter.name] = false
         else check(parameter.list, 'missing required parameter: ' .. parameter.name) end
      end
   end
   return results
end

setmetatable(lapp, { __call = function(_, text, words) return lapp.process_options_string(text, words) end })

return lapp
