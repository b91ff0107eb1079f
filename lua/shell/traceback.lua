-- Handles errors: turns an error object into a message and a traceback that refer to the user's code.

local find, gmatch, gsub = string.find, string.gmatch, string.gsub
local match, sub = string.match, string.sub
local last_error, errors = require 'shell.last_error', require 'torch.base.errors'
local is_library = errors.is_library

local TOP, BOTTOM = 24, 12      -- how many frames of a deep stack are looked at, at either end

-- The bottom frames of a run: of a program, or of a job.
local shell, worker = errors.library .. 'shell/', errors.library .. 'threads/worker.lua'

local function starts(text, prefix)
   return sub(text, 1, #prefix) == prefix
end

-- Returns the message of an error object of any type. Its own `__tostring` may fail.
local function describe(object)
   local kind = type(object)
   if kind == 'string' or kind == 'number' then return tostring(object) end
   local meta = getmetatable(object)
   if kind ~= 'table' and kind ~= 'nil' or type(meta) == 'table' and meta.__tostring then
      local ok, text = pcall(tostring, object)
      if ok and type(text) == 'string' then return text end
   end
   if kind == 'table' then
      local ok, text = pcall(require('shell.pretty').line, object)
      if ok then return string.format('(error object is a table value: %s)', text) end
   end
   return string.format('(error object is a %s value)', kind)
end

-- Returns the frames from the function that raised the error to the chunk that the shell called; of a deep stack both
-- ends, and the number of frames before the gap, 0 if there is none.
local function frames_above(level)
   local frames = {}
   local finish = last_error.stack_depth() + 1
   local skipped = finish - level - TOP - BOTTOM
   local first_below = skipped > 0 and finish - BOTTOM or level + TOP
   while level < finish do
      local frame = debug.getinfo(level, 'Slnf')
      if not frame then break end
      if is_library(frame.source) then
         frame.first, frame.object = debug.getlocal(level, 1)
      elseif last_error.keep == true then
         frame.locals = last_error.locals(level, frame.func)
      end
      frames[#frames + 1] = frame
      level = level + 1
      if #frames == TOP then level = first_below end
   end
   -- The shell and its xpcall are below the program; programs call xpcall as well.
   while #frames > 0 do
      local frame = frames[#frames]
      if frame.what ~= 'C' and not starts(frame.source, shell) and frame.source ~= worker then break end
      frames[#frames] = nil
   end
   return frames, skipped > 0 and TOP or 0
end

-- Counts the frames at the top that are not shown: `error` itself, and the library's, with the C functions between them
-- and the user's code.
local function hidden_frames(frames)
   local first = frames[1]
   local count = first and first.what == 'C' and first.name == 'error' and 1 or 0
   for i, frame in ipairs(frames) do
      if is_library(frame.source) then
         count = i
      elseif frame.what ~= 'C' then
         break
      end
   end
   return count
end

local function position(frame)
   return string.format('%s:%d: ', frame.short_src, frame.currentline)
end

-- Reports a method called without an object, as in net.forward(x); nil for other calls. Hot methods do not check for
-- it, and Lua's subsequent error does not name the mistake.
local function without_object(call)
   local object = call.object
   if call.first ~= 'self' or type(object) == 'table' and debug.getmetatable(object) then return nil end
   -- After a tail call Lua does not know the name of the function, or that of its caller.
   local source = require('shell.sources').of(call.func)
   local name = source and match(source, '^%s*function [%w_.]+:([%w_]+)') or call.name
   -- The dialect must be known before torch is loaded.
   local got = require('torch.base.check').describe(object)
   if not name then return string.format('self must be an object (got %s); x:f(...) calls a method', got) end
   if require('shell.names').field(object, name) ~= nil then return nil end
   return string.format('%s: self must be an object (got %s); x:%s(...) calls the method', name, got, name)
end

-- Rewrites a message that blames a line of the library to blame its caller, if a tail call left the caller's frame.
local function blame_caller(message, frames, hidden)
   local caller = frames[hidden + 1]
   if caller and caller.currentline < 0 then return message end
   for i = 1, hidden do
      local location = position(frames[i])
      if starts(message, location) then
         return (caller and position(caller) or '') .. (without_object(frames[hidden]) or sub(message, #location + 1))
      end
   end
   return message
end

-- Names the part of the library that a source belongs to.
local function part(source)
   local path = string.gsub(sub(source, #errors.library + 1), '^packages[/\\]', '')
   return string.match(path, '^(%w+)[/\\.]') or 'torch'
end

-- Of consecutive library frames only the last is shown, under the name that the user called.
local function library_line(frame, below)
   if below and is_library(below.source) or frame.namewhat == '' then return nil end
   return string.format("\t[%s]: in function '%s'", part(frame.source), frame.name)
end

local function line(frame)
   local location = frame.short_src
   if frame.currentline > 0 then location = location .. ':' .. frame.currentline end
   if frame.what == 'main' then return string.format('\t%s: in main chunk', location) end
   if frame.namewhat ~= '' then return string.format("\t%s: in function '%s'", location, frame.name) end
   if frame.what == 'C' then return string.format('\t%s: in a C function', location) end
   return string.format('\t%s: in function <%s:%d>', location, frame.short_src, frame.linedefined)
end

-- Splits a message that contains traces, of errors that were caught and raised again, and appends `lines`, the trace of
-- the last: each line once, except those that a single trace repeats. Returns the message and the lines.
local function merge(message, lines)
   local head, traces = match(message, '^(.-)\nstack traceback:\n(.*)$')
   if not head then return message, lines end
   local merged, seen = {}, {}
   local function add(block)
      local added = {}
      for _, text in ipairs(block) do
         -- A chunk counts once, whichever of its lines makes the call.
         local key = gsub(text, ':%d+: in main chunk$', '')
         local inner = find(text, '[/\\]shell[/\\]evaluate%.lua:%d+:') or #merged > 0 and starts(text, '\t[C]')
         if not seen[key] and not inner then added[#added + 1] = { text, key } end
      end
      for _, line_and_key in ipairs(added) do
         merged[#merged + 1], seen[line_and_key[2]] = line_and_key[1], true
      end
   end
   for block in gmatch(traces .. '\nstack traceback:\n', '(.-)\nstack traceback:\n') do
      local texts = {}
      for text in gmatch(block, '[^\n]+') do texts[#texts + 1] = text end
      add(texts)
   end
   -- The shell called the program by xpcall.
   if merged[#merged] == "\t[C]: in function 'xpcall'" then merged[#merged] = nil end
   add(lines)
   return head, merged
end

-- The handler for xpcall. Returns { message, where, traceback, object }; `where` is the position of the
-- user's line as a prefix, for error objects that carry none.
return function(object)
   -- An overflowed stack has no room for more than this.
   if type(object) == 'string' and string.find(object, 'stack overflow', 1, true) then
      last_error.overflow = debug.getinfo(2, 'Slnf')
      return object
   end
   local frames, gap = frames_above(3)
   local hidden = hidden_frames(frames)
   local message = describe((errors.worded(object, 2)))
   message = blame_caller(message, frames, hidden)
   -- A message that the library raised outside of all programs needs no trace.
   if hidden == #frames and not (frames[1] and frames[1].name == 'error') then hidden = 0 end
   local lines, where, kept = {}, '', {}
   for i = hidden + 1, #frames do
      local frame = frames[i]
      local inside = is_library(frame.source)
      if not inside then
         if last_error.keep then kept[#kept + 1] = frame end
         if where == '' and frame.currentline > 0 then where = position(frame) end
      end
      if inside then lines[#lines + 1] = library_line(frame, frames[i + 1]) else lines[#lines + 1] = line(frame) end
      if i == gap then lines[#lines + 1] = '\t...' end
   end
   if last_error.keep then last_error.frames, last_error.failing = kept, kept end
   message, lines = merge(message, lines)
   return { message = message, where = where, traceback = table.concat(lines, '\n'), object = object }
end
