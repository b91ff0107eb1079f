-- pl.lexer: the tokens of texts: numbers, strings, names, spaces and signs; of Lua and of C also keywords and comments.
-- lexer.scan(s), lexer.lua(s) and lexer.cpp(s) give an iterator over types and values of tokens.

local word_set = require 'torch.base.word_set'

local lexer = {}

local LUA = word_set [[and break do else elseif end false for function if in local nil not or repeat return then true
   until while]]
local CPP = word_set [[class break do sizeof else continue struct false for public void private protected goto if static
   const typedef enum char int bool long float true delete double while new namespace try catch switch case extern
   return default unsigned signed union volatile register short]]

-- The types and values of tokens; `options` tell whether numbers are converted and strings lose their quotes.
local function sign(token) return token, token end
local function space(token) return 'space', token end
local function comment(token) return 'comment', token end
local function directive(token) return 'prepro', token end
local function name(token) return 'iden', token end
local function number(token, options) return 'number', options.number and tonumber(token) or token end
local function quoted(kind)
   return function(token, options) return kind, options.string and string.sub(token, 2, -2) or token end
end
local function long_string(token, options)
   if not options.string then return 'string', token end
   local equals, inner = string.match(token, '^%[(=*)%[(.*)$')
   return 'string', (string.gsub(string.sub(inner, 1, -#equals - 3), '^\n', ''))
end
local function word_of(keywords)
   return function(token) return keywords[token] and 'keyword' or 'iden', token end
end

-- Lists of { pattern, action }: the first pattern that matches counts.
local function numbers(signs)
   local list = { '%d+%.?%d*[eE][%+%-]?%d+', '%d*%.%d+[eE][%+%-]?%d+', '%d+%.?%d*', '%d*%.%d+' }
   for i, pattern in ipairs(list) do list[i] = { '^' .. signs .. pattern, number } end
   return list
end

local string_of = quoted 'string'
local STRINGS = { { [[^(['"])%1]], string_of }, { [[^(['"])(\*)%2%1]], string_of },
   { [[^(['"]).-[^\](\*)%2%1]], string_of } }

local function rules(...)
   local list = {}
   for _, part in ipairs { ... } do
      for _, rule in ipairs(part) do list[#list + 1] = rule end
   end
   return list
end

local function signs(text)
   local list = {}
   for word in string.gmatch(text, '%S+') do list[#list + 1] = { '^' .. string.gsub(word, '%p', '%%%0'), sign } end
   return list
end

local FIRST, REST = { { '^%s+', space }, { '^0x[%da-fA-F]+', number } }, { { '^.', sign } }
local character = quoted 'char'

local PLAIN = rules(FIRST, { { '^[%a_][%w_]*', name } }, numbers '[%+%-]?', STRINGS, REST)
local OF_LUA = rules(FIRST, { { '^[%a_][%w_]*', word_of(LUA) } }, numbers '', STRINGS, {
   { '^%-%-%[(=*)%[.-%]%1%]', comment }, { '^%-%-.-\n', comment }, { '^%[(=*)%[.-%]%1%]', long_string },
}, signs '== ~= <= >= ... ..', REST)
local OF_CPP = rules({ FIRST[1], { '^#.-[^\\]\n', directive }, FIRST[2], { '^[%a_][%w_]*', word_of(CPP) } }, numbers '',
   { { "^''", character }, { [[^'(\*)%1']], character }, { [[^'.-[^\](\*)%1']], character } }, STRINGS,
   { { '^//.-\n', comment }, { '^/%*.-%*/', comment } },
   signs '== != <= >= -> && || ++ -- += -= *= /= |= ^= ::', REST)

-- Iterates over the tokens of a text, or of a file with a method `read` for lines. `matches` are rules as above;
-- `filter` has the types that are left out, spaces by default; the options number and string are true by default. The
-- iterator also takes a pattern, whose match it skips to and gives, a list of tokens, which come next, or a number:
-- then it gives the line and the position.
function lexer.scan(text, matches, filter, options)
   local file = type(text) ~= 'string' and text or nil
   matches, filter = matches or PLAIN, filter or { space = true }
   options = options or { number = true, string = true }
   local left_out = { [space] = filter.space, [comment] = filter.comments }
   for key, value in pairs(filter) do
      if type(key) == 'function' then left_out[key] = value end
   end
   local line, at, following, inserted = 0, 1, nil, nil
   if file then text, following = '', file:read() end

   -- Reads the next line of a file; false at the end.
   local function more()
      if not file or not following then return false end
      text, line, at = following, line + 1, 1
      following = file:read()
      if following then text = text .. '\n' end
      return true
   end

   local function ask(what)
      if type(what) == 'string' then
         local first, last = string.find(text, what, at)
         at = last and last + 1 or #text + 1
         return '', first and string.sub(text, first, last) or ''
      elseif type(what) == 'table' then
         inserted = { list = what, at = 1 }
         return '', ''
      end
      return line, at
   end

   -- The next token at the position, with its type; no type for one that is left out.
   local function token_here()
      for _, rule in ipairs(matches) do
         local found = { string.find(text, rule[1], at) }
         local first, last = found[1], found[2]
         if first then
            local token = string.sub(text, first, last)
            at = last + 1
            if not file then
               local _, breaks = string.gsub(token, '\n', '')
               line = line + breaks
            end
            if left_out[rule[2]] then return true end
            lexer.finished = at > #text
            return true, rule[2](token, options, found)
         end
      end
      return false
   end

   return function(what)
      if inserted then
         local token = inserted.list[inserted.at]
         inserted.at = inserted.at + 1
         if token then return token[1], token[2] end
         inserted = nil
      end
      if what ~= nil then return ask(what) end
      if not file and line == 0 then line = 1 end
      while true do
         if at > #text and not more() then return nil end
         local found, kind, value = token_here()
         if not found then return nil end
         if kind then return kind, value end
      end
   end
end

function lexer.lua(text, filter, options)
   return lexer.scan(text, OF_LUA, filter or { space = true, comments = true }, options)
end

function lexer.cpp(text, filter, options)
   return lexer.scan(text, OF_CPP, filter or { space = true, comments = true }, options)
end

function lexer.get_keywords() return LUA end

-- Inserts tokens: one with a type and a value, those of a list, or those of an iterator.
function lexer.insert(tokens, a, b)
   if not a then return end
   local list = a
   if type(a) == 'string' then
      list = { { a, b } }
   elseif type(a) == 'function' then
      list = {}
      for kind, value in a() do list[#list + 1] = { kind, value } end
   end
   tokens(list)
end

-- The text up to the end of the line; the number of the line and the position; and the rest of the text.
function lexer.getline(tokens)
   local _, text = tokens '.-\n'
   return text
end

function lexer.lineno(tokens) return tokens(0) end

function lexer.getrest(tokens)
   local _, text = tokens '.+'
   return text
end

-- Lists of tokens between separators, by default ',', up to a last token, by default ')', outside of parentheses; and
-- that token. nil and 'EOS' where the text ends before.
function lexer.get_separated_list(tokens, last, separator)
   last, separator = last or ')', separator or ','
   local lists, list, level = {}, {}, 1
   while true do
      local kind, value = tokens()
      if not kind then return nil, 'EOS' end
      local ends = last == '\n' and kind == 'space' and string.find(value, '\n') or kind == last
      if ends and level == 1 then
         lists[#lists + 1] = list
         return lists, { kind, value }
      elseif kind == ')' and level == 1 then
         lists[#lists + 1] = list
         return lists, { kind, value }
      elseif kind == separator and level == 1 then
         lists[#lists + 1] = list
         list = {}
      else
         if kind == '(' then level = level + 1 elseif kind == ')' then level = level - 1 end
         list[#list + 1] = { kind, value or kind }
      end
   end
end

-- The next token that is not a space.
function lexer.skipws(tokens)
   local kind, value
   repeat kind, value = tokens() until kind ~= 'space'
   return kind, value
end

-- The value of the next token, which must be of a type.
function lexer.expecting(tokens, expected, with_spaces)
   local kind, value = (with_spaces and tokens or function() return lexer.skipws(tokens) end)()
   if kind ~= expected then error('expecting ' .. expected, 2) end
   return value
end

return lexer
