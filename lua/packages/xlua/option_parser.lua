-- OptionParser: the options of a script's command line.

local check = require 'torch.base.check'

-- The global `arg` is read as programs set it, which also give `parse` another environment.
setfenv(1, _G)

local TAKES_VALUE = { store = true }

local OptionParser = {}
OptionParser.__index = OptionParser

-- Adds an option: { '-l', '--lr', action =, dest =, default =, help =, metavar =, req = }. The action is 'store' (the
-- default), 'store_true' or 'store_false'.
function OptionParser:option(description)
   check.kind('OptionParser:option', 'the option', description, 'table')
   description.action = description.action or 'store'
   if not description.dest then
      check.kind('OptionParser:option', 'the flag', description[#description], 'string')
      description.dest = string.gsub(string.gsub(description[#description], '^%-+', ''), '%-', '_')
   end
   for _, flag in ipairs(description) do self.option_of[flag] = description end
   self.option_descriptions[#self.option_descriptions + 1] = description
end

-- How an option is written, such as '-l LR, --lr=LR'.
function OptionParser.flags(_, description)
   check.kind('OptionParser:flags', 'the option', description, 'table')
   local flags = {}
   local value = description.metavar or string.upper(description.dest)
   for i, flag in ipairs(description) do
      if TAKES_VALUE[description.action] then
         flag = flag .. (string.sub(flag, 1, 2) == '--' and '=' or ' ') .. value
      end
      flags[i] = flag
   end
   return table.concat(flags, ', ')
end

-- Ends the program with a message and the usage.
function OptionParser:fail(message)
   io.stderr:write(tostring(message), '\n')
   self:print_usage(io.stderr)
   os.exit(1)
end

function OptionParser:print_usage(stream)
   local text = string.gsub(self.usage, '%%prog', function() return string.match(self.program(), '[^/]*$') end)
   stream = stream or io.stdout
   stream:write('Usage: ', text, '\n')
end

function OptionParser:print_help()
   self:print_usage()
   print('\nOptions:')
   for _, description in ipairs(self.option_descriptions) do
      local default = description.default
      local note = default ~= nil and string.format(' (default = %s)', tostring(default)) or ''
      print(string.format('  %-30s %s%s', self:flags(description), description.help or '', note))
   end
end

-- Reads the global `arg`. `options` may hold values already, which stand in for defaults. Returns the options by
-- their `dest`, and the other arguments as a list.
function OptionParser:parse(options)
   if options then check.kind('OptionParser:parse', 'the options', options, 'table') end
   options = options or {}
   local rest, words = {}, { unpack(arg or {}) }
   while #words > 0 do
      local word = table.remove(words, 1)
      if word == '--' then
         while #words > 0 do rest[#rest + 1] = table.remove(words, 1) end
      elseif string.find(word, '^%-.') then
         self:read_option(options, word, words)
      else
         rest[#rest + 1] = word
      end
   end
   for _, description in ipairs(self.option_descriptions) do
      local dest = description.dest
      if options[dest] == nil then options[dest] = description.default end
      if options[dest] == nil and description.req then
         self:fail(string.format('option %s is required', self:flags(description)))
      end
   end
   options.__main__ = true
   self.options = options
   return options, rest
end

-- Reads one option; its value may be the next of the words.
function OptionParser:read_option(options, word, words)
   local flag, value = string.match(word, '^(%-%-[^=]+)=(.*)$')
   local description = self.option_of[flag or word]
   if not description then return self:fail('invalid option: ' .. word) end
   if description.action == 'help' then
      self:print_help()
      os.exit(0)
   elseif description.action == 'store_true' or description.action == 'store_false' then
      options[description.dest] = description.action == 'store_true'
   else
      value = value or table.remove(words, 1)
      if value == nil then return self:fail(string.format('option %s needs a value', word)) end
      options[description.dest] = value
   end
end

-- The options that parse has read, as '-l=0.5,-v=true' (for the name of a file) or one in a line. `flags` selects some.
function OptionParser:tostring(for_file_name, flags)
   if flags then check.kind('OptionParser:tostring', 'the flags', flags, 'table') end
   local wanted = {}
   for _, flag in ipairs(flags or {}) do wanted[flag] = true end
   local parts = {}
   for _, description in ipairs(self.option_descriptions) do
      local value = (self.options or {})[description.dest]
      local selected = not flags or #flags == 0 or wanted[description[1]] or wanted[description[2]]
      if description.action ~= 'help' and selected then
         parts[#parts + 1] = description[1] .. '=' .. tostring(value)
      end
   end
   return table.concat(parts, for_file_name and ',' or '\n')
end

-- Prints the options that parse has read.
function OptionParser:summarize()
   print(self:tostring(false))
end

-- xlua.OptionParser(usage): `%prog` in the usage stands for the name of the script.
return function(usage)
   if usage ~= nil and type(usage) ~= 'string' then
      error('xlua.OptionParser: usage must be a string (got ' .. type(usage) .. ')', 2)
   end
   local parser = setmetatable({
      usage = usage or '%prog [options]',
      option_descriptions = {},
      option_of = {},
      program = function() return arg and arg[0] or 't7' end,
   }, OptionParser)
   parser:option { '-h', '--help', action = 'help', dest = 'help', help = 'show this help and exit' }
   return parser
end
