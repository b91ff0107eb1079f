-- pl.text: paragraphs, templates and formatting by the operator %.

local errors, utils = require 'torch.base.errors', require 'pl.utils'

local text = {}

local function lines_of(s) return require 'pl.List'(utils.split(s, '\n', true)) end

-- Puts n characters, by default spaces, before each line.
function text.indent(s, n, character)
   utils.assert_string(1, s)
   utils.assert_arg(2, n, 'number')
   local margin = string.rep(character or ' ', n)
   return margin .. lines_of(s):concat('\n' .. margin) .. '\n'
end

-- Removes the indentation of the first line from every line.
function text.dedent(s)
   utils.assert_string(1, s)
   local lines = lines_of(s)
   local _, margin = string.find(lines[1] or '', '^%s*')
   return lines:map(function(line) return string.sub(line, margin + 1) end):concat '\n' .. '\n'
end

-- A list of lines of at most `width` characters; longer words have lines of their own.
function text.wrap(s, width)
   utils.assert_string(1, s)
   width = width or 70
   local lines = require 'pl.List'()
   for word in string.gmatch(s, '%S+') do
      local last = lines[#lines]
      if last and #last + 1 + #word <= width then
         lines[#lines] = last .. ' ' .. word
      else
         lines:append(word)
      end
   end
   return lines
end

function text.fill(s, width) return text.wrap(s, width):concat '\n' .. '\n' end

-- Replaces $name and ${name} by the entries of a table, or the results of a function, and $$ by $.
local function substitute(s, values, safe)
   local function value_of(name)
      local value
      if type(values) == 'function' then value = values(name) else value = values[name] end
      if value ~= nil then return tostring(value) end
      if not safe then errors.raise("not present in table '%s'", name) end
      return nil
   end
   return (string.gsub(s, '%$(%$?)({?)([%w_]*)(}?)', function(dollar, open, name, close)
      if dollar == '$' then return '$' .. open .. name .. close end
      if name == '' or open == '{' and close == '' then return nil end
      local value = value_of(name)
      return value and (open == '{' and value or value .. close)
   end))
end

local Template = {}
Template.__index = Template
function Template:substitute(values) return substitute(self.text, values, false) end
function Template:safe_substitute(values) return substitute(self.text, values, true) end

function text.Template(s)
   utils.assert_string(1, s)
   return setmetatable({ text = s }, Template)
end

-- string.format, where %s takes any value.
local function formatted(format, ...)
   local values, i = { ... }, 0
   for letter in string.gmatch(format, '%%[%-+ #0]*%d*%.?%d*([%a%%])') do
      if letter ~= '%' then i = i + 1 end
      if letter == 's' then values[i] = tostring(values[i]) end
   end
   return string.format(format, unpack(values, 1, math.max(i, select('#', ...))))
end

-- Lets '%d of %s' % { 3, 'four' } format, and '$name' % { name = 'x' } substitute.
function text.format_operator()
   getmetatable('').__mod = function(s, values)
      if values == nil then return s end
      if type(values) == 'function' then return substitute(s, values, true) end
      if type(values) ~= 'table' or getmetatable(values) then return formatted(s, values) end
      if #values == 0 then return substitute(s, values, true) end
      return formatted(s, unpack(values))
   end
end

return text
