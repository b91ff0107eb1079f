-- print and log.

local getmetatable, io, next, pairs, tostring, type = getmetatable, io, next, pairs, tostring, type
local assert, select, sub = assert, select, string.sub
local globals = _G

local LONGEST = 40      -- characters of a string within a table

local function short(value)
   local kind = type(value)
   if kind == 'table' or kind == 'userdata' or kind == 'cdata' then return '<' .. kind .. '>' end
   local text = tostring(value)
   if #text > LONGEST then text = sub(text, 1, LONGEST) .. '\27[0m ... ' end
   return text
end

-- Duplicates what a function writes to a file.
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
   -- Prints values; of a table its entries, one level deep, unless it knows how to show itself.
   local function print_one(object)
      if type(object) ~= 'table' then return io.write(tostring(object), '\n') end
      local meta = getmetatable(object)
      if object.usage then
         io.write(tostring(object.usage), '\n\nFIELDS:\n')
      elseif meta and meta.__tostring__ then
         return io.write(meta.__tostring__(object), '\n')
      elseif meta and meta.__tostring then
         return io.write(tostring(object), '\n')
      end
      io.write('{')
      for key, value in pairs(object) do
         io.write('[', tostring(key), '] = ', short(value))
         if next(object, key) ~= nil then io.write('\n ') end
      end
      io.write('}\n')
   end

   function xlua.print(...)
      for i = 1, select('#', ...) do print_one((select(i, ...))) end
   end

   -- Writes everything that is printed from now on to a file as well.
   function xlua.log(name)
      local file = assert(io.open(name, 'w'))
      io.write = tee(io.write, file, '', '')
      globals.print = tee(globals.print, file, '\t', '\n')
   end
end
