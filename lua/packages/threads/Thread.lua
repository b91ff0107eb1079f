-- threads.Thread: a thread that runs a program, given as text, in a separate Lua state.

local format, getmetatable, package, rawequal = string.format, getmetatable, package, rawequal
local check, errors = require 'torch.base.check', require 'torch.base.errors'
local dialect, host = require 'torch.base.dialect', require('torch.native.host').of 'threads'

local Thread = {}
Thread.__index = Thread

function Thread.new(source)
   check.kind('threads.Thread', 'the program', source, 'string')
   local number, reason = host.start_thread(source, dialect.name, package.path, package.cpath)
   if not number then errors.raise('threads.Thread: a thread cannot be started: %s', reason) end
   return setmetatable({ number = number }, Thread)
end

local function check_thread(thread, name)
   if type(thread) ~= 'table' or not rawequal(getmetatable(thread), Thread) then
      check.argument_error('Thread:' .. name, 'the thread', 'a threads.Thread', thread)
   end
   return thread
end

-- The unique number of the thread.
function Thread:id() return check_thread(self, 'id').number end

-- Waits until the program has ended. Raises its error.
function Thread:free()
   check_thread(self, 'free')
   if self.freed then check.fail('Thread:free', 'the thread was freed') end
   self.freed = true
   local reason = host.join_thread(self.number)
   if reason then errors.raise('[thread] %s', reason) end
end

function Thread:__tostring() return format('threads.Thread <%d>', self.number) end

return setmetatable({ new = Thread.new, id = Thread.id, free = Thread.free, __tostring = Thread.__tostring }, {
   __call = function(_, ...) return Thread.new(...) end,
})
