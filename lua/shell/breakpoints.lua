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

-- Defines the functions. `asking` and `leaving` are debugger.ask and debugger.leave of lua/shell/debugger.lua, or nil.
function breakpoints.install(asking, leaving)
   ask, leave = asking or ask, leaving or leave
   for _, name in ipairs { 'breakpoint', 'debugger' } do
      if type(rawget(globals, name)) == 'nil' then
         given[name] = function() loaded().stop() end
         rawset(globals, name, given[name])
      end
   end
end

-- Stops at the first line of the program that runs next.
function breakpoints.start() loaded().start() end

-- Looks at the last error; false if there was none.
function breakpoints.post_mortem() return loaded().post_mortem() end

return breakpoints
