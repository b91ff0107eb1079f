-- pl.pretty: tables as text that Lua reads, and back.

local lexer = require 'pl.lexer'
local loadstring, reserved = require('torch.language.compile').load, require('torch.language.tokens').KEYWORDS
local open = io.open
local floor, globals = math.floor, _G

local pretty = {}

local function quoted(text) return (string.gsub(string.format('%q', text), '\\\n', '\\n')) end

local function shown(value)
   if type(value) == 'string' then return quoted(value) end
   if value == math.huge then return 'math.huge' elseif value == -math.huge then return '-math.huge' end
   if type(value) == 'number' and floor(value) ~= value then return string.format('%.16g', value) end
   return tostring(value)
end

local function key_text(key)
   if type(key) == 'string' and string.match(key, '^[%a_][%w_]*$') and not reserved[key] then return key end
   return '[' .. shown(key) .. ']'
end

local function in_order(t)
   local keys = {}
   for key in pairs(t) do
      if not (type(key) == 'number' and key >= 1 and key <= #t and floor(key) == key) then keys[#keys + 1] = key end
   end
   table.sort(keys, function(a, b)
      if type(a) == type(b) and (type(a) == 'number' or type(a) == 'string') then return a < b end
      return tostring(a) < tostring(b)
   end)
   return keys
end

-- Writes a table as text, each level indented by `space`, in one line if that is empty. With not_clever all keys that
-- are strings stand in brackets.
function pretty.write(t, space, not_clever)
   if type(t) ~= 'table' then return shown(t), 'not a table' end
   space = space or '  '
   local newline = space == '' and '' or '\n'
   local out, open_tables = {}, {}
   local function write(value, indent)
      if type(value) ~= 'table' then
         out[#out + 1] = shown(value)
         return
      end
      if open_tables[value] then
         out[#out + 1] = '<cycle>'
         return
      end
      open_tables[value] = true
      out[#out + 1] = '{' .. newline
      local inner = indent .. space
      local first = true
      local function entry(head, item)
         if not first then out[#out + 1] = ',' .. newline end
         first = false
         out[#out + 1] = inner .. head
         write(item, inner)
      end
      for i = 1, #value do entry('', value[i]) end
      for _, key in pairs(in_order(value)) do
         entry((not_clever and '[' .. shown(key) .. ']' or key_text(key)) .. (space == '' and '=' or ' = '), value[key])
      end
      out[#out + 1] = newline .. indent .. '}'
      open_tables[value] = nil
   end
   write(t, '')
   return table.concat(out)
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
