-- The source of functions: from files, and from inputs of the prompt, whose chunks are named after their numbers.

local stubs = require 'torch.language.stubs'
local getinfo = stubs.getinfo
local util = require 'jit.util'

local sources = {}

local inputs = {}     -- texts of the inputs of the prompt, by their numbers
local files = {}      -- name -> lines of the file
-- Text of programs without a file, by their functions: the main chunk, and prototypes of those in it.
local programs = setmetatable({}, { __mode = 'k' })

-- Stores an input of the prompt and returns its number. Files may have changed since the last input.
function sources.remember(text)
   table.insert(inputs, text)
   files = {}
   return #inputs
end

-- Sets the number of the next input, if that is not below the current one; the inputs between have no text.
function sources.skip_to(number)
   for i = #inputs + 1, number - 1 do inputs[i] = '' end
   return #inputs
end

-- Returns the texts of the inputs in their order.
function sources.inputs()
   return inputs
end

-- Returns the number of the input that a chunk's source names, 12 for '=[12]'; nil for other sources.
local function input_number(source)
   return tonumber(string.match(source, '^=%[(%d+)%]$'))
end

-- Returns the lines of a text.
function sources.split(text)
   local lines = {}
   for line in string.gmatch(text .. '\n', '(.-)\r?\n') do table.insert(lines, line) end
   return lines
end

local function file_lines(name)
   if not files[name] then
      local file = io.open(name, 'rb')
      if not file then return nil end
      files[name] = sources.split(file:read('*a'))
      file:close()
   end
   return files[name]
end

-- Adds a chunk, or a prototype, and the prototypes in it.
local function add_program(f, text)
   programs[f] = text
   local at = -1
   local constant = util.funck(f, at)
   while constant ~= nil do
      if type(constant) == 'proto' then add_program(constant, text) end
      at = at - 1
      constant = util.funck(f, at)
   end
end

-- Keeps the text of a program whose name is not a file, for as long as its functions live.
function sources.keep(chunk, text, name)
   files = {}
   if not string.find(name, '^=') then return end
   if string.find(text, 'function', 1, true) then add_program(chunk, text) else programs[chunk] = text end
end

-- Returns the lines of the chunk that a function belongs to, nil if they are not known.
function sources.lines(f)
   local info = getinfo(f, 'S')
   local number = input_number(info.source)
   if number then return inputs[number] and sources.split(inputs[number]) end
   local name = string.match(info.source, '^@(.*)')
   if name then return file_lines(name) end
   if not string.find(info.source, '^=') then return sources.split(info.source) end
   local text = programs[f] or programs[util.funcinfo(f).proto]
   return text and sources.split(text)
end

-- Returns the source of a function, nil if it is not known.
function sources.of(f)
   local info = getinfo(f, 'S')
   local lines = info.what ~= 'C' and sources.lines(f)
   if not lines or not lines[info.linedefined] then return nil end
   return table.concat(lines, '\n', info.linedefined, info.lastlinedefined)
end

-- Adds the comments at the end of lines[1..last] to the front of a list; true if all are comments.
local function add_comments(found, lines, last)
   for i = last, 1, -1 do
      local text = string.match(lines[i], '^%s*%-%-%-?%s?(.*)$')
      if not text then return false end
      table.insert(found, 1, text)
   end
   return true
end

local function is_comment(lines)
   return add_comments({}, lines, #lines)
end

-- Returns the comment above a function, without its dashes; nil if there is none. At the prompt it may be a separate
-- input.
function sources.comment(f)
   local info = getinfo(f, 'S')
   local lines = info.what ~= 'C' and sources.lines(f)
   if not lines then return nil end
   local found = {}
   local all = add_comments(found, lines, info.linedefined - 1)
   local above = all and (input_number(info.source) or 1) - 1 or 0
   while above > 0 do
      local other = sources.split(inputs[above])
      if not is_comment(other) then break end
      add_comments(found, other, #other)
      above = above - 1
   end
   return #found > 0 and table.concat(found, '\n') or nil
end

-- Returns the names of a function's parameters, '...' included.
function sources.parameters(f)
   local info = getinfo(f, 'u')
   local list = {}
   for i = 1, info.nparams or 0 do table.insert(list, (debug.getlocal(stubs.real(f), i))) end
   if info.isvararg then table.insert(list, '...') end
   return list
end

-- Returns the name of the library's module in which a function was defined, such as 'threads.Threads'.
function sources.module(f)
   local path = string.match(getinfo(f, 'S').source, 'lua[/\\](.*)%.lua$')
   if not path then return nil end
   return (string.gsub(string.gsub(string.gsub(path, '[/\\]', '.'), '^packages%.', ''), '%.init$', ''))
end

-- Returns the location of a function's definition: 'file.lua:3', 'input [3], line 1' or 'C'.
function sources.location(f)
   local info = getinfo(f, 'S')
   if info.what == 'C' then return 'C' end
   local number = input_number(info.source)
   if number then return string.format('input [%d], line %d', number, info.linedefined) end
   return info.short_src .. ':' .. info.linedefined
end

return sources
