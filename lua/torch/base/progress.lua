-- A line of progress for long work that prints nothing. It appears after a second, on the terminal or in a cell, and is
-- erased before anything else is printed.
--    progress.step('loading images', path)           -- at the beginning of each file
--    progress.step('loading', path, 0.3)             -- a fraction of 0.3 is done

local clock, getenv, io, jit, tonumber = os.clock, os.getenv, io, jit, tonumber
local ffi, require = require 'ffi', require

-- In seconds: the delay before the line appears, the pause that ends a piece of work, and the time between two updates.
local FIRST, PAUSE, OFTEN = 1, 2, 0.1
local MAX_LENGTH = 60      -- characters of the line
-- The line follows the program's output, dimmed and cut at the edge. The terminal is restored when the process is
-- killed.
local SAVE, RESTORE, DIM, PLAIN = '\0277', '\0278\27[K', '\27[?7l\27[2m', '\27[m\27[?7h'

local progress = {
   -- Draws a text in a notebook, '' to erase it; nil on a terminal.
   draw = nil,
   visible = false,
   printed = false,
   -- Called when the line appears and when it disappears.
   changed = function() end,
}

local on_terminal
local spent = ffi.new 'long[2]'
local work, count, began, opened, last, drawn = nil, 0, 0, 0, 0, 0

local function C() return require 'torch.native.libc' end

local function now()
   if jit.os == 'Windows' then return clock() end
   C().t7_clock_gettime(1, spent)
   return tonumber(spent[0]) + tonumber(spent[1]) * 1e-9
end

local function write(text)
   C().t7_fflush(io.stdout)
   C().t7_write(2, text, #text)
end

-- Whether a line can be shown.
function progress.possible()
   if progress.draw then return true end
   if on_terminal == nil then
      local terminal = getenv 'TERM'
      -- A process that reads the output through a pipe may show it on the same terminal.
      on_terminal = jit.os ~= 'Windows' and terminal ~= nil and terminal ~= 'dumb' and C().t7_isatty(1) ~= 0
         and C().t7_isatty(2) ~= 0
   end
   return on_terminal
end

function progress.erase()
   if not progress.visible then return end
   progress.visible = false
   progress.changed()
   if progress.draw then
      C().t7_fflush(io.stdout)
      return progress.draw ''
   end
   write(RESTORE)
end

local function show(text)
   if progress.draw then
      C().t7_fflush(io.stdout)
      progress.visible = true
      progress.changed()
      return progress.draw(text)
   end
   write((progress.visible and RESTORE or SAVE) .. DIM .. text .. PLAIN)
   if not progress.visible then
      progress.visible = true
      progress.changed()
   end
end

progress.show = show

local function text_of(name, fraction, seconds)
   local file = string.match(name, '[^/]*$')
   local part = fraction and string.format(' (%d%%)', math.floor(100 * fraction)) or ''
   local head = count > 1 and string.format('%s: %d in %d s, ', work, count, math.floor(seconds)) or work .. ' '
   return string.sub(head .. file, 1, MAX_LENGTH) .. part
end

-- Reports progress: one more file, or a fraction of one.
function progress.step(what, name, fraction)
   if not progress.possible() then return end
   local time = now()
   if what ~= work or progress.printed or time - last > PAUSE then
      progress.erase()
      work, count, began, progress.printed = what, 0, time, false
   end
   last = time
   if not fraction then count, opened = count + 1, time end
   if time - began < FIRST or (progress.visible and time - drawn < OFTEN) then return end
   drawn = time
   -- The fraction of a file that loads quickly is not worth showing.
   show(text_of(name, time - opened >= FIRST and fraction, time - began))
end

function progress.finish()
   work = nil
   progress.erase()
end

function progress.disable() on_terminal = false end

return progress
