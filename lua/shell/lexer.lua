-- Reading Lua source that may be unfinished: where its strings and comments are, which brackets are open, and which
-- names a position belongs to. Nothing is evaluated here.

local find, match = string.find, string.match

local lexer = {}

local closing = { ['('] = ')', ['['] = ']', ['{'] = '}' }

-- Returns the end of a quoted string that begins at `start`, nil if it is not closed.
local function quoted_end(source, start)
   local quote, i = string.sub(source, start, start), start + 1
   while i <= #source do
      local c = string.sub(source, i, i)
      if c == '\\' then
         i = i + 1
      elseif c == quote then
         return i
      elseif c == '\n' then
         return nil
      end
      i = i + 1
   end
end

local function long_end(source, start)
   local level = match(source, '^%[(=*)%[', start)
   if not level then return false end
   local _, finish = find(source, ']' .. level .. ']', start + #level + 2, true)
   return finish
end

-- Tells whether source ends within a string.
function lexer.in_string(source) return lexer.read(source).string ~= nil end

-- Returns a record: `code`, the source with blanks in place of strings and comments; `open`, the positions
-- of the brackets that are not closed, innermost last; and `string` or `comment`, the position at which the
-- unfinished one begins.
function lexer.read(source)
   local pieces, open, kept, i = {}, {}, 1, 1
   local record = { open = open }
   local function blank(from, to)
      table.insert(pieces, string.sub(source, kept, from - 1))
      table.insert(pieces, string.rep(' ', to - from + 1))
      kept = to + 1
   end
   while true do
      i = find(source, '["\'%[%]%(%){}%-]', i)
      if not i then break end
      local c, finish = string.sub(source, i, i), i
      if c == '"' or c == "'" then
         finish = quoted_end(source, i)
         if not finish then
            if not find(source, '\n', i, true) then record.string = i end
            finish = (find(source, '\n', i, true) or #source + 1) - 1
            blank(i + 1, finish)
         else
            blank(i + 1, finish - 1)
         end
      elseif c == '[' and long_end(source, i) ~= false then
         -- Long strings look like others in the code.
         finish = long_end(source, i)
         local first = find(source, '[', i + 1, true)
         if finish then
            blank(i, first - 1)
            table.insert(pieces, '"')
            kept = first + 1
            blank(first + 1, finish - 1)
            table.insert(pieces, '"')
            kept = finish + 1
         else
            record.string, finish = first, #source
            blank(i, first - 1)
            table.insert(pieces, '"')
            kept = first + 1
            blank(first + 1, finish)
         end
      elseif c == '-' then
         if string.sub(source, i, i + 1) == '--' then
            local long = long_end(source, i + 2)
            finish = long or long == nil and #source or (find(source, '\n', i, true) or #source + 1) - 1
            if finish == #source and not long then record.comment = i end
            blank(i, finish)
         end
      elseif closing[c] then
         table.insert(open, i)
      else
         local last = open[#open]
         if last and closing[string.sub(source, last, last)] == c then table.remove(open) end
      end
      i = finish + 1
   end
   table.insert(pieces, string.sub(source, kept))
   record.code = table.concat(pieces)
   return record
end

-- Returns the length of `code`, up to `finish`, without trailing blanks. A pattern would try each blank of a
-- blanked-out string.
local function trimmed(code, finish)
   while finish > 0 and find(code, '^%s', finish) do finish = finish - 1 end
   return finish
end
lexer.trimmed = trimmed

-- Returns the position of the first letter of the word that ends at `finish`; finish + 1 if none does.
local function word_start(code, finish)
   while finish > 0 and find(code, '^[%w_]', finish) do finish = finish - 1 end
   return finish + 1
end
lexer.word_start = word_start

local MAX_LINKS = 100      -- names of a chain; a longer one is not resolved while someone types

-- Returns the names that lead to the end of `code`: `net.modules[2]` gives { 'net', 'modules', 2 }. `source` is the
-- same text with its strings. A first element false stands for a string literal. Nil if resolving the names would
-- require evaluation. Second, the position at which the chain begins.
function lexer.chain(source, code)
   local keys, finish = {}, #code
   while #keys < MAX_LINKS do
      finish = trimmed(code, finish)
      local last = string.sub(code, finish, finish)
      if last == ']' then
         local start = match(string.sub(code, 1, finish), '()%b[]$')
         if not start then return nil end
         local inside = string.sub(source, start + 1, finish - 1)
         local text = match(inside, '^%s*"([^"\\]*)"%s*$') or match(inside, "^%s*'([^'\\]*)'%s*$")
         local key = text or tonumber(inside)
         if not key then return nil end
         table.insert(keys, 1, key)
         finish = start - 1
      elseif last == '"' or last == "'" then
         table.insert(keys, 1, false)
         return keys, finish
      elseif last == ')' then
         if not find(string.sub(code, 1, finish), '%(%s*(["\']) *%1%s*%)$') then return nil end
         table.insert(keys, 1, false)
         return keys, finish
      else
         local start = word_start(code, finish)
         if start > finish or find(code, '^%d', start) then return nil end
         table.insert(keys, 1, string.sub(code, start, finish))
         finish = start - 1
         local before = trimmed(code, finish)
         local separator = string.byte(code, before)
         local is_field = separator == 46 or separator == 58
         if not is_field or string.sub(code, before - 1, before) == '..' then return keys, finish + 1 end
         finish = before - 1
      end
   end
end

-- Returns the names before the field or method `name` in a line, as lexer.chain does; nil if there are none.
function lexer.chain_before(line, name)
   local code = line and lexer.read(line).code
   local position = code and match(code, '()[.:]%s*' .. name .. '%f[^%w_]')
   return position and lexer.chain(string.sub(line, 1, position - 1), string.sub(code, 1, position - 1))
end

return lexer
