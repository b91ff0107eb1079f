-- pl.text: paragraphs, templates and formatting by the operator %.

local errors, utils = require 'torch.base.errors', require 'pl.utils'

local text = {}

local function lines_of(s) return require 'pl.List'(utils.split(s, '\n', true)) end

-- Puts n characters, by default spaces, before each line.
function text.indent(s, n, character)
   utils.assert_string(1, s)
   utils.assert_arg(2, n, 'number')
   local margin = string.rep(character or ' ', n)
   return lines_of(s):map(function(line) return margin .. line end):concat '\n' .. '\n'
end

-- Removes the indentation of the first line from every line.
function text.dedent(s)
   utils.assert_string(1, s)
   local lines = lines_of(s)
   local _, margin = string.find(lines[1] or '', '^%s*')
   return lines:map(function(line) return string.sub(line, margin + 1) end):concat '\n' .. '\n'
end

-- A list of lines of at least `width` characters, to the end of the word there, if another word follows.
function text.wrap(s, width)
   utils.assert_string(1, s)
   width = width or 70
   s = string.gsub(s, '\n', ' ')
   local lines, at = require 'pl.List'(), 1
   while at < #s do
      local stop = at + width
      if string.find(s, "[%w']", stop) then stop = string.find(s, '%W', stop + 1) or #s end
      lines:append(string.match(string.sub(s, at, stop), '^%s*(.-)%s*$'))
      at = stop + 1
   end
   return lines
end

function text.fill(s, width) return text.wrap(s, width):concat '\n' .. '\n' end

-- Replaces $name and ${name} by the entries of a table, or the results of a function; a missing entry is an error, or
-- with `safe` leaves the name.
local function substitute(s, values, safe)
   local function value_of(name)
      local value = values[name]
      if value then return value end
      if not safe then errors.raise('not present in table %s', name) end
      return name
   end
   local by = utils.is_callable(values) and values or value_of
   return (string.gsub(string.gsub(s, '%${([%w_]+)}', by), '%$([%w_]+)', by))
end

local Template = {}
Template.__index = Template
function Template:substitute(values) return substitute(self.tmpl, values, false) end
function Template:safe_substitute(values) return substitute(self.tmpl, values, true) end

-- The same, where lines of a value are indented as its name; values may be templates.
function Template:indent_substitute(values)
   return lines_of(self.tmpl):map(function(line)
      return (string.gsub(line, '(%s*)%$([%w_]+)', function(margin, name)
         local value = values[name]
         if not value then errors.raise('not present in table %s', name) end
         local inner = getmetatable(value) == Template and value.tmpl
         local written = inner or tostring(value)
         if string.find(written, '\n', 1, true) then
            written = margin .. lines_of(written):concat('\n' .. margin) .. '\n'
         end
         return inner and substitute(written, values, false) or written
      end))
   end):concat '\n' .. '\n'
end

function Template.new(s)
   utils.assert_string(1, s)
   return setmetatable({ tmpl = s }, Template)
end

text.Template = setmetatable(Template, { __call = function(_, s) return Template.new(s) end })

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
      if type(values) == 'function' then return (string.gsub(s, '%$([%w_]+)', values)) end
      if type(values) ~= 'table' or getmetatable(values) then return formatted(s, values) end
      if #values == 0 then return substitute(s, values, true) end
      return formatted(s, unpack(values))
   end
end

return text
