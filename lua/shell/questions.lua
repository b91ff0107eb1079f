-- Reading from standard input when each line has to be requested: io.read, io.lines and the methods of io.stdin in a
-- notebook.

local errors = require 'torch.base.errors'
local interruption = require 'torch.utility.interruption'

local stdin = io.stdin
local files = getmetatable(stdin).__index
local ask
local rest = ''      -- the unread part of answers

-- Asks for one more line; false at the end of the input.
local function more()
   local line, problem = ask()
   if line == false then return false end
   if type(line) == 'nil' then
      -- After Ctrl-C the hook that stops Lua arrives shortly.
      if type(problem) == 'nil' then interruption.wait() end
      errors.raise('read: %s', problem or 'interrupted')
   end
   rest = rest .. line .. '\n'
   return true
end

-- Takes the first `count` characters.
local function take(count)
   local text = string.sub(rest, 1, count)
   rest = string.sub(rest, count + 1)
   return text
end

-- Readers by format; nil at the end of the input.
local formats = {}

function formats.L()
   while not string.find(rest, '\n', 1, true) do
      if not more() then return end
   end
   return take((string.find(rest, '\n', 1, true)))
end

function formats.l()
   local line = formats.L()
   return line and string.sub(line, 1, -2)
end

-- One answer, or the rest of it.
function formats.a()
   if rest == '' then more() end
   return take(#rest)
end

-- The longest number that comes next; nil if there is none.
function formats.n()
   repeat
      rest = string.gsub(rest, '^%s+', '')
      if rest == '' and not more() then return end
   until string.find(rest, '^%S')
   local word = string.match(rest, '^[%w.+-]*')
   for stop = #word, 1, -1 do
      local value = tonumber((string.sub(word, 1, stop)))
      if value then
         take(stop)
         return value
      end
   end
end

local function characters(count)
   while #rest < count do
      if not more() then break end
   end
   if rest ~= '' or count == 0 then return take(count) end
end

local function read(...)
   if select('#', ...) == 0 then return formats.l() end
   local found, wanted = {}, { ... }
   for i = 1, select('#', ...) do
      local what = wanted[i]
      local reader = type(what) == 'string' and formats[string.match(what, '^%*?(%a)') or '']
      if type(what) == 'number' then
         found[i] = characters(what)
      elseif reader then
         found[i] = reader()
      else
         error(string.format("%sbad argument #%d to 'read' (invalid format)", errors.where(), i), 0)
      end
      if type(found[i]) == 'nil' then return unpack(found, 1, i) end
   end
   return unpack(found, 1, #found)
end

-- The functions that ask, by the names of the file methods they replace.
local asking_functions = { read = read }
function asking_functions.lines()
   return function() return (formats.l()) end
end

local questions = {}

-- Drops the unread part of answers.
function questions.forget() rest = '' end

-- From now on `ask` returns each line: false at the end, nil and a message if none is available, nil alone after
-- Ctrl-C.
function questions.install(asking)
   ask = asking
   for name, f in pairs(asking_functions) do
      local of_file, of_io = files[name], io[name]
      files[name] = function(file, ...)
         if file == stdin then return f(...) end
         return of_file(file, ...)
      end
      io[name] = function(...)
         if io.input() == stdin and (name == 'read' or select('#', ...) == 0) then return f(...) end
         return of_io(...)
      end
   end
end

return questions
