-- System commands within an input: lines that begin with '!', as in notebooks. No Lua statement begins with that, but a
-- line of a long string or comment may.

local execute = os.execute

local system = {}

-- Runs a command, and prints its status if that is not 0.
function system.run(command)
   local ok, kind, code = execute(command)
   if not ok then
      io.stderr:write(string.format(kind == 'exit' and '(status %d)\n' or '(killed by signal %d)\n', code))
   end
end

-- Tells whether the lines so far end between two tokens of Lua, as those before the line `first` do.
local function end_between_tokens(lines, first)
   local last = lines[#lines]
   -- A quoted string continues after these.
   if not last or string.find(last, '\\z?%s*$') then return last == nil end
   local record = require('shell.lexer').read(table.concat(lines, '\n', first) .. '\n')
   return not (record.string or record.comment or record.open[1])
end

-- Lua code for source with command lines, with the same number of lines; nil if there are none.
function system.translate(source)
   if not string.find(source, '\n[^%S\n]*!') then return nil end
   local lines, first, found = {}, 1, false
   for line in string.gmatch(source .. '\n', '(.-)\n') do
      local command = string.match(line, '^%s*!(.*)$')
      if command and end_between_tokens(lines, first) then
         local level = '='
         while string.find(command .. ']', ']' .. level .. ']', 1, true) do level = level .. '=' end
         -- A block neither continues the previous statement nor absorbs the next one.
         line = string.format("do require('shell.system').run [%s[ %s]%s] end", level, command, level)
         first, found = #lines + 1, true
      end
      table.insert(lines, line)
   end
   return found and table.concat(lines, '\n') or nil
end

return system
