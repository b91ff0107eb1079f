-- Work that Ctrl-C must not interrupt, such as lazy loading, which happens only once. The prompt raises its error when
-- the first number of `state` is 0 again.

local debug, error, jit, pcall, rawset, type = debug, error, jit, pcall, rawset, type
local ffi = require 'ffi'
local loader = require 'torch.jit.loader'
local gethook, sethook = debug.gethook, debug.sethook

local uninterruptible = {}

local state = ffi.new 'int32_t[2]'
uninterruptible.state = state
-- The number of calls in progress, and whether the program has a debug hook.
local DEPTH, HOOKED = 0, 1

-- debug.sethook, as programs have it.
function uninterruptible.sethook(...)
   sethook(...)
   state[HOOKED] = type(gethook()) == 'function' and 1 or 0
end
rawset(_G.debug, 'sethook', uninterruptible.sethook)

local function nothing() end

-- Removes a debug hook of the program, which could raise an error at any line, and returns what restores it. Ctrl-C's
-- hook, which defers itself, may have been set meanwhile and stays; one for finalizers is set again with the next.
local function suspend_hook()
   if state[HOOKED] == 0 then return nothing end
   local hook, mask, count = gethook()
   if type(hook) ~= 'function' then return nothing end
   sethook()
   return function()
      if type(gethook()) ~= 'string' then sethook(hook, mask, count) end
   end
end
loader.suspend_hook = suspend_hook

local function left(release, compiles, ...)
   if compiles then jit.on() end
   state[DEPTH] = state[DEPTH] - 1
   release()
   return ...
end

local function call(compiles, f, ...)
   local release = suspend_hook()
   state[DEPTH] = state[DEPTH] + 1
   return left(release, compiles, pcall(f, ...))
end

-- Modules of the library load as a whole, and run once: compiling their loops would take longer than the loops do.
function loader.protected(f, ...)
   local compiles = state[DEPTH] == 0 and jit.status()
   if compiles then jit.off() end
   return call(compiles, f, ...)
end
jit.off(loader.protected)

local function raised(ok, ...)
   if not ok then error((...), 0) end
   return ...
end

-- Returns the results of f(...), or raises its error; f must undo its changes before it raises one.
function uninterruptible.call(f, ...) return raised(call(false, f, ...)) end

-- The same for what is loaded.
function uninterruptible.load(f, ...) return raised(loader.protected(f, ...)) end

return uninterruptible
