-- Ctrl-C while a program waits for a line or for a command of the system. Both return as if they had failed, and
-- another thread sets the hook that stops Lua a moment later: it is awaited here.

local ffi = require 'ffi'
local libc = require 'torch.native.libc'

local EINTR, SIGINT = 4, 2
-- A longer loop might be compiled, and would not see the hook.
local TURNS, PAUSE = 50, 20000

local function wait()
   for _ = 1, TURNS do libc.t7_usleep(PAUSE) end
end

local function received(...)
   local value, _, code = ...
   if type(value) == 'nil' and code == EINTR then wait() end
   return ...
end

-- The shell that runs a command is killed by Ctrl-C, or reports that its command was; t7 itself does not get the
-- signal.
local function executed(ok, kind, code)
   if kind == 'signal' and code == SIGINT or kind == 'exit' and code == 128 + SIGINT then
      libc.t7_kill(libc.t7_getpid(), SIGINT)
      wait()
   end
   return ok, kind, code
end

-- Errors name a function by the variable through which it was called.
local function reading(read)
   return function(...) return received(read(...)) end
end

local function executing(execute)
   return function(...) return executed(execute(...)) end
end

-- The iterator of io.lines raises an error.
local function told(ok, ...)
   if ok then return ... end
   if string.find(tostring((...)), 'Interrupted system call$') then wait() end
   error((...), 0)
end

local function iterating(lines)
   return function(...)
      local following = lines(...)
      if select('#', ...) > 0 and (...) ~= io.stdin then return following end
      return function() return told(pcall(following)) end
   end
end

local files = getmetatable(io.stdout).__index
-- `read` is the method of files as it was: after a signal it returns nil at once.
local interruption = { wait = wait, read = files.read }
local installed = false

-- Makes reading and os.execute stop at Ctrl-C.
function interruption.install()
   if ffi.os == 'Windows' or installed then return end
   installed = true
   io.read, files.read, os.execute = reading(io.read), reading(files.read), executing(os.execute)
   io.lines, files.lines = iterating(io.lines), iterating(files.lines)
end

return interruption
