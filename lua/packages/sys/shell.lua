-- Commands of the system's shell: execute, fexecute, ls and its variants, uname, OS.

local popen = io.popen
local downloads = require 'torch.utility.downloads'

local SYSTEMS = { Linux = 'linux', OSX = 'macos', Windows = 'windows' }

local function trim(text)
   return string.match(text, '^%s*(.-)%s*$')
end

-- Runs a command that has been checked, with redirections of its error stream.
local function read_all(name, command, what)
   local pipe, message = popen(command)
   if not pipe then error(string.format('sys.%s: %s', name, message), 3) end
   local text = pipe:read(what or '*a') or ''
   pipe:close()
   return trim(text)
end

local function output_of(name, command, what)
   return (downloads.during(command, true, read_all, name, command, what))
end

local function checked(name, command)
   local kind = type(command)
   if kind ~= 'string' and kind ~= 'number' then
      error(string.format('sys.%s: command must be a string (got %s)', name, kind), 3)
   end
   return trim(command)
end

local function quoted(name)
   return "'" .. string.gsub(name, "'", "'\\''") .. "'"
end

-- The parentheses below keep these calls from being tail calls, so that errors blame the right line.
return function(sys)
   -- Runs a command and returns what it printed, without the white space around it. What it wrote to its error stream
   -- is there as well: of several commands in a row, what the last one wrote.
   function sys.execute(command)
      return (output_of('execute', checked('execute', command) .. ' 2>&1'))
   end

   -- Runs commands and returns the output of all of them; `what` as for `file:read`, all by default.
   function sys.fexecute(command, what)
      return (output_of('fexecute', '(' .. checked('fexecute', command) .. ') 2>&1', what))
   end

   for name, flags in pairs { ls = '', ll = '-l', la = '-a', lla = '-la' } do
      -- Lists a folder, the current one by default, as the command of the shell does.
      sys[name] = function(folder)
         return output_of(name, 'ls ' .. flags .. ' ' .. quoted(folder or '.') .. ' 2>&1')
      end
   end

   sys.OS = SYSTEMS[jit.os] or jit.os

   function sys.uname()
      return sys.OS
   end
end
