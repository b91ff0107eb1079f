-- The source of functions: of files, and of the inputs of the prompt, which all have the same chunk name.

local getinfo, getlocal = debug.getinfo, debug.getlocal
local dump, find, gmatch, match, sub = string.dump, string.find, string.gmatch, string.match, string.sub
local concat, insert, max = table.concat, table.insert, math.max
local io, loadstring, pcall, setmetatable = io, loadstring, pcall, setmetatable

local sources = {}

local MOST = 500      -- inputs in which functions are looked for

local inputs = {}     -- texts of inputs, the last one last
local dumps = setmetatable({}, { __mode = 'k' })
local files = {}      -- name -> lines of the file

-- Remembers an input of the prompt. Files may have changed since the last one.
function sources.remember(text)
   insert(inputs, { text = text })
   files = {}
end

-- The inputs that are remembered, as one text each.
function sources.inputs()
   local texts = {}
   for i = 1, #inputs do texts[i] = inputs[i].text end
   return texts
end

-- The lines of a text.
function sources.split(text)
   local lines = {}
   for line in gmatch(text .. '\n', '(.-)\r?\n') do insert(lines, line) end
   return lines
end

-- The bytecode of a function without the header, in which the names of chunks are.
local function body_of(f)
   local ok, code = pcall(dump, f)
   if not ok then return nil end
   return sub(code, 7 + code:byte(6), -2)
end

local function dump_of(input)
   if not dumps[input] then
      local chunk = loadstring('return (...)(' .. input.text .. '\n)', '=stdin')
         or loadstring(' ' .. input.text .. '\n', '=stdin')
      dumps[input] = chunk and dump(chunk) or ''
   end
   return dumps[input]
end

-- The number of the input in which a function stands. All are compiled again, since nothing else tells two apart.
local function input_of(f)
   local body = body_of(f)
   if not body then return nil end
   for i = #inputs, max(1, #inputs - MOST + 1), -1 do
      if find(dump_of(inputs[i]), body, 1, true) then return i end
   end
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

-- The lines of the chunk that a function belongs to, nil when they are not known; `current` is what runs now.
function sources.lines(f, current)
   local info = getinfo(f, 'S')
   if info.source == '=stdin' then
      if info.what == 'main' then return current and sources.split(current) end
      local number = input_of(f)
      return number and sources.split(inputs[number].text) or nil
   end
   local name = match(info.source, '^@(.*)')
   if name then return file_lines(name) end
   if not find(info.source, '^=') then return sources.split(info.source) end
end

-- The lines of a function, first the number of the first one.
function sources.of(f)
   local info = getinfo(f, 'S')
   local lines = info.what ~= 'C' and sources.lines(f)
   if not lines or not lines[info.linedefined] then return nil end
   return concat(lines, '\n', info.linedefined, info.lastlinedefined)
end

-- Adds the comments at the end of lines[1..last] to the front of a list; true if these are all comments.
local function add_comments(found, lines, last)
   for i = last, 1, -1 do
      local text = match(lines[i], '^%s*%-%-%-?%s?(.*)$')
      if not text then return false end
      insert(found, 1, text)
   end
   return true
end

local function is_comment(lines)
   return add_comments({}, lines, #lines)
end

-- The comment above a function, without its dashes; nil where there is none. At the prompt it may be an input of its
-- own.
function sources.comment(f)
   local info = getinfo(f, 'S')
   local lines = info.what ~= 'C' and sources.lines(f)
   if not lines then return nil end
   local found = {}
   local all = add_comments(found, lines, info.linedefined - 1)
   local above = all and info.source == '=stdin' and input_of(f) - 1 or 0
   while above > 0 do
      local other = sources.split(inputs[above].text)
      if not is_comment(other) then break end
      add_comments(found, other, #other)
      above = above - 1
   end
   return #found > 0 and concat(found, '\n') or nil
end

-- The names of a function's parameters, '...' included.
function sources.parameters(f)
   local info = getinfo(f, 'u')
   local list = {}
   for i = 1, info.nparams or 0 do insert(list, (getlocal(f, i))) end
   if info.isvararg then insert(list, '...') end
   return list
end

-- Where a function was defined: 'file.lua:3', 'the prompt' or 'C'.
function sources.place(f)
   local info = getinfo(f, 'S')
   if info.what == 'C' then return 'C' end
   if info.source == '=stdin' then return 'the prompt' end
   return info.short_src .. ':' .. info.linedefined
end

return sources
