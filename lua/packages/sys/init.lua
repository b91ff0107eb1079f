-- sys: time, the shell of the system, names of files, colours of the terminal.

local ffi = require 'ffi'
local check, libc = require 'torch.base.check', require 'torch.native.libc'
local downloads, finish_trace = require 'torch.utility.downloads', require('torch.jit.trace').finish
local paths, popen = require 'paths', io.popen

local sys = { COLORS = require 'sys.colors' }

-- clock, tic, toc, sleep, usleep.

local windows = jit.os == 'Windows'
local MAX_NAP = 0.25      -- seconds of one nap, so that Ctrl-C is noticed between two

local now, nap
if windows then
   local ticks = ffi.new 'uint64_t[1]'
   -- Ticks of 100 ns since 1601.
   function now()
      libc.t7_GetSystemTimeAsFileTime(ticks)
      return tonumber(ticks[0]) * 1e-7 - 11644473600
   end
   function nap(seconds) libc.t7_Sleep(seconds * 1000) end
else
   local parts = ffi.new 'long[2]'
   function now()
      libc.t7_gettimeofday(parts, nil)
      return tonumber(parts[0]) + tonumber(parts[1]) * 1e-6
   end
   function nap(seconds) libc.t7_usleep(seconds * 1e6) end
end

local started = now()

-- Seconds since 1970, with microseconds as a fraction.
sys.clock = now

function sys.tic()
   started = now()
end

-- Seconds since `tic`; `verbose` prints them too.
function sys.toc(verbose)
   local elapsed = now() - started
   if verbose then print(elapsed) end
   return elapsed
end

function sys.sleep(seconds)
   seconds = check.number('sys.sleep', 'argument 1', seconds)
   local finish = now() + seconds
   local left = seconds
   while left > 0 do
      nap(math.min(left, MAX_NAP))
      left = finish - now()
   end
end

function sys.usleep(microseconds)
   sys.sleep(check.number('sys.usleep', 'argument 1', microseconds) * 1e-6)
end

-- Commands of the system's shell: execute, fexecute, ls and its variants, uname, OS.

local SYSTEMS = { Linux = 'linux', OSX = 'macos', Windows = 'windows' }

local function trim(text)
   return string.match(text, '^%s*(.-)%s*$')
end

-- Runs a command that has been checked, with redirections of its error stream.
local function read_all(name, command, what)
   local pipe, message = popen(command)
   if not pipe then error(string.format('sys.%s: %s', name, message), 3) end
   local text = pipe:read(what or '*a') or ''
   pipe:close()
   return trim(text)
end

local function output_of(name, command, what)
   return (downloads.during(command, true, read_all, name, command, what))
end

local function checked(name, command)
   local kind = type(command)
   if kind ~= 'string' and kind ~= 'number' then
      error(string.format('sys.%s: command must be a string (got %s)', name, kind), 3)
   end
   return trim(command)
end

local function quoted(name)
   return "'" .. string.gsub(name, "'", "'\\''") .. "'"
end

-- The parentheses below keep these calls from being tail calls, so that errors blame the right line.

-- Runs a command and returns what it printed, without the white space around it. What it wrote to its error stream is
-- there as well: of a sequence of commands, only what the last one wrote.
function sys.execute(command)
   return (output_of('execute', checked('execute', command) .. ' 2>&1'))
end

-- Runs commands and returns the output of all of them; `what` as for `file:read`, all by default.
function sys.fexecute(command, what)
   return (output_of('fexecute', '(' .. checked('fexecute', command) .. ') 2>&1', what))
end

for name, flags in pairs { ls = '', ll = '-l', la = '-a', lla = '-la' } do
   -- Lists a folder, the current one by default, as the command of the shell does.
   sys[name] = function(folder)
      return output_of(name, 'ls ' .. flags .. ' ' .. quoted(folder or '.') .. ' 2>&1')
   end
end

sys.OS = SYSTEMS[jit.os] or jit.os

function sys.uname()
   return sys.OS
end

-- Names of files, strings and numbers: dirname, concat, fpath, prefix, split, isNaN.

sys.dirname, sys.concat = paths.dirname, paths.concat
sys.prefix = paths.dirname(paths.execdir() or paths.cwd() or '.')

-- Older versions had these as well, so scripts call them; listing the table does not show them.
setmetatable(sys, { __index = { basename = paths.basename, filep = paths.filep, dirp = paths.dirp } })

-- The folder of the file in which the caller stands, and the name of the file in it.
function sys.fpath()
   local level = 2
   local frame = debug.getinfo(level, 'S')
   while frame and frame.what == 'C' do
      level = level + 1
      frame = debug.getinfo(level, 'S')
   end
   local source = frame and frame.source or '='
   local file = paths.concat(string.sub(source, 1, 1) == '@' and string.sub(source, 2) or source)
   return paths.dirname(file), paths.basename(file)
end

-- The pieces of a string between matches of a pattern; an empty one at either end is left out.
function sys.split(text, pattern)
   text = type(text) == 'number' and text .. '' or check.kind('sys.split', 'the text', text, 'string')
   pattern = check.kind('sys.split', 'the pattern', pattern, 'string')
   local pieces, start = {}, 1
   finish_trace()
   local from, to = string.find(text, pattern)
   while from and to >= from do
      if from > 1 then pieces[#pieces + 1] = string.sub(text, start, from - 1) end
      start = to + 1
      from, to = string.find(text, pattern, start)
   end
   if start <= #text then pieces[#pieces + 1] = string.sub(text, start) end
   return pieces
end

function sys.isNaN(value)
   return value ~= value
end

return sys
