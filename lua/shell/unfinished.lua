-- Unfinished source to which the lines of a pipe or a paste are added. Compiling all of it for each line would take a
-- time that is quadratic in their number. A short equivalent is compiled instead, in which statements of blocks and
-- fields of tables that are whole are left out. What is finished or wrong in it is left to a check of the whole source.
--
-- The equivalent is a list of `parts`. LuaJIT's messages say where each begins: between two statements of a block, or
-- between two fields of a table. `rest` are lines after them that end elsewhere.

local find, gsub = string.find, string.gsub
local concat = table.concat
local check = require('shell.evaluate').check
local load = require('torch.language.compile').load

local unfinished = {}

local NAME = '=unfinished'
local MAX_TRIED = 50          -- parts that a line may end together
local MAX_OF_BRANCH = 3       -- parts that a branch of a condition may have

local parts, places = {}, {}      -- and where each part begins: 'block', 'table', or nil if that is unknown
local rest, place, in_string      -- `place` is where the rest begins

-- Starts with an input that is unfinished. Returns true.
function unfinished.begin(source)
   parts, places, rest, place, in_string = {}, {}, gsub(source, '^(%s*)#!', '%1--') .. '\n', nil, nil
   return true
end

-- Returns what may follow unfinished source with this message: 'block' or 'table'; nil in an expression or a string.
local function place_after(source, message)
   if find(message, "'end' expected", 1, true) or find(message, "'until' expected", 1, true) then return 'block' end
   local field = source .. '[1]=1'
   local _, after = load(field, NAME)
   -- An expression, such as the arguments of `return` or of a call, may come without a statement.
   if after and not find(after, "'}' expected.*near '<eof>'$") then _, after = load('return ' .. field, NAME) end
   return after and find(after, "'}' expected.*near '<eof>'$") and 'table'
end

-- Tells whether lines are statements of a block, in which `last` may follow.
local function are_statements(lines, last)
   return load('return function(...) repeat ' .. lines .. last .. ' until 1 end', NAME) ~= nil
end

-- Tells whether lines are whole statements or fields, after which others may follow in any place of that kind.
local function is_whole(lines, kind)
   if kind == 'table' then return load('return function(...) return {' .. lines .. '[1]=1} end', NAME) ~= nil end
   return are_statements(lines, ' local _')
      and (not find(lines, 'break', 1, true) or load('return function(...) ' .. lines .. ' end', NAME) ~= nil)
end

local function has_code(lines)
   return load('return 1 ' .. lines, NAME) == nil
end

local function add(lines, began)
   local at = #parts + 1
   parts[at], places[at] = lines, began
end

local function drop_from(at)
   for i = at, #parts do parts[i], places[i] = nil, nil end
end

-- Replaces the last parts and the lines after them if they are whole together; returns whether they were. The last
-- statement of a block is kept, since the next line may go on with it.
local function reduce(lines, kind)
   local count = #parts
   for at = count + 1, math.max(1, count - MAX_TRIED), -1 do
      local began = at > count and place or places[at]
      if at <= count then lines = parts[at] .. lines end
      if began == kind and is_whole(lines, kind) then
         drop_from(at)
         if kind == 'table' or not has_code(lines) then return true end
         if parts[at - 1] and places[at - 1] == kind and is_whole(parts[at - 1], kind) then drop_from(at - 1) end
         add(lines, kind)
         return true
      end
   end
   return false
end

local function begins_branch(lines)
   return find(lines, '^%s*elseif%f[%s(]')
end

-- Drops a branch of a condition before another one, which is like it.
local function drop_branch()
   for at = #parts, math.max(2, #parts - MAX_OF_BRANCH), -1 do
      if begins_branch(parts[at]) then
         if are_statements(concat(parts, '', at + 1), '') then drop_from(at) end
         return
      end
   end
end

-- Tells whether the input is still unfinished after further lines; false also if that is unknown.
function unfinished.continues(lines)
   -- Such lines end neither a long string nor a long comment.
   if in_string and not find(lines, ']', 1, true) then return true end
   lines = rest .. lines .. '\n'
   local source = concat(parts) .. lines
   local checked = check(source, NAME, true)
   if checked.status ~= 'incomplete' then return false end
   in_string = find(checked.message, 'unfinished long', 1, true) ~= nil
   local kind = not in_string and place_after(source, checked.message) or nil
   if not kind then
      rest = lines
      return true
   end
   rest = ''
   if not reduce(lines, kind) then
      if begins_branch(lines) then drop_branch() end
      add(lines, place)
   end
   place = kind
   return true
end

return unfinished
