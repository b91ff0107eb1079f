-- Signals of windows, and of timers, to functions of the program. They are called by qt.doevents, while the prompt
-- waits for an input, and when the script has ended, until its windows are closed.

local check, notice = require 'torch.base.check', require 'torch.base.notice'
local host = require('torch.native.host').of 'qtwidget'
local hooks = require 'shell.hooks'
local seconds_now = require('torch.utility.timer').real

local events = {}

local MAX_WAIT, KEYSTROKE = 0.1, 0.02     -- seconds of a wait

local open = {}             -- key of a window that is listened to -> signal -> list of functions
local windows = {}          -- keys of all windows of the program
local closed = {}           -- keys of the windows that were closed
local pending = {}          -- queued signals: { key, signal, arguments... }
local timers = {}           -- running timers, and when they are due
local warned = false

local function tell(what)
   if not warned then
      warned = true
      notice('t7: %s: pictures appear in no window here, so that there is no mouse and no keyboard; the function is '
         .. 'not called', what)
   end
end

local Timer = {}
Timer.__index = Timer

-- A timer: its fields are interval, in milliseconds, and singleShot; its signal is timeout().
function events.QTimer() return setmetatable({ interval = 0, singleShot = false, functions = {} }, Timer) end

function Timer:start(interval)
   if interval ~= nil then self.interval = interval end
   check.number('QTimer', 'interval', self.interval)
   if not host.can_listen() then return tell 'QTimer' end
   timers[self] = seconds_now() + math.max(self.interval, 0) / 1000
end

function Timer:stop() timers[self] = nil end

-- Subscribes to the signals of a window; false without windows.
local function listen(key)
   if not open[key] and host.listen(key) then open[key] = {} end
   return open[key] ~= nil
end

-- The functions that a signal calls; nil if there are no windows. The sender is a window, its listener, or a timer.
local function functions_of(sender, signal)
   if getmetatable(sender) == Timer then return sender.functions end
   local key = type(sender) == 'table' and sender.key
   if type(key) ~= 'string' then
      check.argument_error('qt.connect', 'argument 1', 'a window or its listener', sender)
   end
   if not listen(key) then return nil end
   open[key][signal] = open[key][signal] or {}
   return open[key][signal]
end

-- connect(sender, 'name(types)', function), or (sender, 'name(types)', receiver, 'method(types)').
function events.connect(sender, signal, receiver, slot)
   local name = string.match(check.kind('qt.connect', 'signal', signal, 'string'), '^%s*([%w_]+)')
   local method = type(slot) == 'string' and string.match(slot, '^[%w_]+')
   local f = method and function(...) return receiver[method](receiver, ...) end
      or check.callable('qt.connect', 'argument 3', receiver)
   local list = functions_of(sender, name)
   if not list then return tell 'qt.connect' end
   table.insert(list, f)
end

-- disconnect(sender [, signal [, function]]).
function events.disconnect(sender, signal, f)
   local name = signal and string.match(check.kind('qt.disconnect', 'signal', signal, 'string'), '^%s*([%w_]+)')
   local lists = getmetatable(sender) == Timer and { timeout = sender.functions }
      or type(sender) == 'table' and open[sender.key] or {}
   for own, list in pairs(lists) do
      for i = #list, 1, -1 do
         if (not name or own == name) and (f == nil or list[i] == f) then table.remove(list, i) end
      end
   end
end

local function call_all(list, ...)
   -- A function may connect others.
   for _, f in ipairs { unpack(list or {}) } do f(...) end
end

-- Queues a signal; false if there is none.
local function note(key, signal, ...)
   if key == nil then return false end
   if signal == 'ended' then
      for one in pairs(open) do closed[one] = true end
      open = {}
   else
      if signal == 'sigClose' then closed[key] = true end
      table.insert(pending, { key, signal, ... })
   end
   return true
end

-- Queues the events that have arrived, after waiting for at most some seconds.
local function receive(seconds)
   while note(host.event(seconds)) do seconds = 0 end
end

local function call_pending()
   local happened = pending[1] ~= nil
   while pending[1] do
      local one = table.remove(pending, 1)
      local lists = open[one[1]] or {}
      if one[2] == 'sigClose' then open[one[1]] = nil end
      call_all(lists[one[2]], unpack(one, 3))
   end
   return happened
end

local function call_timers()
   local now, due = seconds_now(), {}
   for timer, time in pairs(timers) do
      if time <= now then table.insert(due, { timer, time }) end
   end
   table.sort(due, function(a, b) return a[2] < b[2] end)
   for _, entry in ipairs(due) do
      local timer = entry[1]
      if timers[timer] then
         timers[timer] = not timer.singleShot and now + math.max(timer.interval, 1) / 1000 or nil
         call_all(timer.functions)
      end
   end
   return due[1] ~= nil
end

-- Calls the functions for arrived events; with `wait` it first waits for one, while a window is open.
function events.doevents(wait)
   repeat
      if next(open) == nil and next(timers) == nil then return end
      local seconds = wait and MAX_WAIT or 0
      for _, time in pairs(timers) do seconds = math.min(seconds, math.max(time - seconds_now(), 0)) end
      receive(seconds)
      local called = call_pending()
      called = call_timers() or called
   until called or not wait or next(open) == nil
end

-- Whether functions are due, after waiting no longer than a prompt may delay keystrokes.
function events.expects()
   if next(open) == nil and next(timers) == nil then return false end
   if not pending[1] then receive(KEYSTROKE) end
   local now = seconds_now()
   for _, time in pairs(timers) do
      if time <= now then return true end
   end
   return pending[1] ~= nil
end

-- Whether there are windows or timers whose functions may be called.
function events.active() return next(open) ~= nil or next(timers) ~= nil end

-- Remembers a window of the program.
function events.add(key) windows[key] = true end

-- Whether a window has not been closed.
function events.valid(key)
   if not closed[key] and listen(key) then receive(0) end
   return not closed[key]
end

-- Closes a window.
function events.close(key)
   open[key], closed[key] = nil, true
   host.close(key)
end

local function has_functions()
   for _, lists in pairs(open) do
      for _, list in pairs(lists) do
         if #list > 0 then return true end
      end
   end
end

-- Serves windows with functions, and timers while there is a window, until they are closed: called when the script has
-- ended.
function events.finish()
   while has_functions() or next(timers) ~= nil do
      for key in pairs(windows) do
         if not closed[key] then listen(key) end
      end
      if next(open) == nil then return end
      events.doevents(true)
   end
end

hooks.events = events

return events
