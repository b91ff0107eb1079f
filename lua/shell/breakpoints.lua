-- The functions breakpoint() and debugger() of programs, which stop at their line. The debugger is loaded at the first.

local given = require('shell.baseline').globals
local globals = _G

local breakpoints = {}

local ask, leave

local function loaded()
   local debugger = require 'shell.debugger'
   debugger.ask, debugger.leave = ask or debugger.ask, leave or debugger.leave
   return debugger
end

local function define(name, f)
   if type(rawget(globals, name)) ~= 'nil' then return end
   given[name] = f
   rawset(globals, name, f)
end

-- Defines the functions. `asking` and `leaving` are debugger.ask and debugger.leave of lua/shell/debugger.lua, or nil.
function breakpoints.install(asking, leaving)
   ask, leave = asking or ask, leaving or leave
   for _, name in ipairs { 'breakpoint', 'debugger' } do define(name, function() loaded().stop() end) end
end

-- Defines functions that raise an error, for threads and processes without a connection to the user.
function breakpoints.reject(where)
   for _, name in ipairs { 'breakpoint', 'debugger' } do
      define(name, function()
         local text = '%s: the debugger cannot stop in %s; call the function in the main program'
         error(string.format(text, name, where), 2)
      end)
   end
end

-- Stops at the first line of the program that runs next.
function breakpoints.start() loaded().start() end

-- Looks at the last error; false if there was none.
function breakpoints.post_mortem() return loaded().post_mortem() end

return breakpoints
