-- The debugger: looks at the frames of a program that stopped at a line, or of the last error.

local format, gsub, match = string.format, string.gsub, string.match
local pcall, write = pcall, io.write
local debug_frames, last_error = require 'shell.debug_frames', require 'shell.last_error'
local evaluate, names, stepping = require 'shell.evaluate', require 'shell.names', require 'shell.stepping'
local output, result_display = require 'shell.output', require 'shell.result_display'
local input, lexer = require 'shell.input', require 'shell.lexer'

local debugger = {}

local AROUND, MORE = 2, 10      -- lines of source above and below that of a frame

local HELP = [[
where          the calls that led here, innermost first
up, down       the caller, or the function that it called; `up 2` moves by two
list           more lines of source; `list 20` those around line 20
vars           the variables that can be named here
next           run to the next line of this function
step           run to the next line, also within functions that are called
finish         run until this function has returned
continue       run on
quit           end the program
EXPRESSION     its value, also `print EXPRESSION`; `=n` shows a variable that has the name of a command
STATEMENT      runs with the variables of the frame, which it can set: x = 3
The first letter is enough (w, u, d, l, v, n, s, f, c, q, p); Enter repeats next, step, up and down.]]

local frames, index, live      -- those of the stop, the one that is shown, and whether the program can go on
local last_command

-- Reads a line with a prompt; nil at the end of the input and after Ctrl-C. Terminals and notebooks have their own.
function debugger.ask(prompt)
   write(prompt)
   output.flush()
   local line = input()
   if not line then write('\n') end
   return line
end

-- Stops the program as Ctrl-C does; false if that ends the process.
function debugger.leave() return false end

local function say(text, ...)
   if select('#', ...) > 0 then text = format(text, ...) end
   write(text, '\n')
end

local function show_frame()
   output.begin_line()
   say('%s', debug_frames.title(frames, index))
   local text = debug_frames.listing(frames[index], AROUND)
   if text then say('%s', text) end
end

local function move(name, by, argument)
   local count = argument == '' and 1 or tonumber(argument)
   if not count or count < 1 or count % 1 ~= 0 then
      return say("%s: expected a number of frames (got '%s')", name, argument)
   end
   local to = math.max(1, math.min(#frames, index + by * count))
   if to == index then return say('%s: this is the %s frame', name, by > 0 and 'outermost' or 'innermost') end
   index = to
   show_frame()
end

local declared = {}      -- names that lines declared local: they ended with their line

local function was_local(name)
   return name and declared[name] and format("'%s' was local to an earlier line; without `local` it stays", name)
end

local function note_declared(text)
   for words in string.gmatch(lexer.read(text).code, '%f[%w_]local%s+([%a_][%w_,%s]*)') do
      for name in string.gmatch(words, '[%a_][%w_]*') do declared[name] = true end
   end
end

local function show_values(text)
   local ok, values = debug_frames.evaluate(frames[index], text)
   local is_nil = ok and values.n == 1 and type(values[1]) == 'nil'
   if ok and values.n > 0 then ok, values = pcall(result_display.show, unpack(values, 1, values.n)) end
   if not ok then
      local described, message = pcall(tostring, values)
      message = described and gsub(message, '^debug:1: ', '') or 'error'
      local hint = was_local(match(message, "global '([%a_][%w_]*)' %(a nil value%)"))
      say('%s', hint and message .. '; ' .. hint or message)
   elseif is_nil then
      local hint = was_local(match(text, '^=?%s*([%a_][%w_]*)$'))
      if hint then say('(%s)', hint) end
   end
   note_declared(text)
end

local commands = {}

function commands.where()
   for i in ipairs(frames) do say('%s %d  %s', i == index and '->' or '  ', i, debug_frames.title(frames, i)) end
end

function commands.vars()
   local list = debug_frames.variables(frames[index])
   say('%s', #list > 0 and last_error.variables(list, '') or 'no variables')
end

function commands.help() say(live and '%s' or '%s\nThe program has ended: it cannot run on.', HELP) end

function commands.quit()
   if live then
      stepping.stop()
      if not debugger.leave() then os.exit(1) end
   end
   return true
end

function commands.continue()
   if live then stepping.stop() end
   return true
end

for _, command in ipairs { 'next', 'step', 'finish' } do
   commands[command] = function()
      if not live then return say('%s: the program has ended', command) end
      -- The innermost frame runs, whichever is shown.
      stepping.go(command, frames[1], debugger.stop)
      return true
   end
end

local with_argument = {}

function with_argument.up(argument) return move('up', 1, argument) end
function with_argument.down(argument) return move('down', -1, argument) end

function with_argument.list(argument)
   local line = argument == '' and frames[index].currentline or tonumber(argument)
   if not line then return say("list: expected the number of a line (got '%s')", argument) end
   say('%s', debug_frames.listing(frames[index], MORE, line) or 'list: no source')
end

function with_argument.print(argument)
   if argument == '' then return say('print: expected an expression') end
   show_values(argument)
end

-- The names that other debuggers have.
local aliases = {
   backtrace = 'where', bt = 'where', cont = 'continue', exit = 'quit', ll = 'list', locals = 'vars', out = 'finish',
   pp = 'print', ['?'] = 'help',
}
for name in pairs(commands) do aliases[name], aliases[string.sub(name, 1, 1)] = name, name end
for name in pairs(with_argument) do aliases[name], aliases[string.sub(name, 1, 1)] = name, name end

local REPEATED = { next = true, step = true, up = true, down = true }

-- Executes a line; returns true if the program is to continue.
local function carry_out(line)
   line = match(line, '^%s*(.-)%s*$')
   if line == '' then line = last_command or '' end
   last_command = nil
   if line == '' then return end
   if match(line, '^t?break%f[%W]') or match(line, '^b%s+[%w_./:]*%d$') then
      return say('break: there are no breakpoints by line; breakpoint() in the program stops there')
   end
   if match(line, '^[%%$!]') or match(line, '^%?+[%a_%%]') or match(line, '^[%w_.:]+%?+$') then
      return say("debugger: '%s' works at the prompt only; help lists what the debugger knows, quit leaves it", line)
   end
   local word, argument = match(line, '^([%w_?]+)%s*(.*)$')
   local name = word and aliases[word]
   -- `n = 3`, `next(t)` and `print(x)` are Lua.
   if not name or match(argument, '^[=(%[.:,{"\'+*/%%^<>~-]') then return show_values(line) end
   if with_argument[name] then
      if REPEATED[name] then last_command = line end
      return with_argument[name](argument)
   end
   if argument ~= '' then return say("%s: takes no argument (got '%s')", name, argument) end
   if REPEATED[name] and live then last_command = line end
   return commands[name]()
end

-- Lets completion see the variables of the frame that is shown.
local function set_scope()
   names.scope = {}
   for _, variable in ipairs(debug_frames.variables(frames[index])) do names.scope[variable[1]] = variable[2] end
end

local function interact()
   show_frame()
   while true do
      set_scope()
      local line, problem = debugger.ask('debug> ')
      names.scope = nil
      output.answered()
      if not line then
         if problem then
            -- Nobody answers where a document runs as a whole, and it goes on.
            say('%s', live and 'debugger: ' .. problem or last_error.text())
            return commands.continue()
         end
         return commands.quit()
      end
      if carry_out(line) then return end
   end
end

-- Looks at frames; a program that fails within the debugger does not end it.
local function look(found, can_go_on)
   local before = { frames, index, live }
   frames, index, live = found, 1, can_go_on
   interact()
   frames, index, live = before[1], before[2], before[3]
end

-- Stops at the line that runs: in a function that the program or a hook calls.
function debugger.stop()
   local found = debug_frames.running()
   if #found > 0 then look(found, true) end
end

-- Stops at the first line of the program that runs next.
function debugger.start()
   evaluate.at_begin = function() stepping.go('step', nil, debugger.stop) end
end

-- Looks at the frames of the last error; false if there are none.
function debugger.post_mortem()
   local found = debug_frames.of_last_error()
   if #found == 0 then return false end
   last_command = nil
   look(found, false)
   return true
end

return debugger
