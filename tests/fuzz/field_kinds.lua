-- Sets fields of modules and criterions to values of other kinds, and calls their methods:
-- t7 field_kinds.lua <file of cases> <first> <step>
--
-- Every field of an object that was used becomes each of `others`, and each method is called under pcall. An error is
-- raw where it has a position in the library's code, or LuaJIT's words without the name of the field. Prints a line for
-- each raw error, then how many fields there were, how many of them were set, and how many led to raw errors.

package.path = arg[0]:match '^(.*)field_kinds%.lua$' .. '?.lua;' .. package.path
require 'nn'
local cases = require 'cases'
local library = require('torch.base.errors').library:gsub('^@', '')
local print = cases.without_notices()
local first, step = tonumber(arg[2]), tonumber(arg[3])

local others = {
   { 'a function', function() return print end }, { 'a table', function() return {} end },
   { 'a string', function() return 'x' end }, { 'true', function() return true end }, { '5', function() return 5 end },
   { 'a tensor', function() return torch.ones(2) end }, { 'a file', function() return io.stdout end },
}
local METHODS = {
   'forward', 'updateOutput', 'updateGradInput', 'accGradParameters', 'backward', 'parameters', 'getParameters',
   'zeroGradParameters', 'updateParameters', 'accUpdateGradParameters', 'training', 'evaluate', 'float', 'double',
   'reset', 'listModules', 'findModules', 'replace', 'share', 'clone', '__tostring__', 'clearState',
}
local OTHER_ARGUMENTS = {
   updateParameters = function() return 0.1 end, findModules = function() return 'nn.Linear' end,
   replace = function() return function(m) return m end end,
   share = function(object) return object:clone(), 'weight' end,
}
local words = { 'attempt to ', 'bad argument #', 'cannot convert ', "'for' ", 'expected, got ', 'stack overflow' }

local function raw(why)
   if type(why) ~= 'string' then return false end
   if why:find(library, 1, true) or why:find '%f[%w]t7 [%w_ ]+:%d+:' then return true end
   if why:find '%.%.%.[%w_/]*/lua/[%w_/]+%.lua:%d+:' then return true end
   if why:find "the field '" then return false end
   for _, word in ipairs(words) do
      if why:find(word, 1, true) then return true end
   end
   return false
end

local count, ran, bad, told = 0, 0, 0, {}

local function run_line(kind, make, inputs)
   local build, input = cases.maker(make), assert(loadstring('return ' .. inputs))
   -- An object that was used, and the arguments of its next calls.
   local function prepare()
      torch.manualSeed(1)
      local object = build()
      local x, target = input()
      local fine, y = pcall(object.forward, object, x, target)
      local g = kind == 'module' and torch.isTensor(y) and y:clone() or kind == 'module' and y or target
      fine = fine and pcall(object.backward, object, x, g)
      return object, x, g, fine
   end
   local object, _, _, fine = prepare()
   if not fine then return end
   local keys = {}
   for key in pairs(object) do
      if type(key) == 'string' then keys[#keys + 1] = key end
   end
   table.sort(keys)
   for _, key in ipairs(keys) do
      for _, other in ipairs(others) do
         count = count + 1
         if count >= first and (count - first) % step == 0 then
            ran = ran + 1
            local found
            for _, method in ipairs(METHODS) do
               local o, x, g = prepare()
               o[key] = other[2]()
               local _, ok, why = pcall(function()
                  if not o[method] then return true end
                  if OTHER_ARGUMENTS[method] then return pcall(o[method], o, OTHER_ARGUMENTS[method](o)) end
                  if method:find 'arameters$' and method:find '^acc' or method:find 'backward$' then
                     return pcall(o[method], o, x, g, 1)
                  elseif method:find 'ward$' or method:find '^update' then
                     return pcall(o[method], o, x, g)
                  end
                  return pcall(o[method], o)
               end)
               if not ok and raw(why) then
                  found = true
                  local line = method .. '\t' .. why:gsub('\n', ' | ')
                  if not told[line] then
                     told[line] = true
                     print(('%d\t%s\t%s = %s\t%s'):format(count, make, key, other[1], line))
                  end
               end
            end
            if found then bad = bad + 1 end
            if ran % 20 == 0 then collectgarbage() end
         end
      end
   end
end

cases.each_module(arg[1], run_line)
print(('%d fields, %d set, %d raw'):format(count, ran, bad))
