-- The frames that the debugger shows: those of the program on the running stack, and those that an error left behind.
-- A frame is a table of debug.getinfo with `locals`, the list of last_error.locals, and for frames of the running
-- stack with `height`, its distance from the bottom of the stack.

local getinfo, getlocal, setlocal = debug.getinfo, debug.getlocal, debug.setlocal
local getupvalue, setupvalue = debug.getupvalue, debug.setupvalue
local format, match = string.format, string.match
local insert = table.insert
local last_error, names = require 'shell.last_error', require 'shell.names'
local lexer, sources = require 'shell.lexer', require 'shell.sources'
local is_library, stack_depth = require('torch.base.errors').is_library, last_error.stack_depth
local loadstring = require('torch.language.compile').load

local plain = require('torch.base.errors').plain

local debug_frames = {}

local MAX_FRAMES = 200      -- frames that are shown

-- Tells whether a frame is a function of the program, which has lines.
local function is_of_program(frame)
   return frame.what ~= 'C' and frame.currentline > 0 and not is_library(frame.source)
end

-- Returns the frames of the program on the running stack, innermost first.
function debug_frames.running()
   local frames, below = {}, stack_depth()
   local level = 2
   while #frames < MAX_FRAMES do
      local frame = getinfo(level, 'Slnfu')
      if not frame then break end
      if is_of_program(frame) then
         frame.locals, frame.height = last_error.locals(level, frame.func), below - level + 1
         insert(frames, frame)
      end
      level = level + 1
   end
   return frames
end

-- Returns the frames of the program that the last error went through, innermost first.
function debug_frames.of_last_error()
   local frames = {}
   for _, frame in ipairs(last_error.frames) do
      if is_of_program(frame) then
         frame.locals = frame.locals or {}
         insert(frames, frame)
      end
   end
   return frames
end

-- The variables as they are now: an input of the debugger, or a closure, may have changed them.
local function refresh(frame)
   local level = frame.height and stack_depth() - frame.height + 1
   for _, variable in ipairs(frame.locals) do
      if variable[3] then
         variable[2] = select(2, getupvalue(frame.func, variable[3]))
      elseif level then
         variable[2] = select(2, getlocal(level, variable[4]))
      end
   end
end

-- Returns the variables that a name can reach in a frame, in the order of their declarations.
function debug_frames.variables(frame)
   refresh(frame)
   local list, hidden = {}, {}
   for i = #frame.locals, 1, -1 do
      local variable = frame.locals[i]
      if not hidden[variable[1]] then insert(list, 1, variable) end
      hidden[variable[1]] = true
   end
   return list
end

-- Stores the variables that were changed.
local function store(frame, changed)
   local level = frame.height and stack_depth() - frame.height + 1
   for variable in pairs(changed) do
      if variable[3] then
         setupvalue(frame.func, variable[3], variable[2])
      elseif level then
         setlocal(level, variable[4], variable[2])
      end
   end
end

local function pack(...)
   return { n = select('#', ...), ... }
end

-- Runs an expression or a statement with the variables of a frame. Returns true and its values, packed, or false and
-- the message.
function debug_frames.evaluate(frame, text)
   local expression = string.gsub(text, '^%s*=', '')
   local chunk, message = loadstring('return ' .. expression .. '\n', '=debug')
   if not chunk then chunk, message = loadstring(text .. '\n', '=debug') end
   if not chunk then return false, message end
   local by_name, changed = {}, {}
   for _, variable in ipairs(debug_frames.variables(frame)) do by_name[variable[1]] = variable end
   local globals = getfenv(frame.func)
   setfenv(chunk, setmetatable({}, {
      __index = function(_, name)
         local variable = by_name[name]
         if variable then return variable[2] end
         return globals[name]
      end,
      __newindex = function(_, name, value)
         local variable = by_name[name]
         if not variable then
            globals[name] = value
            return
         end
         variable[2], changed[variable] = value, true
      end,
   }))
   local results = pack(pcall(chunk))
   store(frame, changed)
   if not results[1] then return false, results[2] end
   return true, pack(unpack(results, 2, results.n))
end

-- The name that the source of a function gives it. Of several on its line, the one that leads to the function.
local function own_name(frame)
   local lines = sources.lines(frame.func)
   local text = lines and lines[frame.linedefined]
   if not text then return nil end
   local code, found = lexer.read(text).code, {}
   for _, pattern in ipairs { 'function%s+([%w_.:]+)%s*%(', '([%w_.]+)%s*=%s*function' } do
      for name in string.gmatch(code, pattern) do
         insert(found, name)
         local chain = {}
         for word in string.gmatch(name, '[%w_]+') do insert(chain, word) end
         if names.resolve(chain) == frame.func then return name end
      end
   end
   return #found == 1 and found[1] or nil
end

-- The function that the line of a caller names, nil if that is not known.
local function named(caller, name)
   for _, variable in ipairs(debug_frames.variables(caller)) do
      if variable[1] == name then return variable[2] end
   end
   local value = names.field(getfenv(caller.func), name)
   if type(value) ~= 'nil' then return value end
   local lines = sources.lines(caller.func)
   local chain = lines and lexer.chain_before(lines[caller.currentline], name)
   if not chain then return nil end
   insert(chain, name)
   local scope = {}
   for _, variable in ipairs(debug_frames.variables(caller)) do scope[variable[1]] = variable[2] end
   return (names.resolve(chain, scope))
end

-- The code of an instruction. Numbers differ between versions of LuaJIT: `f()` at the end of a chunk is its third
-- instruction, and the number before it is that of f(...).
local function opcode(f, pc)
   local instruction = require('jit.util').funcbc(f, pc)
   return instruction and bit.band(instruction, 0xff)
end
local CALLT = opcode(assert(_G.loadstring('return f()')), 2)

-- The lines of a function that end in a tail call.
local function tail_calls(f)
   local lines, pc = {}, 1
   while true do
      local code = opcode(f, pc)
      if not code then return lines end
      if code == CALLT or code == CALLT - 1 then
         insert(lines, require('jit.util').funcinfo(f, pc).currentline)
      end
      pc = pc + 1
   end
end

-- Tells whether a frame replaced another one by a tail call: 'f' if the caller called f and this is a different
-- function. Lua keeps no other record of tail calls.
local function tail_call(frame, caller)
   if not caller or frame.what == 'main' or (frame.namewhat or '') == '' then return '' end
   local called = named(caller, frame.name)
   if type(called) ~= 'function' or called == frame.func or getinfo(called, 'S').what == 'C' then return '' end
   local lines = tail_calls(called)
   if #lines == 0 or is_library(getinfo(called, 'S').source) then return '' end
   local where = #lines == 1 and format(', %s:%d', getinfo(called, 'S').short_src, lines[1]) or ''
   return format(" (by a tail call from '%s'%s)", frame.name, where)
end

-- Returns the place of a frame and its function, in one line.
function debug_frames.title(frames, index)
   local frame = frames[index]
   local what = 'a function'
   if frame.what == 'main' then
      what = 'the main chunk'
   else
      local name = own_name(frame) or frame.name
      if name then what = format("'%s'", name) end
   end
   return format('%s:%d in %s%s', frame.short_src, frame.currentline, what, tail_call(frame, frames[index + 1]))
end

-- Returns the lines of source around a line of a frame, which has an arrow; nil if the source is not known.
function debug_frames.listing(frame, around, line)
   local lines, shown = sources.lines(frame.func), {}
   if not lines then return nil end
   line = line or frame.currentline
   for i = math.max(1, line - around), math.min(#lines, line + around) do
      local text = format('%s %4d | %s', i == frame.currentline and '->' or '  ', i, plain(lines[i]))
      insert(shown, match(text, '^(.-)%s*$'))
   end
   return #shown > 0 and table.concat(shown, '\n') or nil
end

return debug_frames
