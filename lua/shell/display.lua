-- Prints values including the entries of tables: results of inputs, in the prompt and in documents, and values that
-- programs print.

local output = require 'shell.output'
local dialect, pretty = require 'torch.base.dialect', require 'shell.pretty'
local globals, write = _G, io.write

local function follow()
   if dialect.name == 'th' then pretty.install() end
end
dialect.watch(follow)
follow()
require 'shell.baseline'      -- This is loaded before any program runs.

-- The number of values that `th` shows: it stops at a nil, unless the first one is.
local function shown_by_th(count, ...)
   if type((...)) ~= 'nil' then
      for i = 2, count do
         if type((select(i, ...))) == 'nil' then return i - 1 end
      end
      return count
   end
   while count > 0 and type((select(count, ...))) == 'nil' do count = count - 1 end
   return count
end

local function first(count, value, ...)
   if count == 0 then return end
   return value, first(count - 1, ...)
end

-- Calls the program's `tostring`, as Lua's print does; a program that removed it still gets output.
local function text_of(value)
   local own = rawget(globals, 'tostring')
   return (type(own) == 'function' and own or tostring)(value)
end

local function display(...)
   if dialect.name == 'th' then return pretty.th_print(first(shown_by_th(select('#', ...), ...), ...)) end
   local line = {}
   for i = 1, select('#', ...) do
      local value = select(i, ...)
      local kind = type(value)
      local text = kind == 'table' and pretty.block(value) or text_of(value)
      -- Tables and tensors are on separate lines.
      if kind == 'table' or kind ~= 'string' and string.find(text, '\n', 1, true) then
         if #line > 0 then write(table.concat(line, '\t'), kind == 'table' and '\t' or '\n') end
         write(text, '\n')
         line = {}
      else
         table.insert(line, text)
      end
   end
   if #line > 0 then write(table.concat(line, '\t'), '\n') end
end

output.show = display

return display
