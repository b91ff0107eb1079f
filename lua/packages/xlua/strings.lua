-- Methods that every string gets, split and tosymbol, and table2string.

local sys = require 'sys'
local check, key_order = require 'torch.base.check', require 'torch.base.key_order'
local globals, string = _G, _G.string

-- A string in double quotes; in single ones if it holds double ones and no others.
local function quote(text)
   text = string.gsub(text, '\n', '\\n')
   if string.find(text, '"') and not string.find(text, "'") then return "'" .. text .. "'" end
   return '"' .. string.gsub(text, '"', '\\"') .. '"'
end

local function is_name(key)
   return type(key) == 'string' and string.find(key, '^[%a_][%w_]*$') ~= nil
end

return function(xlua)
   local function show(value)
      if type(value) == 'string' then return quote(value) end
      if type(value) == 'table' then return xlua.table2string(value) end
      return tostring(value)
   end

   -- A table as Lua source in one line; with `newlines`, for reading, each entry in a separate line.
   function xlua.table2string(object, newlines)
      if type(object) ~= 'table' then check.refuse('xlua.table2string', 'the object', 'a table', object) end
      local entries, length = {}, #object
      for i = 1, length do entries[i] = show(object[i]) end
      for key, value in key_order.pairs(object) do
         if type(key) ~= 'number' or key < 1 or key > length or key % 1 ~= 0 then
            local name = is_name(key) and key or '[' .. show(key) .. ']'
            entries[#entries + 1] = name .. (newlines and ' : ' or '=') .. show(value)
         end
      end
      if newlines then return '{\n   ' .. table.concat(entries, '\n   ') .. '\n}' end
      return '{' .. table.concat(entries, ',') .. '}'
   end

   string.split = sys.split

   -- The value of a name such as 'math.floor'.
   function string.tosymbol(name)
      local value = globals
      for part in string.gmatch(name, '[^.]+') do
         value = type(value) == 'table' and value[part] or nil
         if value == nil then error(string.format('symbol "%s" does not exist', name), 2) end
      end
      return value
   end
end
