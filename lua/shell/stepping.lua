-- Running a program line by line, by a debug hook. Compiled code calls no hooks, so that nothing is compiled meanwhile;
-- and work of the library stays in this thread, as under any debug hook.

local getinfo, gethook, sethook = debug.getinfo, debug.gethook, require('torch.base.uninterruptible').sethook
local jit, running, status = jit, coroutine.running, coroutine.status
local is_library = require('torch.base.errors').is_library
local evaluate, last_error = require 'shell.evaluate', require 'shell.last_error'

local stepping = {}

local active = false
local kept            -- the debug hook of the program, and whether code was compiled
local stopped         -- called at a line where the program stops
local mode, thread, depth      -- 'step', 'next' or 'finish', and where it was asked for
local last_line, last_function      -- of the last stop
local library_functions = {}      -- functions of the library

-- Tells whether the program has come back to where a step was asked for.
local function is_back(here)
   if running() ~= thread then return thread ~= nil and (status(thread) == 'dead' or status(thread) == 'suspended') end
   return mode == 'next' and here <= depth or here < depth
end

local function at_line(_, line)
   local f = getinfo(2, 'f').func
   if library_functions[f] == nil then
      library_functions[f] = is_library(getinfo(2, 'S').source)
   end
   if library_functions[f] then return end
   local here = last_error.stack_depth() - 1
   if mode ~= 'step' and not is_back(here) then return end
   -- After a call Lua reports the rest of its line once more.
   if f == last_function and line == last_line and here == depth and running() == thread then return end
   stopped()
end

-- Continues the program without stopping.
function stepping.stop()
   if not active then return end
   active, evaluate.at_end = false, nil
   -- The program may have set another hook, and Ctrl-C removes them all.
   local hook = gethook()
   if hook == at_line then sethook() end
   if kept.hook and (hook == at_line or not hook) then sethook(kept.hook, kept.mask, kept.count) end
   if kept.compiles then jit.on() end
end

-- Stops the program at another line: 'step' at the next one, 'next' at the next one of the same function or of its
-- caller, 'finish' in the caller. `at` is the frame that runs, nil before the program begins; `stop` is then called.
function stepping.go(new_mode, at, stop)
   mode, stopped, thread = new_mode, stop, running()
   depth, last_line, last_function = at and at.height, at and at.currentline, at and at.func
   if active and gethook() == at_line then return end
   stepping.stop()
   local hook, mask, count = gethook()
   if type(hook) ~= 'function' then hook = nil end
   kept = { hook = hook, mask = mask, count = count, compiles = jit.status() }
   active, evaluate.at_end = true, stepping.stop
   jit.off()
   jit.flush()
   library_functions = setmetatable({}, { __mode = 'k' })
   sethook(at_line, 'l')
end

return stepping
