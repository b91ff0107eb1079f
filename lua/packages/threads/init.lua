-- threads: Lua states that run at the same time, pools of them that run jobs, and their synchronisation.

require 'threads.retained'
local public = require('threads.handles').public
local Threads = require 'threads.Threads'

local threads = {
   Threads = setmetatable(Threads, { __call = function(_, ...) return Threads.new(...) end }),
   Mutex = public(require 'threads.Mutex', 'lock', 'unlock'),
   Condition = public(require 'threads.Condition', 'wait', 'signal'),
   AtomicCounter = public(require 'threads.AtomicCounter', 'inc', 'dec', 'get', 'set'),
   Queue = public(require 'threads.Queue', 'addjob', 'dojob'),
   Thread = require 'threads.Thread',
   safe = require 'threads.safe',
}

-- Old programs call the package itself instead of threads.Threads.
return setmetatable(threads, { __index = Threads, __call = function(_, ...) return Threads.new(...) end })
