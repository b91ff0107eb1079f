-- Whether an input may run so long that a way back from it is wanted. When in doubt, it may.
--
-- A way back makes the first change of each page of memory dearer, so it matters most where large tensors are
-- changed by operations that go through them once: those are known to end soon.

local find, gmatch, gsub, sub = string.find, string.gmatch, string.gsub, string.sub
local install, names, lexer, types = require 'torch.dispatch.install', require 'shell.names', require 'shell.lexer',
   require 'torch.core.types'
local rawtype = require('torch.core.loader').pristine.type

local LARGE = 100000      -- elements from which on a product of tensors counts as work

local looping = { ['while'] = true, ['for'] = true, ['repeat'] = true, ['goto'] = true, ['function'] = true }
local quick = { copy = true, fill = true, size = true, zero = true }

-- Whether a method is the library's, and goes through its tensors once.
local function is_quick(name)
   local method = types.default.tensor_methods[name]
   if rawtype(method) ~= 'function' or not names.is_library(method) then return false end
   local row = install.by_name.torch.rows[name]
   if not row or row.custom then return quick[name] end
   for i = 2, #row do
      if not find(row[i][2], '^elementwise%.') then return false end
   end
   return true
end

local function without_quick_calls(code)
   return (gsub(code, ':%s*([%a_][%w_]*)%s*%(', function(name)
      return is_quick(name) and ' ,(' or nil
   end))
end

-- Whether anything is called: a bracket, a table or a string that stands behind a name, a bracket or a string.
local function has_call(code)
   return find(code, '[%w_%)%]"\'][ \t\r\n]*[%({"\']') ~= nil
end

-- Whether the methods of a type were changed by a program, where that matters.
local function is_changed(T, code)
   for name in gmatch(code, ':%s*([%a_][%w_]*)') do
      local method = T.tensor_methods[name]
      if rawtype(method) ~= 'function' or not names.is_library(method) then return true end
   end
   return false
end

return function(source)
   local all = gsub(lexer.read(source).code, '(["\']) *%1', '"')
   local code = without_quick_calls(all)
   if has_call(code) then return true end
   local calls = code ~= all
   for position, name in gmatch(code, '()%f[%a_]([%a_][%w_]*)') do
      if looping[name] then return true end
      if not find(sub(code, 1, position - 1), '[^.][.:]%s*$') and not names.keywords[name] then
         local value = names.resolve { name }
         local kind = rawtype(value)
         local T = types.of_tensor(value)
         if kind == 'table' or kind == 'userdata' or kind == 'cdata' and not T then return true end
         if T and (value:nElement() > LARGE and find(code, '*', 1, true) or is_changed(T, all)) then return true end
         if calls and not T and kind ~= 'number' and kind ~= 'nil' then return true end
      end
   end
   return false
end
