-- Commands of the system's shell: execute, fexecute, ls and its variants, uname, OS.

local error, format, gsub, match, popen, type = error, string.format, string.gsub, string.match, io.popen, type
local jit = jit

local SYSTEMS = { Linux = 'linux', OSX = 'macos', Windows = 'windows' }

local function trim(text)
   return match(text, '^%s*(.-)%s*$')
end

local function output_of(name, command, what)
   if type(command) ~= 'string' then
      error(format('sys.%s: expected a command, got %s', name, type(command)), 3)
   end
   local pipe, message = popen(command)
   if not pipe then error(format('sys.%s: %s', name, message), 3) end
   local text = pipe:read(what or '*a') or ''
   pipe:close()
   return trim(text)
end

local function quoted(name)
   return "'" .. gsub(name, "'", "'\\''") .. "'"
end

-- The parentheses below keep these calls from being tail calls, so that errors blame the right line.
return function(sys)
   -- Runs a command and returns what it printed, without the white space around it.
   function sys.execute(command)
      return (output_of('execute', command))
   end

   -- The same, with what the command wrote to its error stream; `what` as for `file:read`, all by default.
   function sys.fexecute(command, what)
      return (output_of('fexecute', type(command) == 'string' and '(' .. command .. ') 2>&1' or command, what))
   end

   for name, flags in pairs { ls = '', ll = '-l', la = '-a', lla = '-la' } do
      -- Lists a folder, the current one by default, as the command of the shell does.
      sys[name] = function(folder)
         return output_of(name, 'ls ' .. flags .. ' ' .. quoted(folder or '.'))
      end
   end

   sys.OS = SYSTEMS[jit.os] or jit.os

   function sys.uname()
      return sys.OS
   end
end
