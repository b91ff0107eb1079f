-- Whether an input may run so long that a way back from it is wanted. When in doubt, it may.

local find, gmatch, gsub, sub = string.find, string.gmatch, string.gsub, string.sub
local names, scan, types = require 'shell.names', require 'shell.scan', require 'torch.types'
local rawtype = types.pristine.type

local LARGE = 100000      -- elements from which on operators on tensors count as work

local looping = { ['while'] = true, ['for'] = true, ['repeat'] = true, ['goto'] = true, ['function'] = true }

-- Whether anything is called: a bracket, a table or a string that stands behind a name, a bracket or a string.
local function has_call(code)
   return find(code, '[%w_%)%]"\'][ \t\r\n]*[%({"\']') ~= nil
end

return function(source)
   local code = gsub(scan.read(source).code, '(["\']) *%1', '"')
   if has_call(code) then return true end
   for position, name in gmatch(code, '()%f[%a_]([%a_][%w_]*)') do
      if looping[name] then return true end
      if not find(sub(code, 1, position - 1), '[^.][.:]%s*$') and not names.keywords[name] then
         local value = names.resolve { name }
         local kind = rawtype(value)
         local T = types.of_tensor(value)
         if kind == 'table' or kind == 'userdata' or kind == 'cdata' and not T then return true end
         if T and value:nElement() > LARGE then return true end
      end
   end
   return false
end
