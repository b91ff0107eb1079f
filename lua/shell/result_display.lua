-- Shows the values of an input of the prompt: large tensors, tables and packages are shortened.

local format, gsub, match = string.format, string.gsub, string.match
local display, output, pretty = require 'shell.display', require 'shell.output', require 'shell.pretty'
local types, user_variables = require 'torch.base.types', require 'shell.user_variables'
local globals, write = _G, io.write

local result_display = {}

local MAX_ELEMENTS, MAX_ROWS = 10000, 500      -- larger tensors, and longer ones, are shortened
local STORAGE_ELEMENTS, MAX_LINES = 12, 1000
local MAX_LISTED_LINES = 20   -- number of lines from which on the table of a package is not listed when it is required

-- Describes how much of x is shown.
local function note(x, shown)
   local name = user_variables.name_of(x)
   return format('(%s of its elements are shown%s)', shown, name and format('; print(%s) shows them all', name) or '')
end

local function shorten(x)
   local text, part = require('shell.tensor_summary')(x)
   return text .. note(x, require('torch.base.geometry').shape(part))
end

local function shorten_storage(x)
   local full_name = types.of_storage(x).storage_name
   local part = require('torch')[match(full_name, '%w+$')](x, 1, STORAGE_ELEMENTS)
   local footer = format('[%s of size %d]\n', full_name, #x)
   return match(tostring(part), '^(.*\n)%[') .. footer .. note(x, 'the first ' .. STORAGE_ELEMENTS)
end

local function is_large(x)
   if not types.of_tensor(x) or x:dim() == 0 then return false end
   local count, last = x:nElement(), x:size(x:dim())
   return count > MAX_ELEMENTS or (x:dim() == 1 and count or count / last) > MAX_ROWS
end

-- Shows the values of an input. Very large tensors and tables are shortened.
function result_display.show(...)
   local count = select('#', ...)
   output.begin_line()
   if type((...)) ~= 'nil' then user_variables.keep((...)) end
   if count ~= 1 then return display(...) end
   local value = ...
   if is_large(value) then
      write(shorten(value), '\n')
   elseif types.of_storage(value) and #value > MAX_ROWS then
      write(shorten_storage(value), '\n')
   elseif rawequal(value, globals) then
      write(format('the globals, %d of them yours (%%who lists these)\n', (select(2, user_variables.names()))))
   elseif type(value) == 'table' then
      write(pretty.block(value, MAX_LINES, true), '\n')
   else
      display(value)
   end
end

-- Describes the package that an input merely requires, instead of its table, if that is long; returns whether it did.
function result_display.package(name, value)
   local text = type(value) == 'table' and rawequal(value, package.loaded[name])
      and pretty.block(value, MAX_LINES, true)
   local _, ends = gsub(text or '', '\n', '\n')
   if ends < MAX_LISTED_LINES then return false end
   output.begin_line()
   user_variables.keep(value)
   local count, global = 0, rawequal(rawget(globals, name), value)
   for _ in next, value do count = count + 1 end
   write(format('package %s: %d names (%s)\n', name, count,
      global and format('?%s lists them', name)
         or format("local %s = require '%s' keeps it", match(name, '[%w_]+$'), name)))
   return true
end

return result_display
