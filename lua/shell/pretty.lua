-- Tables as the shell of Torch7 prints them: a line for each entry, nested tables indented.

local byte, format = string.byte, string.format
local gsub = string.gsub
local class_registry, dialect = require 'torch.base.class_registry', require 'torch.base.dialect'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local key_order = require 'torch.base.key_order'
local types = require 'torch.base.types'
local globals = _G
local write = io.write

local pretty = {}

local level = 4      -- tables inside of tables that are shown

-- Sets how deep tables are shown, the outermost counted; 0 shows none.
function pretty.set_level(depth)
   if type(depth) ~= 'number' or not (depth >= 0) then
      error('setprintlevel: expected a number from 0 on, got ' .. tostring(depth), 2)
   end
   level = math.floor(depth) - 1
end

-- Tells whether an object has `__tostring`.
local function has_tostring(object)
   local metatable = debug.getmetatable(object)
   return type(metatable) == 'table' and metatable.__tostring ~= nil
end

-- The line of the program that prints a value, else the one in which its `__tostring` begins.
local function location_of(value)
   local where = errors.where()
   if where ~= '' then return where end
   local metatable = debug.getmetatable(value)
   local f = metatable and metatable.__tostring
   local info = type(f) == 'function' and debug.getinfo(f, 'S')
   return info and info.what ~= 'C' and format('%s:%d: ', info.short_src, info.linedefined) or ''
end

-- The text of a value, `text` where that is known; raises an error at the program's line if `__tostring` gave none.
function pretty.text(value, text)
   if text == nil then text = tostring(value) end
   local kind = type(text)
   if kind == 'number' then return tostring(text) end
   if kind ~= 'string' then error(location_of(value) .. "'tostring' must return a string", 0) end
   return text
end

local MAX_REASON = 200      -- characters of the reason why a value has no text

-- The text of a value, or one that says why `__tostring` failed: one entry must not hide the others.
local function text_or_reason(value)
   local ok, text = pcall(pretty.text, value)
   if ok then return text end
   if type(text) ~= 'string' then text = format('a %s value', type(text)) end
   if string.find(text, 'not enough memory', 1, true) then error(text, 0) end
   return format('<error in __tostring: %s>', errors.plain(string.sub(text, 1, MAX_REASON)))
end

local function is_block(value)
   local kind = type(value)
   return kind == 'table' or kind == 'cdata' or kind == 'userdata'
end

-- Returns the keys of a table: numbers in order, then the others by text; in the dialect `th` in the order of `pairs`.
local function ordered_keys(object, text_of)
   local keys = {}
   local is_th = dialect.name == 'th'
   for key in key_order.pairs(object) do table.insert(keys, key) end
   if is_th then return keys end
   table.sort(keys, function(a, b)
      local number_a, number_b = type(a) == 'number', type(b) == 'number'
      if number_a and number_b then return a < b end
      if number_a or number_b then return number_a end
      return text_of(a) < text_of(b)
   end)
   return keys
end

-- The class of a tensor or storage without its package: a CudaTensor has the fields of a type of the CPU.
local function class_of(x) return (gsub(class_registry.typename(x), '^torch%.', '')) end

local function tensor_text(x)
   if x:dim() == 0 then return class_of(x) .. ' - empty' end
   return format('%s - size: %s', class_of(x), geometry.shape(x))
end

local escapes = { ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t', ['"'] = '\\"', ['\\'] = '\\\\' }

-- A string with escapes for the characters of a set; `th` shows strings unchanged.
local function escaped(text, set)
   if dialect.name == 'th' then return text end
   return (gsub(text, set, function(c) return escapes[c] or format('\\%03d', byte(c)) end))
end

local function quoted(text) return '"' .. escaped(text, '[%c"\\]') .. '"' end

-- Returns the text of a value inside of a table, in one line unless its `__tostring` gives more.
function pretty.short(value, text_of)
   local kind = type(value)
   if kind == 'string' then return quoted(value) end
   if types.of_tensor(value) then return tensor_text(value) end
   if types.of_storage(value) then return format('%s - size: %d', class_of(value), #value) end
   return (text_of or pretty.text)(value)
end

-- `around` is the set of enclosing tables, which are not shown again. The dialect `th` looks into objects with
-- `__tostring` and enclosing tables, too, and shows no empty ones.
local function add(out, object, indent, depth, max_lines, around, text_of)
   local margin = string.rep(' ', indent)
   around[object] = true
   table.insert(out, margin .. '{')
   local keys, is_th = ordered_keys(object, text_of), dialect.name == 'th'
   for i = 1, #keys do
      if #out >= max_lines then
         table.insert(out, format('%s  ... %d more', margin, #keys - i + 1))
         break
      end
      local key, value = keys[i], object[keys[i]]
      local head = format('%s  %s : ', margin, type(key) == 'string' and escaped(key, '%c') or text_of(key))
      if type(value) ~= 'table' or not is_th and has_tostring(value) then
         table.insert(out, head .. pretty.short(value, text_of))
      elseif next(value) == nil and not is_th then
         table.insert(out, head .. '{}')
      elseif depth >= level or next(value) == nil or around[value] and (not is_th or depth > 100) then
         table.insert(out, head .. '{...}')
      else
         table.insert(out, head)
         add(out, value, indent + 4, depth + 1, max_lines, around, text_of)
      end
   end
   table.insert(out, margin .. '}')
   around[object] = nil
end

local MAX_LENGTH = 200      -- characters of a table in one line

-- Returns a table in one line, `{1, 2, name = "x"}`, without the contents of tables inside.
function pretty.line(object)
   local parts, length, count = {}, 0, 0
   for _, key in ipairs(ordered_keys(object, pretty.text)) do
      local value = object[key]
      local nested = type(value) == 'table' and not has_tostring(value)
      local text = not nested and pretty.short(value) or next(value) == nil and '{}' or '{...}'
      count = count + 1
      if key ~= count then
         local name = type(key) == 'string' and string.find(key, '^[%a_][%w_]*$') and key
         text = format('%s = %s', name or '[' .. pretty.short(key) .. ']', text)
      end
      length = length + #text + 2
      if length > MAX_LENGTH then
         table.insert(parts, '...')
         break
      end
      table.insert(parts, text)
   end
   return '{' .. table.concat(parts, ', ') .. '}'
end

-- Returns the text of a table in at most about `max_lines` lines, naming omitted entries. Those whose `__tostring`
-- fails raise an error, unless the table is the result of an input.
function pretty.table(object, max_lines, is_result)
   local out = {}
   add(out, object, 0, 0, max_lines or 1 / 0, {}, is_result and text_or_reason or pretty.text)
   return table.concat(out, '\n')
end

-- Returns the text of a value that takes separate lines; nil for numbers, strings and the like.
function pretty.block(value, max_lines, is_result)
   if not is_block(value) then return nil end
   if type(value) == 'table' and not has_tostring(value) then
      if next(value) == nil then return '{}' end
      return pretty.table(value, max_lines, is_result)
   end
   return (pretty.text(value))
end

-- Prints values as `th` does: each table or object on separate lines, and a tab after each other value.
function pretty.th_print(...)
   local count = select('#', ...)
   for i = 1, count do
      local value = select(i, ...)
      local text = pretty.block(value)
      if text then
         write(text, '\n')
      else
         write(pretty.text(value), '\t', i == count and '\n' or '')
      end
   end
end

-- The globals that `install` sets.
pretty.globals = { 'print', 'print_new', 'print_old', 'setprintlevel', 'import' }

-- Makes `print` lay out values as `th` does in that dialect, with the globals that its programs expect.
function pretty.install()
   local usual = globals.print
   local function print(...)
      if dialect.name == 'th' and level >= 0 then return pretty.th_print(...) end
      return usual(...)
   end
   globals.print, globals.print_new, globals.print_old = print, print, require('shell.output').print
   globals.setprintlevel = pretty.set_level

   -- Makes the functions of a module global.
   function globals.import(name)
      for key, value in next, require(name) do
         if type(key) == 'string' then globals[key] = value end
      end
   end
end

return pretty
