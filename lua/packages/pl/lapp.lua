-- pl.lapp: reads a command line by its help text.
--
-- A line that begins with '-s', '-s,--long' or '--long' describes a flag, one with '<name>' an argument.
-- Parentheses after it give a type and a default: (number), (default 5), (string default x), (optional string),
-- (1..10), (a|b|c). A type may be number, string, boolean, file-in, file-out, or one added by add_type; '...' after a
-- name takes a list.

local globals = _G

-- lapp.callback(name, word, match) is called for each flag and argument that is given, if a program sets it.
local lapp = { callback = false, show_usage_error = true }

local custom, usage = {}, ''
local KINDS = { string = true, number = true, boolean = true, ['file-in'] = 'r', ['file-out'] = 'w' }
local FILES = { stdin = 'file-in', stdout = 'file-out', stderr = 'file-out' }
local NUMBER = '([%+%-%d]%d*%.?%d*[eE]?[%+%-]?%d*)'

local function script()
   local name = globals.arg and globals.arg[0]
   return name and string.gsub(string.gsub(name, '.+[\\/]', ''), '%.%a+$', '') or 'inter'
end

-- Ends the program with a message and the help text.
function lapp.quit(message, no_usage)
   if no_usage == 'throw' then error(message, 2) end
   if message then io.stderr:write(tostring(message), '\n\n') end
   if not no_usage then io.stderr:write(usage) end
   os.exit(1)
end

-- The same for an error. Where show_usage_error is false it has no help text, where it is 'throw' it is raised.
function lapp.error(message, no_usage)
   local shows = lapp.show_usage_error
   if not shows then no_usage = true elseif shows == 'throw' then no_usage = 'throw' end
   lapp.quit(script() .. ': ' .. message, no_usage)
end

function lapp.assert(condition, message)
   if not condition then lapp.error(message) end
end

-- Adds a type: one function, or the name of a type, converts the text, another function checks the value.
function lapp.add_type(name, converter, constraint)
   custom[name] = { converter = converter, constraint = constraint }
end

-- Opens a file; if that fails the program ends with a message.
function lapp.open(name, mode)
   local file, message = io.open(name, mode)
   if not file then lapp.error(message, true) end
   return file
end

local function convert(parameter, value)
   if parameter.converter then value = parameter.converter(value) end
   local mode = KINDS[parameter.type]
   if parameter.type == 'boolean' then
      return value
   elseif parameter.type == 'number' then
      local number = tonumber(value)
      if not number then lapp.error('unable to convert to number: ' .. value) end
      value = number
   elseif type(mode) == 'string' then
      value = lapp.open(value, mode)
   end
   if parameter.constraint then parameter.constraint(value) end
   return value
end

-- A default and its type.
local function default_of(text, kind)
   if not kind or kind == 'number' then
      local number = tonumber(text)
      if number then return number, 'number' end
   end
   if FILES[text] then return io[text], FILES[text] end
   if text == 'true' and not kind then return true, 'boolean' end
   if string.find(text, '^["\']') then text = string.sub(text, 2, -2) end
   local described, shows = custom[kind] or {}, lapp.show_usage_error
   lapp.show_usage_error = 'throw'
   local ok, value = pcall(convert, { type = kind, converter = described.converter, constraint = described.constraint },
      text)
   lapp.show_usage_error = shows
   return ok and value or text, kind or 'string'
end

-- Describes a parameter by what follows its name.
local function described_by(name, rest)
   local inside, after = string.match(rest, '^(%b())%s*(.*)$')
   if not inside then return { type = 'boolean', default = false } end
   local text = string.match(inside, '^%(%s*(.-)%s*%)$')
   local first, more = string.match(text, '^(%S+)%s*(.*)$')
   local optional = first == 'optional'
   if optional then first, more = string.match(more, '^(%S+)%s*(.*)$') end
   local parameter = { comment = after }
   local default
   if first == 'default' then
      lapp.assert(more ~= '', 'value must follow default')
      default = more
   else
      local low, high = string.match(first, '^' .. NUMBER .. '%.%.' .. NUMBER)
      if low then
         low, high, parameter.type = tonumber(low), tonumber(high), 'number'
         parameter.constraint = function(x) lapp.assert(low <= x and x <= high, name .. ' out of range') end
      elseif string.find(first, '|', 1, true) then
         parameter.type = 'string'
         parameter.constraint = function(word)
            lapp.assert(string.find('|' .. first .. '|', '|' .. word .. '|'), "value '" .. word .. "' not in " .. first)
         end
      else
         parameter.type = first
      end
      default = string.match(more, '^default%s*(%S.*)')
   end
   if default then parameter.default, parameter.type = default_of(default, parameter.type) end
   parameter.required = parameter.default == nil and not optional
   local kind = custom[parameter.type]
   if kind then
      local converter = kind.converter
      if type(converter) == 'string' then parameter.type = converter else parameter.converter = converter end
      parameter.constraint = kind.constraint
   elseif parameter.type and not KINDS[parameter.type] then
      lapp.error(parameter.type .. ' is unknown type')
   end
   return parameter
end

-- The parameters that a help text describes, by name, the long names of short ones, and the list of arguments.
local function parameters_of(text)
   local by_name, aliases, arguments = {}, {}, {}
   for line in string.gmatch(text, '([^\n]*)\n') do
      line = string.match(line, '^%s*(.*)$')
      local name, is_list
      local short, long, rest = string.match(line, '^%-([%a_][%w_]*),%s*%-%-([%a_][%w_%-]*)%s*(%S.*)')
      if not short then short, rest = string.match(line, '^%-([%a_][%w_]*)%s*(%S.*)') end
      if not short then long, rest = string.match(line, '^%-%-([%a_][%w_%-]*)%s*(%S.*)') end
      if short or long then
         name = short
         if long then
            -- Without more in the line its last character is in `rest`.
            name = long .. (#rest == 1 and rest or '')
            if short then aliases[short] = name end
         end
         if short and not lapp.slack then
            lapp.assert(#short == 1, short .. ': short parameters should be one character')
         end
         local count
         rest, count = string.gsub(rest, '^%.%.%.%s*', '')
         is_list = count > 0
      else
         local bracketed
         bracketed, rest = string.match(line, '^(%b<>)%s*(%S.*)')
         if bracketed then
            local before, dots = string.match(string.sub(bracketed, 2, -2), '([^%.]+)(.*)')
            name, is_list = string.gsub(before, '%A', '_'), dots == '...'
            table.insert(arguments, name)
         end
      end
      if name then
         by_name[name] = described_by(name, rest)
         by_name[name].is_list = is_list
      end
   end
   return by_name, aliases, arguments
end

-- Reads words, by default the global `arg`, by a help text, and returns a table of parameters by their long names.
-- Words with a value or several flags are divided in the table of words.
function lapp.process_options_string(text, words)
   words = words or globals.arg or {}
   usage = text
   for _, word in ipairs(words) do
      if word == '-h' or word == '--help' then lapp.quit() end
   end
   local by_name, aliases, arguments = parameters_of(text)
   local results, i, taken, extra, only_arguments = {}, 1, 1, 1, false

   local function store(name, parameter, value)
      if type(name) == 'string' then name = string.gsub(name, '%W', '_') end
      if not parameter.is_list then
         results[name] = value
      elseif results[name] then
         table.insert(results[name], value)
      else
         results[name] = { value }
      end
   end

   -- Splits off a value after = or :, which becomes the next word.
   local function without_value(name)
      local at = string.find(name, '[=:]')
      if not at then return name, false end
      table.insert(words, i + 1, string.sub(name, at + 1))
      return string.sub(name, 1, at - 1), true
   end

   local function flag_of(short)
      if #short == 1 or by_name[aliases[short] or short] then return short end
      local name, has_value = without_value(short)
      if has_value then return name end
      local first = string.sub(name, 1, 1)
      local flag = by_name[aliases[first] or first]
      if flag and flag.type ~= 'boolean' then
         table.insert(words, i + 1, string.sub(name, 2))
      else
         for k = 2, #name do table.insert(words, i + k - 1, '-' .. string.sub(name, k, k)) end
      end
      return first
   end

   while i <= #words do
      local word, name, value = words[i]
      if word == '--' then
         only_arguments, taken, i = true, #arguments + 1, i + 1
         word = words[i]
         if not word then break end
      end
      local long = not only_arguments and string.match(word, '^%-%-(%S+)')
      local short = not only_arguments and not long and string.match(word, '^%-(%S+)')
      if long or short then
         name = long and without_value(long) or flag_of(short)
         name = aliases[name] or name
         if not by_name[name] and (name == 'h' or name == 'help') then lapp.quit() end
      else
         name, value = arguments[taken], word
         if not name then
            name, by_name[extra] = extra, { type = 'string' }
            extra = extra + 1
         end
         if not by_name[name].is_list then taken = taken + 1 end
      end
      local parameter = by_name[name]
      if not parameter then lapp.error('unrecognized parameter: ' .. name) end
      if parameter.type == 'boolean' then
         value = not parameter.default
      elseif not value then
         i = i + 1
         word = words[i]
         value = word
         lapp.assert(value, name .. ' was expecting a value')
      end
      parameter.used = true
      store(name, parameter, convert(parameter, value))
      if type(KINDS[parameter.type]) == 'string' then store(name .. '_name', parameter, word) end
      if lapp.callback then lapp.callback(name, word, { long = long or nil, short = short or nil }) end
      i = i + 1
   end
   for name, parameter in pairs(by_name) do
      if not parameter.used then
         if parameter.required then lapp.error('missing required parameter: ' .. name) end
         store(name, parameter, parameter.default)
      end
   end
   return results
end

return setmetatable(lapp, { __call = function(_, text, words) return lapp.process_options_string(text, words) end })
