-- pl.pretty: tables as text that Lua reads, and back.

local key_order, lexer, stringx = require 'torch.base.key_order', require 'pl.lexer', require 'pl.stringx'
local loadstring, reserved = require('torch.language.compile').load, require('torch.language.tokens').KEYWORDS
local open = io.open
local floor, globals = math.floor, _G

local pretty = {}

local function shown(value)
   if type(value) == 'string' then return stringx.quote_string(value) end
   local text = tostring(value)
   return string.find(text, ' ', 1, true) and stringx.quote_string(text) or text
end

-- A key in brackets.
local function in_brackets(key)
   if type(key) == 'number' then return '[' .. tostring(key) .. ']' end
   local text = stringx.quote_string(tostring(key))
   return string.find(text, '^%[') and '[ ' .. text .. ' ]' or '[' .. text .. ']'
end

local function key_text(key)
   key = type(key) == 'number' and key or tostring(key)
   if type(key) == 'string' and string.match(key, '^[%a_][%w_]*$') and not reserved[key] then return key end
   return in_brackets(key)
end

-- Writes a table as text, each level indented by `space`, in one line if that is empty. With not_clever all keys
-- stand in brackets.
function pretty.write(t, space, not_clever)
   if type(t) ~= 'table' then
      if type(t) == 'string' then return shown(t) end
      return tostring(t), 'not a table'
   end
   space = space or '  '
   local equals = space == '' and '=' or ' = '
   local lines, open_tables = {}, {}
   local function write(head, value, indent, ending)
      if type(value) ~= 'table' or open_tables[value] then
         lines[#lines + 1] = head .. (type(value) == 'table' and '<cycle>' or shown(value)) .. ending
         return
      end
      open_tables[value] = true
      lines[#lines + 1] = head .. '{'
      local inner = indent .. space
      local function entry(key_head, item) write(inner .. key_head, item, inner, ',') end
      local count = 0
      if not not_clever then
         for i, item in ipairs(value) do
            count = i
            entry('', item)
         end
      end
      for key, item in key_order.pairs(value) do
         if not_clever then
            entry(in_brackets(key) .. equals, item)
         elseif type(key) ~= 'number' or key < 1 or key > count or floor(key) ~= key then
            entry(key_text(key) .. equals, item)
         end
      end
      open_tables[value] = nil
      lines[#lines] = string.gsub(lines[#lines], ',$', '')
      lines[#lines + 1] = indent .. '}' .. ending
   end
   write('', t, '', '')
   return table.concat(lines, space == '' and '' or '\n')
end

-- Writes a table to a file, by default to the standard output.
function pretty.dump(t, name)
   local text = pretty.write(t)
   if not name then
      globals.print(text)
      return true
   end
   local file, message = open(name, 'w')
   if not file then return nil, message end
   file:write(text)
   file:close()
   return true
end

-- Keywords of expressions without functions.
local PLAIN = { ['and'] = true, ['or'] = true, ['not'] = true, ['nil'] = true, ['true'] = true, ['false'] = true }

-- Returns the table that a text describes; nil and a message for other text. No global can be called in it.
function pretty.read(text)
   if string.find(text, '^%s*%-%-') then text = string.gsub(text, '%-%-.-\n', '', 1) end
   if not string.match(text, '^%s*{') then return nil, 'a table begins with {' end
   for kind, word in lexer.lua(text) do
      if kind == 'keyword' and not PLAIN[word] then
         return nil, string.format('cannot have %s in table definition', word == 'function' and 'functions' or word)
      end
   end
   local f, message = loadstring('return ' .. text, '=table')
   if not f then return nil, message end
   setfenv(f, { math = { huge = math.huge } })
   local ok, value = pcall(f)
   if not ok then return nil, value end
   return value
end

-- Runs a text as a program of assignments and returns the table of its globals.
function pretty.load(text, environment)
   environment = environment or {}
   local f, message = loadstring(text, '=load')
   if not f then return nil, message end
   setfenv(f, environment)
   local ok, why = pcall(f)
   if not ok then return nil, why end
   return environment
end

-- Writes a number with a unit: 'M' of memory, 'N' a count in thousands, 'T' with separators.
function pretty.number(n, kind, digits)
   if kind == 'T' then
      local text = tostring(n)
      local head, tail = string.match(text, '^(%-?%d+)(.*)$')
      repeat
         local changed
         head, changed = string.gsub(head, '^(%-?%d+)(%d%d%d)', '%1,%2')
      until changed == 0
      return head .. tail
   end
   local step, units = 1000, { '', 'K', 'M', 'B' }
   if kind == 'M' then step, units = 1024, { 'B', 'KiB', 'MiB', 'GiB' } end
   local unit = 1
   while n >= step and unit < #units do n, unit = n / step, unit + 1 end
   if unit == 1 then return tostring(n) .. (kind == 'M' and units[1] or '') end
   return string.format('%.' .. (digits or 1) .. 'f%s', n, units[unit])
end

return pretty
