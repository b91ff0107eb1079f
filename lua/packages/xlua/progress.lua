-- progress and formatTime.

local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local sys = require 'sys'
local check, progress = require 'torch.base.check', require 'torch.base.progress'
local floor = math.floor
local format, rep = string.format, string.rep

local shell_write = io.write

local function isatty() return libc.t7_isatty(1) ~= 0 end

local WIDTH, MAX_WIDTH, MIN_WIDTH = 80, 120, 50      -- columns of a line
local TIMES = 30                                  -- of these, what the times take
local MIN_INTERVAL = 0.1                              -- seconds between two drawings of the same bar

-- Columns of the terminal; 80 if there is none.
local function columns()
   if jit.os == 'Windows' or not isatty() then return WIDTH end
   local size = ffi.new 'unsigned short[4]'
   local request = ffi.cast('unsigned long', jit.os == 'OSX' and 0x40087468 or 0x5413)
   if libc.t7_ioctl(1, request, size) ~= 0 or size[1] == 0 then return WIDTH end
   return math.max(MIN_WIDTH, math.min(tonumber(size[1]), MAX_WIDTH))
end

local UNITS = { { 'D', 86400 }, { 'h', 3600 }, { 'm', 60 }, { 's', 1 } }

-- Writes seconds in the two largest units that are not zero, such as 1h20m or 1h1s; fractions of a millisecond are
-- dropped.
local function format_time(seconds)
   local text, shown = '', 0
   local function show(count, unit)
      if count > 0 and shown < 2 then text, shown = text .. count .. unit, shown + 1 end
   end
   for _, unit in ipairs(UNITS) do
      local count = floor(seconds / unit[2])
      seconds = seconds - count * unit[2]
      show(count, unit[1])
   end
   show(floor(seconds * 1000), 'ms')
   return shown == 0 and '0ms' or text
end

return function(xlua)
   function xlua.formatTime(seconds)
      return format_time(check.number('xlua.formatTime', 'the time', seconds))
   end

   local started, drawn, last_head, last_current, last_goal

   -- Draws a bar for `current` steps of `goal`, in place of the one before: on a terminal, and in the output of a cell.
   -- Elsewhere it draws nothing, unless the program has put its own function in place of io.write.
   function xlua.progress(current, goal)
      if type(current) ~= 'number' then check.argument_error('xlua.progress', 'the step', 'a number', current) end
      if type(goal) ~= 'number' then check.argument_error('xlua.progress', 'the goal', 'a number', goal) end
      local in_cell = io.write == shell_write and progress.draw
      if io.write == shell_write and not in_cell and not isatty() then return end
      local now = sys.clock()
      if goal ~= last_goal or current < last_current or last_current == last_goal then
         started, drawn, last_head = now, 0, -1
      end
      last_current, last_goal = current, goal
      local width = columns() - TIMES - 4
      local head = floor(width * current / goal)
      local finished = current >= goal
      if head == last_head and now - drawn < MIN_INTERVAL and not finished then return end
      drawn, last_head = now, head
      local elapsed = now - started
      local step = current > 0 and elapsed / current or 0
      local times = finished and format(' Tot: %s | Step: %s', format_time(elapsed), format_time(step))
         or format(' ETA: %s | Step: %s', format_time(step * (goal - current)), format_time(step))
      local bar = head > 0 and rep('=', head - 1) .. '>' or ''
      if in_cell then
         local text = format(' [%s%s] %s/%s%s', bar, rep('.', width - #bar), current, goal, times)
         if not finished then return progress.show(text) end
         return io.write(text, '\n')
      end
      io.write(' [', bar, rep('.', width - #bar), '] ', rep(' ', TIMES), rep('\b', TIMES), times)
      -- The count stands in the middle of the bar.
      io.write(rep('\b', #times + 5 + floor(width / 2)), ' ', current, '/', goal, ' ', finished and '\n' or '\r', '\r')
      if io.write == shell_write then io.stdout:flush() end
   end
end
