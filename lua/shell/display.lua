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

-- The number of values that `th` shows: the length of a table of them, which the original found by bisection where
-- its last place is free. A table whose first value is not nil had places for a power of 2.
local function shown_by_th(count, values)
   local low, high = 1, 3
   while high <= count do high = 2 * high - 1 end
   if values[1] == nil then high = count + 1 end
   if values[high - 1] ~= nil then return high - 1 end
   while high - low > 1 do
      local middle = math.floor((low + high) / 2)
      if values[middle - 1] == nil then high = middle else low = middle end
   end
   return low - 1
end

-- Calls the program's `tostring`, as Lua's print does; a program that removed it still gets output.
local function text_of(value)
   local own = rawget(globals, 'tostring')
   return pretty.text(value, (type(own) == 'function' and own or tostring)(value))
end

local function display(...)
   if dialect.name == 'th' then
      local values = { ... }
      return pretty.th_print(unpack(values, 1, shown_by_th(select('#', ...), values)))
   end
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
