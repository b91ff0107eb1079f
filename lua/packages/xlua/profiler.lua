-- Profiler: real and processor time of named sections of a program.

local elapsed = require('torch.utility.timer').real       -- finer than sys.clock, in which brief stretches take no time
local check, raise = require 'torch.base.check', require('torch.base.errors').raise
local sys = require 'sys'
local clock = os.clock

local Profiler = {}
Profiler.__index = Profiler

-- Starts the time of `name`. With 'fps', reports show how many times a second it ran.
function Profiler:start(name, fps)
   if name == nil or name ~= name then check.argument_error('Profiler:start', 'the name', 'a string', name) end
   local event = self.events[name]
   if not event then
      event = { name = name }
      self.events[name] = event
      self.list[#self.list + 1] = event
   end
   if fps == 'fps' then event.fps = true end
   event.cpu, event.real, event.began = clock(), sys.clock(), elapsed()
   if self.verbose then
      io.write('<', name, '>')
      io.flush()
   end
end

local function event_of(self, name)
   local event = self.events[name]
   if not event then raise('# ERROR: There is no such profiler - %s, create it first', tostring(name)) end
   return event
end

-- A colour for displayAll.
function Profiler:setColor(name, color) event_of(self, name).color = color end

-- The share of each of `divider` turns in some seconds.
local function share(method, seconds, divider)
   return divider and seconds / check.number(method, 'the divider', divider) or seconds
end

-- Seconds since the start of `name`, of the processor and real, for each of `divider` turns.
function Profiler:cpu(name, divider)
   local event = event_of(self, name)
   event.cpud = share('Profiler:cpu', clock() - event.cpu, divider)
   return event.cpud
end

function Profiler:real(name, divider)
   local event = event_of(self, name)
   event.reald = share('Profiler:real', elapsed() - event.began, divider)
   return event.reald
end

-- Both, the real ones first.
function Profiler:lap(name, divider)
   local real, cpu = self:real(name, divider), self:cpu(name, divider)
   if self.verbose then
      io.write '\r'
      self:print(name)
   end
   return real, cpu
end

-- The times that were taken last; -1 before the first.
function Profiler:format(name)
   local event = event_of(self, name)
   return string.format('$ real | cpu: %f | %f <%s>', event.reald or -1, event.cpud or -1, name)
end

function Profiler:print(name)
   if not self.off then _G.print(self:format(name)) end
end

local function line_of(event)
   local text = string.format('$ real %f | cpu %f <%s>', event.reald or -1, event.cpud or -1, event.name)
   return event.fps and event.reald and text .. string.format(' = %f fps', 1 / event.reald) or text
end

-- All times, a line each.
function Profiler:formatAll()
   local lines = { '$ profiler report:' }
   for _, event in ipairs(self.list) do lines[#lines + 1] = line_of(event) end
   return table.concat(lines, '\n')
end

function Profiler:printAll()
   if not self.off then _G.print(self:formatAll()) end
end

-- Draws the lines by a painter of qtwidget, or a window: { painter = or win =, x =, y =, zoom =, font = }.
function Profiler:displayAll(args)
   check.kind('Profiler:displayAll', 'the arguments', args, 'table')
   local painter = args.painter or args.win
   if not painter then check.argument_error('Profiler:displayAll', 'painter', 'a painter', painter) end
   local size, y = args.font or 24 * (args.zoom or 1), args.y or 0
   painter:setfont(require('qt').QFont { serif = false, italic = false, size = size })
   if self.off then return end
   for _, event in ipairs(self.list) do
      painter:setcolor(event.color or 'black')
      painter:moveto(args.x or 0, y)
      painter:show(line_of(event))
      y = y + size * 1.5
   end
end

-- xlua.Profiler(mode, verbose): with the mode 'off' it prints nothing.
return function(mode, verbose)
   return setmetatable({ events = {}, list = {}, off = mode == 'off', verbose = verbose or false }, Profiler)
end
