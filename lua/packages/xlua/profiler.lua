-- Profiler: real and processor time of named sections of a program.

local sys = require 'sys'
local elapsed = require('torch.utility.timer').real       -- finer than sys.clock, in which brief stretches take no time
local clock = os.clock
local check, raise = require 'torch.base.check', require('torch.base.errors').raise

local Profiler = {}
Profiler.__index = Profiler

-- Starts the time of `name`. With `unit`, such as 'fps', reports show how many times a second it ran.
function Profiler:start(name, unit)
   if name == nil or name ~= name then check.argument_error('Profiler:start', 'the name', 'a string', name) end
   local event = self.events[name]
   if not event then
      event = { name = name, color = '', reald = -1, cpud = -1 }
      self.events[name] = event
      self.list[#self.list + 1] = event
   end
   event.unit = unit or event.unit
   event.real, event.cpu, event.began = sys.clock(), clock(), elapsed()
   return event.real, event.cpu
end

local function event_of(self, name)
   local event = self.events[name]
   if not event then raise('# ERROR: There is no such profiler - %s, create it first', tostring(name)) end
   return event
end

-- Seconds since the start of `name`: real, and of the processor.
function Profiler:lap(name)
   local event = event_of(self, name)
   event.reald, event.cpud = elapsed() - event.began, clock() - event.cpu
   return event.reald, event.cpud
end

-- The last measurement of `lap`: real seconds, and processor seconds; -1 before the first.
function Profiler:real(name) return event_of(self, name).reald end
function Profiler:cpu(name) return event_of(self, name).cpud end

-- Shows `name` in a colour of sys.COLORS from now on.
function Profiler:setColor(name, color)
   event_of(self, name).color = sys.COLORS[color] or ''
end

local function decorate(event, text)
   if event.unit then text = text .. string.format(' = %f %s', 1 / event.reald, event.unit) end
   return event.color == '' and text or event.color .. text .. sys.COLORS.none
end

function Profiler:format(name)
   local event = event_of(self, name)
   return decorate(event, string.format('$ real | cpu: %f | %f <%s>', event.reald, event.cpud, name))
end

function Profiler:print(name)
   print(self:format(name))
end

-- All times, a line each.
function Profiler:formatAll()
   local lines = { '$ profiler report:' }
   for _, event in ipairs(self.list) do
      lines[#lines + 1] = decorate(event, string.format('$ real %f | cpu %f <%s>', event.reald, event.cpud, event.name))
   end
   return table.concat(lines, '\n')
end

function Profiler:printAll()
   print(self:formatAll())
end

return function()
   return setmetatable({ events = {}, list = {} }, Profiler)
end
