-- The tokens of Lua source.

local byte, find, match, sub = string.byte, string.find, string.match, string.sub

local tokens = {}

-- Returns the end of a quoted string that begins at i; the end of its line if it is not closed.
local function quoted_end(source, i)
   local quote, pattern = byte(source, i), byte(source, i) == 34 and '["\\\n]' or "['\\\n]"
   local at = i + 1
   while true do
      at = find(source, pattern, at)
      if not at then return #source end
      local c = byte(source, at)
      if c == quote or c == 10 then return at end
      -- The escape \z skips white space, line ends included.
      local _, white = find(source, '^z%s*', at + 1)
      at = white and white + 1 or find(source, '^\r\n', at + 1) and at + 3 or at + 2
   end
end

-- Returns the end of the token at i, a quote, square bracket or minus sign: a string, a comment, or the sign alone.
function tokens.skip(source, i)
   local c = byte(source, i)
   if c == 34 or c == 39 then return quoted_end(source, i) end
   local at = i
   if c == 45 then
      if byte(source, i + 1) ~= 45 then return i end
      at = i + 2
   end
   local level = match(source, '^%[(=*)%[', at)
   if level then
      local _, finish = find(source, ']' .. level .. ']', at + #level + 2, true)
      return finish or #source
   end
   if c == 45 then return (find(source, '\n', at, true) or #source + 1) - 1 end
   return i
end

-- Returns the end of a number at i. Its exponent may have a sign.
local function number_end(source, i)
   local exponent = find(source, '^0[xX]', i) and '^[pP][+-]' or '^[eE][+-]'
   while true do
      local _, finish = find(source, '^[%w_.]*', i)
      if not find(source, exponent, finish) then return finish end
      i = finish + 2
   end
end

-- Keywords. LuaJIT accepts `goto` as a name as well.
tokens.KEYWORDS = { ['goto'] = 'name' }
for word in string.gmatch([[and break do else elseif end false for function if in local nil not or repeat return then
   true until while]], '%a+') do
   tokens.KEYWORDS[word] = word
end

-- Returns an iterator: kind, first and last index. A kind is 'name', 'string', 'number', a keyword, a sign, or 'end of
-- source'.
function tokens.reader(source)
   local i = find(source, '^\239?\187?\191?#') and (find(source, '\n', 1, true) or #source) or 1
   return function()
      while true do
         i = find(source, '%S', i)
         if not i then
            i = #source + 1
            return 'end of source', i, i
         end
         if sub(source, i, i + 1) ~= '--' then break end
         i = tokens.skip(source, i) + 1
      end
      local start, kind = i, sub(source, i, i)
      local finish
      if find(kind, '[%a_\128-\255]') then
         local word
         word, finish = match(source, '^([%w_\128-\255]+)()', i)
         kind, finish = tokens.KEYWORDS[word] or 'name', finish - 1
      elseif find(source, '^%.?%d', i) then
         kind, finish = 'number', number_end(source, i)
      elseif kind == '"' or kind == "'" or find(source, '^%[=*%[', i) then
         kind, finish = 'string', tokens.skip(source, i)
      else
         kind = match(source, '^%.%.%.', i) or match(source, '^[=~<>]=', i) or match(source, '^%.%.', i)
            or match(source, '^::', i) or kind
         finish = i + #kind - 1
      end
      i = finish + 1
      return kind, start, finish
   end
end

return tokens
