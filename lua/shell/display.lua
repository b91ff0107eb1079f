-- Prints values with what is in tables: those of an input, as the prompt and the documents show them, and what programs
-- print.

local concat, insert = table.concat, table.insert
local io, select, tostring = io, select, tostring
local output = require 'shell.output'
local print = output.print
local dialect, pretty = require 'torch.core.dialect', require 'shell.pretty'
local rawtype = require('torch.core.loader').pristine.type
local write = io.write

if dialect.name == 'th' then pretty.install() end
require 'shell.baseline'      -- This is loaded before any program runs.

-- The number of values that `th` shows: it stops at a nil, unless the first one is.
local function shown_by_th(count, ...)
   if rawtype((...)) ~= 'nil' then
      for i = 2, count do
         if rawtype((select(i, ...))) == 'nil' then return i - 1 end
      end
      return count
   end
   while count > 0 and rawtype((select(count, ...))) == 'nil' do count = count - 1 end
   return count
end

local function first(count, value, ...)
   if count == 0 then return end
   return value, first(count - 1, ...)
end

local function any_table(...)
   for i = 1, select('#', ...) do
      if rawtype((select(i, ...))) == 'table' then return true end
   end
   return false
end

local function show(...)
   if dialect.name == 'th' then return pretty.th_print(first(shown_by_th(select('#', ...), ...), ...)) end
   if not any_table(...) then return print(...) end
   local line = {}
   for i = 1, select('#', ...) do
      local value = select(i, ...)
      local text = rawtype(value) == 'table' and pretty.block(value)
      if text then
         if #line > 0 then write(concat(line, '\t'), '\t') end
         write(text, '\n')
         line = {}
      else
         insert(line, tostring(value))
      end
   end
   if #line > 0 then write(concat(line, '\t'), '\n') end
end

output.show = show

return show
