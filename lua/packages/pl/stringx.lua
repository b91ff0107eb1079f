-- pl.stringx: methods for strings as Python has them.

local utils = require 'pl.utils'

local stringx = {}

local function predicate(name, pattern)
   stringx[name] = function(text) return string.find(text, pattern) == 1 end
end
predicate('isalpha', '^%a+$')
predicate('isdigit', '^%d+$')
predicate('isalnum', '^%w+$')
predicate('isspace', '^%s+$')
predicate('islower', '^[%l%s]+$')
predicate('isupper', '^[%u%s]+$')

-- A function of a text and another one, or a list of those, of which any will do.
local function with_any(test)
   return function(text, wanted)
      if type(wanted) ~= 'table' then return test(text, wanted) end
      for i = 1, #wanted do
         if test(text, wanted[i]) then return true end
      end
      return false
   end
end

stringx.startswith = with_any(function(text, prefix) return string.sub(text, 1, #prefix) == prefix end)
stringx.endswith = with_any(function(text, suffix) return suffix == '' or string.sub(text, -#suffix) == suffix end)

-- Joins the strings of a list with this text between them.
function stringx.join(text, list) return table.concat(list, text) end

-- Splits a text at separators, plain text; by default at white space.
function stringx.split(text, separator, n)
   if separator == nil then return require('pl.List')(utils.split(stringx.lstrip(text), nil, false, n)) end
   local parts = utils.split(text, separator, true, n)
   if separator ~= '' and string.sub(text, -#separator) == separator then parts[#parts + 1] = '' end
   return require('pl.List')(parts)
end

-- The parts of a text between matches of a pattern, by default white space, as values.
function stringx.splitv(text, pattern) return utils.splitv(text, pattern) end

function stringx.splitlines(text, keep_ends)
   local lines = {}
   for line, ending in string.gmatch(text, '([^\r\n]*)(\r?\n?)') do
      if line ~= '' or ending ~= '' then lines[#lines + 1] = keep_ends and line .. ending or line end
   end
   return require('pl.List')(lines)
end

-- Iterates over the lines of a text, without their ends.
function stringx.lines(text)
   return string.gmatch(string.find(text, '\n$') and text or text .. '\n', '([^\n]*)\n')
end

local function class_of(characters) return characters and '[' .. utils.escape(characters) .. ']' or '%s' end

function stringx.lstrip(text, characters) return (string.gsub(text, '^' .. class_of(characters) .. '+', '')) end

function stringx.rstrip(text, characters)
   local last = #text
   local class = class_of(characters)
   while last > 0 and string.find(string.sub(text, last, last), class) do last = last - 1 end
   return string.sub(text, 1, last)
end

function stringx.strip(text, characters) return stringx.rstrip(stringx.lstrip(text, characters), characters) end

-- Returns the first or last position of a text, nil if there is none.
function stringx.lfind(text, wanted, first, last)
   local at, stop = string.find(text, wanted, first, true)
   if first and first > #text + 1 then return nil end
   if at and (not last or stop <= last) then return at end
   return nil
end

-- The last of the places from first to last that do not overlap, and how many there are.
local function find_all(text, wanted, first, last)
   first, last = first or 1, last or #text
   if wanted == '' then return last + 1, last - first + 1 end
   local found, count, at = nil, 0, first
   while true do
      local start, stop = string.find(text, wanted, at, true)
      if not start or stop > last then return found, count end
      found, count, at = start, count + 1, stop + 1
   end
end

function stringx.rfind(...) return (find_all(...)) end

function stringx.replace(text, old, new, n)
   return (string.gsub(text, utils.escape(old), (string.gsub(new, '%%', '%%%%')), n))
end

function stringx.count(text, wanted) return (select(2, find_all(text, wanted))) end

function stringx.ljust(text, width, fill)
   return text .. string.rep(fill or ' ', width - #text)
end

function stringx.rjust(text, width, fill)
   return string.rep(fill or ' ', width - #text) .. text
end

function stringx.center(text, width, fill)
   fill = fill or ' '
   local missing = width - #text
   if missing <= 0 then return text end
   local left = (missing - missing % 2) / 2
   return string.rep(fill, left) .. text .. string.rep(fill, missing - left)
end

-- Returns the text before a separator, the separator, and the text after it.
function stringx.partition(text, separator)
   local first, last = string.find(text, separator, 1, true)
   if not first then return text, '', '' end
   return string.sub(text, 1, first - 1), separator, string.sub(text, last + 1)
end

function stringx.rpartition(text, separator)
   local first = stringx.rfind(text, separator)
   if not first then return text, '', '' end
   return string.sub(text, 1, first - 1), separator, string.sub(text, first + #separator)
end

function stringx.at(text, i) return string.sub(text, i, i) end

function stringx.title(text)
   return (string.gsub(text, '(%S)(%S*)', function(first, rest) return string.upper(first) .. string.lower(rest) end))
end
stringx.capitalize = stringx.title

function stringx.shorten(text, width, tail)
   if #text <= width then return text end
   if width < 3 then return string.sub('...', 1, width) end
   if tail then return '...' .. string.sub(text, #text - width + 4) end
   return string.sub(text, 1, width - 3) .. '...'
end

function stringx.expandtabs(text, width)
   width = width or 8
   return (string.gsub(text, '([^\t\r\n]*)\t', function(before) return before .. string.rep(' ',
      width - #before % width) end))
end

-- A text as a literal of Lua: where it has lines or long brackets, in long brackets with more = than those have.
function stringx.quote_string(text)
   local level, at, _ = -1, 1, nil
   repeat
      local stop, signs
      _, stop, _, signs = string.find(text .. ']', '([%[%]])(=*)%1', at)
      if stop then level, at = math.max(level, #signs), stop end
   until not stop
   if (level < 0 and not string.find(text, '\n')) or string.find(text, '\r') then
      return (string.gsub(string.format('%q', text), '\r', '\\r'))
   end
   local signs = string.rep('=', level + 1)
   return '[' .. signs .. '[' .. (string.find(text, '^\n') and '\n' or '') .. text .. ']' .. signs .. ']'
end

function stringx.format_operator() require('pl.text').format_operator() end

-- Makes these functions methods of strings: ('x'):startswith('y').
function stringx.import()
   for name, f in pairs(stringx) do _G.string[name] = f end
end

return stringx
