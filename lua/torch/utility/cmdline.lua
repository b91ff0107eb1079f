-- torch.CmdLine: the options and arguments of a script, their help text and log files.

local check, errors = require 'torch.base.check', require 'torch.base.errors'
local key_order = require 'torch.base.key_order'
local globals = _G

local cmdline = {}

-- The name of an option or argument in the table of parameters.
local function bare(key)
   return (string.gsub(key, '^%-*', ''))
end

-- The value of a word; calls cmd:error for an invalid one, as any is of types that no word has.
local function value_of(cmd, option, word, kind)
   if option.type == 'string' then return word end
   local number = option.type == 'number' and tonumber(word)
   if not number then
      cmd:error('invalid type for ' .. kind .. ' ' .. option.key .. ' (should be ' .. tostring(option.type) .. ')')
   end
   return number
end

local function add_parsing(methods)
   -- Reads the option at word i into `params`; returns the number of words it consumed.
   local function read_option(cmd, params, option, words, i)
      if option.type == 'boolean' then
         params[bare(option.key)] = not option.default
         return 1
      end
      if words[i + 1] == nil then cmd:error('missing argument for option ' .. option.key) end
      params[bare(option.key)] = value_of(cmd, option, words[i + 1], 'option')
      return 2
   end

   -- The table of parameters that a list of words gives: options where they are named, defaults elsewhere.
   function methods.parse(cmd, words)
      words = check.kind('parse', 'the words', words or {}, 'table')
      local params, taken, i = methods.default(cmd), 0, 1
      while words[i] ~= nil do
         local word = words[i]
         if word == '-h' or word == '-help' or word == '--help' then
            cmd:help(words)
            os.exit(0)
         elseif cmd.options[word] then
            i = i + read_option(cmd, params, cmd.options[word], words, i)
         else
            -- A word that is not an option of the program may still be an argument.
            local argument = cmd.arguments[taken + 1]
            if not argument then
               cmd:error('invalid argument: ' .. tostring(word))
            end
            params[bare(argument.key)] = value_of(cmd, argument, word, 'argument')
            taken, i = taken + 1, i + 1
         end
      end
      if taken < #cmd.arguments then cmd:error('not enough arguments') end
      return params
   end

   -- The table of parameters when no option is given.
   function methods.default(cmd)
      local params = {}
      for key, option in pairs(cmd.options) do params[bare(key)] = option.default end
      return params
   end

   function methods.error(cmd, message)
      globals.io.write('\n')
      globals.io.flush()
      io.stderr:write(tostring(message))
      io.stderr:flush()
      globals.io.write('\n')
      cmd:help()
      os.exit(1)
   end
end

local function check_help(name, key, help)
   if help and type(help) ~= 'number' then check.kind(name, 'the help of ' .. key, help, 'string') end
end

local function add_declarations(methods)
   -- cmd:option('-size', 10, 'help'): an option with its default, which tells its type.
   function methods.option(cmd, key, default, help, kind)
      if type(key) ~= 'string' then errors.argument_error('option', 1, "a name that begins with '-'", key) end
      if default == nil then errors.raise('option %s has no default value', key) end
      kind = kind or type(default)
      if type(default) ~= kind then
         errors.raise('option: the default of %s is a %s and not a %s', key, type(default), tostring(kind))
      end
      check_help('option', key, help)
      local option = { key = key, default = default, help = help, type = kind }
      cmd.options[key] = option
      cmd.helplines[#cmd.helplines + 1] = option
   end

   -- cmd:argument('file', 'help'): a positional argument, which is required.
   function methods.argument(cmd, key, help, kind)
      if type(key) ~= 'string' then errors.argument_error('argument', 1, 'the name of an argument', key) end
      check_help('argument', key, help)
      local argument = { key = key, help = help, type = kind or 'string', required = true }
      cmd.arguments[#cmd.arguments + 1] = argument
      cmd.helplines[#cmd.helplines + 1] = argument
   end

   function methods.text(cmd, line)
      line = line == nil and '' or line
      if type(line) ~= 'string' then errors.argument_error('text', 1, 'a string', line) end
      cmd.helplines[#cmd.helplines + 1] = line
   end
end

local function shown_key(line) return line.required and '<' .. bare(line.key) .. '>' or line.key end

local function add_help(methods)
   function methods.help(cmd, words)
      if words then check.kind('help', 'the words', words, 'table') end
      local usage = { 'Usage:' }
      if words and words[0] then usage[2] = tostring(words[0]) end
      usage[#usage + 1] = '[options]'
      local arguments = {}
      for i, argument in ipairs(cmd.arguments) do arguments[i] = shown_key(argument) end
      if arguments[1] then usage[#usage + 1] = table.concat(arguments, ' ') end
      globals.io.write(table.concat(usage, ' '), '\n')
      local widest = 0
      for _, line in ipairs(cmd.helplines) do
         if type(line) == 'table' and #shown_key(line) > widest then widest = #shown_key(line) end
      end
      for _, line in ipairs(cmd.helplines) do
         if type(line) == 'table' then
            local parts = { '  ' .. shown_key(line) .. string.rep(' ', widest - #shown_key(line)) }
            if line.help then parts[#parts + 1] = line.help end
            if line.default ~= nil then parts[#parts + 1] = '[' .. tostring(line.default) .. ']' end
            line = table.concat(parts, ' ')
         end
         globals.io.write(line, '\n')
      end
   end
end

local function position_of(list, name)
   for i, argument in ipairs(list) do
      if bare(argument.key) == name then return i end
   end
end

local function add_naming(methods)
   -- A name for a directory of results: `prefix`, the arguments, and the options that are not their defaults.
   -- `ignore[name]` is true for those to leave out, false for those to name always.
   function methods.string(cmd, prefix, params, ignore)
      if type(params) ~= 'table' then errors.argument_error('string', 2, 'a table of parameters', params) end
      ignore = check.kind('string', 'the names to ignore', ignore or {}, 'table')
      prefix = prefix or ''
      if type(prefix) ~= 'number' then check.kind('string', 'the prefix', prefix, 'string') end
      local arguments, options = {}, {}
      for name, value in key_order.pairs(params) do
         local label = tostring(name)
         local option = cmd.options['-' .. label]
         local index = position_of(cmd.arguments, name)
         if ignore[name] then
            globals.print('-- ignore option ' .. label)
         elseif option then
            if value ~= option.default or ignore[name] == false then
               if type(value) == 'boolean' then value = value and 't' or 'f' end
               options[#options + 1] = label .. cmd.keyseparator .. tostring(value)
               globals.print(name, value, option.default)
            end
         elseif index then
            arguments[index] = label .. cmd.keyseparator .. tostring(value)
         else
            globals.print('WARNING: unknown option/argument: ' .. label .. ' IGNORING for DIRECTORY NAME')
         end
      end
      table.sort(options)
      -- Scripts look for directories by this name, so its separators are those of Torch7, needless ones too.
      local separator = cmd.argseparator
      local text = table.concat(options, separator)
      if #arguments > 0 then text = table.concat(arguments, separator) .. separator .. text end
      return text == '' and prefix or prefix .. separator .. text
   end
end

local function add_logging(methods)
   -- Begins every line of the log with the time, in the format of os.date, and a name.
   function methods.addTime(cmd, name, format)
      format = format == nil and '%Y-%m-%d %H:%M:%S' or format
      if type(format) ~= 'string' then errors.argument_error('addTime', 2, 'a format of os.date', format) end
      cmd.dateformat = format .. (name == nil and '' or '[' .. tostring(name) .. ']: ')
   end

   -- The log is written to its file only.
   function methods.silent(cmd) cmd.silentio = true end

   -- Copies the output of `print` to a file, given by name or open, from now on; first the parameters.
   function methods.log(cmd, file, params)
      local reason
      local log = io.type(file) == 'file' and file
      if params then check.kind('log', 'the parameters', params, 'table') end
      if not log and type(file) ~= 'string' then
         check.argument_error('log', 'the file', 'a name or an open file', file)
      end
      if not log then log, reason = io.open(file, 'w') end
      if not log then errors.raise('log: cannot open %s', tostring(reason)) end
      local print = globals.print
      globals.print = function(...)
         if not cmd.silentio then print(...) end
         local parts = { cmd.dateformat and os.date(cmd.dateformat) }
         for i = 1, select('#', ...) do parts[#parts + 1] = tostring((select(i, ...))) end
         parts[#parts + 1] = '\n'
         log:write(table.concat(parts, ' '))
         log:flush()
      end
      globals.print('[program started on ' .. os.date() .. ']')
      globals.print('[command line arguments]')
      for name, value in key_order.pairs(params or {}) do globals.print(name, value) end
      globals.print('[----------------------]')
   end
end

function cmdline.fill(methods)
   -- The separators between the parts of a directory name, and between a key and its value.
   function methods.__init(cmd, argseparator, keyseparator)
      cmd.argseparator, cmd.keyseparator = argseparator or ',', keyseparator or '='
      for n, separator in ipairs { cmd.argseparator, cmd.keyseparator } do
         if type(separator) ~= 'string' and type(separator) ~= 'number' then
            errors.argument_error('CmdLine', n, 'a string', separator)
         end
      end
      cmd.options, cmd.arguments, cmd.helplines = {}, {}, {}
      cmd.silentio = false
   end

   add_declarations(methods)
   add_parsing(methods)
   add_help(methods)
   add_naming(methods)
   add_logging(methods)
end

return cmdline
