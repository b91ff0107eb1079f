-- Destination of printed text: C's stdout, or a string while a capture is open. Loaded before everything else, so that
-- modules that keep `print` or `io.write` as a local get the functions below, whose output can be captured.

local concat, insert, remove = table.concat, table.insert, table.remove
local getmetatable, io, os, select, tostring, type = getmetatable, io, os, select, tostring, type
local loaded, metatable_of = package.loaded, debug.getmetatable
local print, write = print, io.write
local ffi, require, sub = require 'ffi', require, string.sub
local files = getmetatable(io.stdout).__index
local c_write = files.write
local progress = require 'torch.base.progress'

local output = {}

local function written_to(file, ok, ...)
   if ok then return file end
   return ok, ...
end

local function is_text(...)
   for i = 1, select('#', ...) do
      local kind = type((select(i, ...)))
      if kind ~= 'string' and kind ~= 'number' then return false end
   end
   return true
end

-- Writing returns the file, as in Lua 5.2. For values other than strings and numbers, C's function raises an error at
-- the caller's line.
local function file_write(file, ...)
   if not is_text(...) then return c_write(file, ...) end
   return written_to(file, c_write(file, ...))
end
local open = {}      -- the captures that are open, the innermost last
local sink           -- the list that the innermost one fills
local writer         -- takes printed text instead of C's stdout, nil for none
local watched        -- whether the prompt asks where the line ends
local written        -- the last written text, nil after a `print`

local function collect(text)
   if sink then sink[#sink + 1] = text else writer(text) end
end

local function joined(separator, ...)
   local parts = {}
   for i = 1, select('#', ...) do parts[i] = tostring((select(i, ...))) end
   return concat(parts, separator)
end

-- Lua's own `print`.
function output.print(...)
   if sink or writer then
      collect(joined('\t', ...) .. '\n')
   else
      written, progress.printed = nil, true
      if progress.visible then progress.erase() end
      print(...)
   end
end

local plain = output.print

-- Tells whether a value is a table without `__tostring`.
function output.is_plain_table(value)
   if type(value) ~= 'table' then return false end
   local metatable = metatable_of(value)
   return not metatable or metatable.__tostring == nil
end

-- Shows the contents of tables as Torch7's shell did for scripts: set by display.lua.
output.show = plain

function _G.print(...)
   for i = 1, select('#', ...) do
      if output.is_plain_table((select(i, ...))) then return output.show(...) end
   end
   return plain(...)
end
-- The globals of the library's modules are a copy, made before this one loaded.
getfenv(1).print = _G.print

local function note_last(...)
   local count = select('#', ...)
   if count > 0 then written = select(count, ...) end
end

function io.write(...)
   if not (sink or writer) or io.output() ~= io.stdout then
      progress.printed = true
      if progress.visible then progress.erase() end
      if watched and io.output() == io.stdout then note_last(...) end
      if not is_text(...) then return write(...) end
      return written_to(io.output(), write(...))
   end
   collect(joined('', ...))
   return io.stdout
end

local function write_watched(file, ...)
   if file == io.stdout then note_last(...) end
   return file_write(file, ...)
end

local function write_captured(file, ...)
   if file ~= io.stdout then return file_write(file, ...) end
   collect(joined('', ...))
   return file
end

-- The output of commands must not continue the progress line.
local execute = os.execute

function os.execute(command)
   local kind = type(command)
   if kind ~= 'string' and kind ~= 'number' and kind ~= 'nil' then
      require('torch.base.errors').argument('execute', 1, 'must be a string (got %s)', kind)
   end
   return require('torch.utility.downloads').during(command, false, execute, command)
end

-- Any file may be the terminal.
local function write_over(...)
   progress.printed = true
   progress.erase()
   return files.write(...)
end

-- Redirects the methods of files.
local function use_writer()
   files.write = progress.visible and write_over or (sink or writer) and write_captured or watched and write_watched
      or file_write
end
progress.changed = use_writer
use_writer()

-- Opens a capture: printed text is kept until `release`. Captures nest.
function output.capture()
   sink = {}
   insert(open, sink)
   use_writer()
end

-- Closes the innermost capture and returns its text.
function output.release()
   local text = concat(remove(open))
   sink = open[#open]
   use_writer()
   return text
end

-- Tells whether printed text goes somewhere other than C's stdout.
function output.is_taken() return (sink or writer) ~= nil end

-- Sends printed text to a function instead of C's stdout; nil ends that.
function output.redirect(f)
   writer = f
   use_writer()
end

-- Called when a line of input was read: it ended the line of its prompt.
function output.answered() written = nil end

--- Called before an input of the prompt runs.
function output.begin_input()
   written = nil
   if not watched then
      watched = true
      use_writer()
   end
end

-- Ends an unfinished line of a program before its values are shown.
function output.begin_line()
   if written and sub(tostring(written), -1) ~= '\n' then c_write(io.stdout, '\n') end
   written = nil
end

-- Flushes C's buffer, so that Python's output follows it. Returns the reason if that fails.
function output.flush()
   progress.finish()
   local libc = require 'torch.native.libc'
   libc.t7_fflush(io.stdout)
   local failed, number = libc.t7_ferror(io.stdout) ~= 0, ffi.errno()
   local files_of_torch = loaded['torch.io.descriptor']
   if files_of_torch then files_of_torch.flush_all() end
   if failed then return number == 0 and 'an error of writing' or ffi.string(libc.t7_strerror(number)) end
end

return output
