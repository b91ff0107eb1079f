-- print and log.

local io = io
local globals = _G
local check, key_order = require 'torch.base.check', require 'torch.base.key_order'

local LONGEST = 40      -- characters of a value within a table

local function short(value)
   local kind = type(value)
   if kind == 'userdata' or kind == 'cdata' then return '<userdata>' end
   local text = string.gsub(tostring(value), '\n', '\\n')
   if #text > LONGEST then text = string.sub(text, 1, LONGEST) .. '\27[0m ... ' end
   return text
end

-- Duplicates the output of a function to a file.
local function tee(write, file, separator, finish)
   return function(...)
      for i = 1, select('#', ...) do
         if i > 1 then file:write(separator) end
         file:write(tostring((select(i, ...))))
      end
      file:write(finish)
      file:flush()
      return write(...)
   end
end

return function(xlua)
   -- Writes a value; of a table its entries, one level deep, unless its class knows how to show it. A table with
   -- __tostring shows that text before them, or its usage.
   local function show(object)
      if type(object) ~= 'table' then return io.write(tostring(object)) end
      local meta = getmetatable(object)
      if meta and meta.__tostring__ then return io.write(meta.__tostring__(object)) end
      local text = tostring(object)
      if not string.find(text, 'table: ', 1, true) then
         local usage = object.usage
         if type(usage) == 'string' then io.write(usage, '\n\nFIELDS:\n') else io.write(text, ':\n') end
      end
      io.write('{')
      local separator = ''
      for key, value in key_order.pairs(object) do
         io.write(separator, '[', tostring(key), '] = ', short(value))
         separator = ',\n '
      end
      io.write('}')
   end

   -- Prints a value, and further ones as `print` does.
   function xlua.print(object, ...)
      show(object)
      if select('#', ...) == 0 then
         io.write('\n')
      else
         io.write('    ')
         globals.print(...)
      end
   end

   -- Writes everything that is printed from now on to a file as well.
   function xlua.log(name)
      local file, why = io.open(check.kind('xlua.log', 'the file', name, 'string'), 'w')
      if not file then check.fail('xlua.log', 'cannot write to %s', why) end
      io.write = tee(io.write, file, '', '')
      globals.print = tee(globals.print, file, '\t', '\n')
   end
end
