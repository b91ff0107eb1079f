-- OptionParser: the options of a script's command line.

local check, key_order = require 'torch.base.check', require 'torch.base.key_order'

-- The global `arg` is read as programs set it, which also give `parse` another environment.
setfenv(1, _G)

local OptionParser = {}
OptionParser.__index = OptionParser

-- Adds an option: { '-l', '--lr', action =, dest =, default =, help =, metavar =, req = }. The action is 'store' (the
-- default), 'store_true' or 'store_false'.
function OptionParser:option(description)
   check.kind('OptionParser:option', 'the option', description, 'table')
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
   local takes_value = (description.action or 'store') == 'store'
   for i, flag in ipairs(description) do
      flags[i] = flag .. (takes_value and (#flag == 2 and ' ' or '=') .. value or '')
   end
   return table.concat(flags, ', ')
end

-- Ends the program with a message and the help.
function OptionParser:fail(message)
   io.stderr:write(tostring(message), '\n')
   self:help()
   os.exit(1)
end

-- Prints the usage and all options.
function OptionParser:help()
   local program = arg and arg[0] or 'THISPROG'
   io.write('Usage: ', (string.gsub(self.usage, '%%prog', function() return program end)), '\n\nOptions:\n')
   local widest = 0
   for _, description in ipairs(self.option_descriptions) do widest = math.max(widest, #self:flags(description)) end
   for _, description in ipairs(self.option_descriptions) do
      local flags, note = self:flags(description), ''
      if description.req then
         note = ' [REQUIRED]'
      elseif description.default then
         note = ' [default = ' .. tostring(description.default) .. ']'
      end
      io.write('  ', flags, string.rep(' ', widest - #flags), '  ', description.help or '', note, '\n')
   end
end

-- The words of a command line, where '--lr=0.5' is two.
local function words_of(list)
   local words = {}
   for _, word in ipairs(list) do
      local flag, value = string.match(word, '^(%-%-%w+)=(.*)')
      words[#words + 1] = flag or word
      words[#words + 1] = value
   end
   return words
end

-- Reads the global `arg`. `options` may hold values already, which stand in for defaults. Returns the options by
-- their `dest`, and the other arguments as a list.
function OptionParser:parse(options)
   if options then check.kind('OptionParser:parse', 'the options', options, 'table') end
   options = options or {}
   local rest, words, i = {}, words_of(arg or {}), 1
   for _, description in ipairs(self.option_descriptions) do
      if options[description.dest] == nil then options[description.dest] = description.default end
   end
   options.__main__ = arg ~= nil
   self.options = options
   while words[i] do
      local word = words[i]
      local description = self.option_of[word]
      if not description then
         if string.find(word, '^%-') then self:fail('invalid option ' .. word) end
         rest[#rest + 1] = word
      elseif description.action == 'store_true' or description.action == 'store_false' then
         options[description.dest] = description.action == 'store_true'
      else
         i = i + 1
         local value = words[i] or description.default
         if not value then self:fail('option requires an argument ' .. word) end
         options[description.dest] = value
      end
      i = i + 1
   end
   if options.help then
      self:help()
      os.exit(0)
   end
   for flag, description in key_order.pairs(self.option_of) do
      local missing = description.req and not options[description.dest]
      if missing then self:fail('option ' .. flag .. ' requires an argument ') end
   end
   return options, rest
end

-- The options that parse has read, in a line each, or as '-l=0.5,-v=true' for the name of a file; `flags` selects some
-- of these.
function OptionParser:tostring(for_file_name, flags)
   if flags then check.kind('OptionParser:tostring', 'the flags', flags, 'table') end
   local parts = {}
   if not for_file_name then
      parts[1] = '<' .. string.gsub(arg and arg[0] or 'interpreted.lua', '.lua', '') .. '> configuration:\n'
      for name, value in key_order.pairs(self.options or {}) do
         parts[#parts + 1] = ' + ' .. name .. ' = ' .. tostring(value) .. '\n'
      end
      return table.concat(parts)
   end
   local wanted = {}
   for _, flag in ipairs(flags or {}) do wanted[flag] = true end
   for _, description in ipairs(self.option_descriptions) do
      local value = (self.options or {})[description.dest]
      if value and (next(wanted) == nil or wanted[description[1]]) then
         parts[#parts + 1] = description[1] .. '=' .. tostring(value)
      end
   end
   return (string.gsub(string.gsub(table.concat(parts, ','), '/', '|'), ' ', '_'))
end

-- Prints the options that parse has read.
function OptionParser:summarize(for_file_name, flags) io.write(self:tostring(for_file_name, flags)) end

-- xlua.OptionParser(usage): `%prog` in the usage stands for the name of the script.
return function(usage)
   if usage ~= nil and type(usage) ~= 'string' then
      error('xlua.OptionParser: usage must be a string (got ' .. type(usage) .. ')', 2)
   end
   local parser = setmetatable({
      usage = usage or '%prog [options]',
      option_descriptions = {},
      option_of = {},
   }, OptionParser)
   parser:option { '-h', '--help', action = 'store_true', dest = 'help', help = 'show this help message and exit' }
   return parser
end
