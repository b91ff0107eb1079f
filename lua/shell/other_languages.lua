-- Hints for the syntax of Python, C, JavaScript or the shell: operators and words that have other names in Lua.

local find, format, gmatch, match, sub = string.find, string.format, string.gmatch, string.match, string.sub

local other_languages = {}

-- Patterns in lines that do not compile, and Lua's equivalent. `%s` is the first capture. Lines with the third pattern
-- are something else. A line with one of `block` begins a block of Python, which Lua could still complete.
local OPERATORS = {
   { '[=(]%s*%[', 'Lua writes a list as {1, 2, 3}' },
   { '[%w_%])]%[[^%[%]{}]*:', 'Lua writes x[{ {first, last} }]' },
   { '[%w_%])]%[[^%[%]{}]*,', 'Lua writes x[{1, 2}]' },
   { '%sin%s+range%s*%(', 'Lua writes `for i = 1, n do ... end`' },
   { '^%s*for%f[^%w_].*:%f[%s%z]', 'Lua writes `for i, v in ipairs(t) do ... end`', '%f[%w_]do%f[^%w_]', block = true },
   { '!=', 'Lua writes ~=' },
   { '([%a_][%w_.%[%]]*)%s*%.%.=', 'Lua writes %s = %s .. value' },
   { '([%a_][%w_.%[%]]*)%s*%+=', 'Lua writes %s = %s + value' },
   { '([%a_][%w_.%[%]]*)%s*%-=', 'Lua writes %s = %s - value' },
   { '([%a_][%w_.%[%]]*)%s*%*=', 'Lua writes %s = %s * value' },
   { '([%a_][%w_.%[%]]*)%s*/=', 'Lua writes %s = %s / value' },
   { '([%a_][%w_.%[%]]*)%s*%+%+', 'Lua writes %s = %s + 1' },
   { '&&', 'Lua writes `and`' },
   { '||', 'Lua writes `or`' },
   { '%*%*', 'Lua writes x ^ y' },
   { '%f[%w_]elif%f[^%w_]', 'Lua writes `elseif`' },
   { '^%s*//', 'comments begin with --' },
   { '[%w_%])]%s*//', 'Lua writes math.floor(x / y)' },
   { '^%s*class%s+([%a_][%w_]*)', "Torch writes %s = torch.class('%s')" },
   { '=.*%f[%w_]if%f[^%w_].*%f[%w_]else%f[^%w_]', 'Lua writes x = condition and 3 or 4', '%f[%w_]then%f[^%w_]' },
   { '^%s*if%f[^%w_].*:%f[%s%z]', 'Lua writes `if x then ... end`', '%f[%w_]then%f[^%w_]', block = true },
   { '^%s*while%f[^%w_].*:%f[%s%z]', 'Lua writes `while x do ... end`', '%f[%w_]do%f[^%w_]', block = true },
   { '^%s*try%s*:%s*$', 'Lua writes pcall(function() ... end)', block = true },
   { '^%s*del%s+([%a_][%w_.]*)', 'Lua writes %s = nil' },
   { '^%s*assert%s+%f[%w_]', 'Lua writes assert(x)' },
   { '^%s*raise%s+%f[%w_]', "Lua writes error('message')" },
   { '^%s*let%s+([%a_][%w_]*)', 'Lua writes local %s = value' },
   { '^%s*const%s+([%a_][%w_]*)', 'Lua writes local %s = value' },
   { '^%s*var%s+([%a_][%w_]*)', 'Lua writes local %s = value' },
   { '^%s*int%s+([%a_][%w_]*)', 'Lua writes local %s = value' },
   { '^%s*float%s+([%a_][%w_]*)', 'Lua writes local %s = value' },
   { '^%s*global%s+([%a_][%w_]*)', 'names are global unless they are declared `local`' },
   { '{%s*["\'][^"\']*["\']%s*:', 'Lua writes a table as {name = value}' },
   { '[(=]%s*%([^()]*,[^()]*%)', 'Lua writes a list as {1, 2, 3}' },
   { '[%w_%])]%s*@%s*[%w_(]', 'Torch writes the product of matrices as x * y' },
   { '[^?]+%?[^?:]+:', 'Lua writes condition and 3 or 4' },
   { '%f[%w_]is%s+None%f[^%w_]', 'Lua writes x == nil' },
   { '%f[%w_]is%s+not%s+None%f[^%w_]', 'Lua writes x ~= nil' },
   { '%f[%w_][fF]["\']', "Lua writes string.format('%%s', x)" },
   { '^%s*#', 'comments begin with --' },
   { '^%s*def%s', 'Lua writes `function name(x) ... end`' },
   { '%f[%w_]lambda%f[^%w_]', 'Lua writes `function(x) return ... end`' },
   { '^%s*print%s+[%a_]', 'Lua writes print(x)' },
   { '^%s*help%s+([%a_][%w_.:]*)', '?%s shows help' },
   { '^%s*import%s+([%a_][%w_]*)', "Lua writes %s = require '%s'" },
   { '^%s*from%s+([%a_][%w_]*)%s+import', "Lua writes %s = require '%s'" },
   { '===', 'Lua writes ==' },
   { '[%w_%])]%s*<<%s*[%w_(]', 'LuaJIT writes bit.lshift(x, n)' },
   { '[%w_%])]%s*>>%s*[%w_(]', 'LuaJIT writes bit.rshift(x, n)' },
   { '[%w_%])]%s*&%s*[%w_(]', 'LuaJIT writes bit.band(x, y)' },
   { '[%w_%])]%s*|%s*[%w_(]', 'LuaJIT writes bit.bor(x, y)' },
   { '^%s*%[', 'Lua writes a list as {1, 2, 3}' },
   { '!', 'Lua writes `not`' },
   { '^%s*t7%s+help%s', '?words shows help' },
}

-- Characters of word processors and web pages, which Lua takes for letters of names.
local TYPOGRAPHY = {
   { '\226\128[\152-\159]', 'strings are written between " and ", not between typographic quotation marks' },
   { '\226\128[\144-\149]', 'the minus sign of Lua is -, not a dash' },
   { '\226\136\146', 'the minus sign of Lua is -, not \226\136\146' },
   { '\194\160', 'a no-break space is part of a name; write a space' },
}

local NAMES = {
   null = 'nil', NULL = 'nil', None = 'nil', undefined = 'nil', True = 'true', False = 'false',
   len = '#x', elif = 'elseif', str = 'tostring(x)', int = 'math.floor(x)', float = 'tonumber(x)',
   range = '`for i = 1, n do ... end`', enumerate = '`for i, v in ipairs(t) do ... end`', abs = 'math.abs(x)',
   max = 'math.max(x, y)', min = 'math.min(x, y)', open = 'io.open(path)', input = 'io.read()',
   isinstance = 'torch.isTypeOf(x, class)', console = 'print(x)',
}

local COMMANDS = {}

-- Commands of the system that are typed at the prompt.
for command in string.gmatch('apt cat cd clear git ls luarocks man pip pip3 pwd python python3 t7', '%S+') do
   OPERATORS[#OPERATORS + 1] = { '^%s*' .. command .. '%s+[%w_./~-]', '`$ ' .. command .. ' ...` runs a command' }
   COMMANDS[command] = '`$ ' .. command .. '` runs the command'
end

-- The hint for code without its strings and comments in which characters look like others; nil if there is none.
function other_languages.typography(code)
   for _, row in ipairs(TYPOGRAPHY) do
      if find(code, row[1]) then return row[2] end
   end
end

local MAX_BYTES = 1000      -- of a line that is looked at: unanchored patterns are slow on long ones

-- The hint for a line of code without its strings and comments, nil if there is none.
function other_languages.of_code(code)
   if #code > MAX_BYTES then return nil end
   local typography = other_languages.typography(code)
   if typography then return typography end
   for _, row in ipairs(OPERATORS) do
      if find(code, row[1]) and not (row[3] and find(code, row[3])) then
         local name = match(code, row[1])
         return format(row[2], name, name)
      end
   end
end

-- The beginning of unfinished source, up to the first line that begins a block of Python; nil if there is none.
function other_languages.up_to_block(source)
   -- Such a line has a colon.
   if not find(source, ':', 1, true) then return nil end
   for line, finish in gmatch(require('shell.lexer').read(source).code, '([^\n]*)()') do
      for _, row in ipairs(find(line, ':', 1, true) and OPERATORS or {}) do
         if row.block and find(line, row[1]) and not (row[3] and find(line, row[3])) then
            return sub(source, 1, finish - 1)
         end
      end
   end
end

-- What tensors have for operators that they do not have, by the words of errors.
local METHODS = {
   ['less%-than'] = 'x:lt(y) and x:gt(y) compare elements',
   ['less%-than%-or%-equal'] = 'x:le(y) and x:ge(y) compare elements',
   concat = 'tostring(x) is the text of a tensor, torch.cat(x, y) joins two',
}

-- The hint for an error that is not about a name, in a line of code if that is known; nil if there is none.
function other_languages.of_message(message, code)
   for operator, text in pairs(METHODS) do
      if find(message, 'torch%.%a+Tensor.* have no ' .. operator .. ' operator') then return text end
   end
   if not find(message, 'perform arithmetic on .*a string value') then return nil end
   return code and find(code, '["\']%s*%%') and "Lua writes string.format('%d', x)" or 'Lua joins strings by a .. b'
end

-- The hint for a variable without a value, in a line of code if that is known; nil if there is none.
function other_languages.of_name(name, kind, code)
   if (name == 'f' or name == 'F') and code and find(code, '%f[%w_]' .. name .. '["\']') then
      return "Lua writes string.format('%s', x)"
   end
   if name == 'self' then
      return kind == 'global' and '`self` is there in functions that are defined with a colon: function C:name()'
         or 'methods are called with a colon: object:name()'
   end
   if kind == 'global' and code and find(code, '^%s*#%s') then return 'comments begin with --' end
   return NAMES[name] and format('Lua writes %s', NAMES[name]) or COMMANDS[name]
end

return other_languages
