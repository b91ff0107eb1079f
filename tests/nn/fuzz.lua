-- Calls modules and criterions with inputs, targets, parameters and states that are mostly wrong:
-- t7 fuzz.lua <folder of values.lua> <file of cases> <first> <last> <log file>
--
-- Call number i depends on i alone. What a call does stands in the log before it is done, so that the one that ended
-- the process is known. Prints a line for each error that is a fault of the library, and at the end how many calls
-- were made and how many succeeded.

package.path = arg[1] .. '/?.lua;' .. package.path
require 'nn'
local types = require 'torch.base.types'
local cases, values = require 'cases', require 'values'
local random, chance = values.random, values.chance

local makes = {}
cases.each_module(arg[2], function(kind, expression)
   makes[#makes + 1] = { kind = kind, name = expression, make = cases.maker(expression) }
end)
local first, last = tonumber(arg[3]), tonumber(arg[4])
local log = assert(io.open(arg[5], 'w'))
log:setvbuf('no')

local Double, Float = types.by_name.Double, types.by_name.Float
-- Some are large enough for the kernels of large planes.
local shapes = { { 4 }, { 3, 4 }, { 2, 3 }, { 2, 3, 4 }, { 3, 5, 5 }, { 2, 3, 5, 5 }, { 1, 4 }, { 2, 4, 1 }, { 1 },
   { 3, 12, 12 }, { 2, 3, 12, 12 }, { 2, 3, 4, 9, 8 } }

local function tensor(T)
   if chance(70) then return values.tensor(T, shapes[random(#shapes)]) end
   return values.any(T, shapes[random(#shapes)])
end

local function input(T, depth)
   if chance(20) and depth < 3 then
      local t = {}
      for i = 1, random(3) do t[i] = input(T, depth + 1) end
      return t
   end
   if chance(12) then return values.indices(shapes[random(#shapes)]) end
   return tensor(T)
end

-- Whether a field has any value: then Lua's own errors about its type are fine, but the process goes on.
local tampered

-- What a program may have done to a module before.
local function disturb(m, T)
   local fields = { 'weight', 'bias', 'gradWeight', 'gradBias', 'output', 'gradInput', 'noise', 'weights', 'indices',
      'running_mean', 'running_var', 'target', '_indices', 'buffer', 'finput' }
   local field = fields[random(#fields)]
   if chance(40) then
      -- Any field, with any value.
      local names = {}
      for name in pairs(m) do names[#names + 1] = tostring(name) end
      table.sort(names)
      field, tampered = names[random(#names)], true
      if field ~= 'modules' and chance(50) then
         m[field] = values.any(T, shapes[random(#shapes)])
         return
      end
   end
   if chance(60) and m[field] == nil then return end
   m[field] = values.tensor(chance(80) and T or types.rows[random(#types.rows)], shapes[random(#shapes)])
end

local faults = { 'attempt to', 'cannot convert', 'invalid value', 'stack overflow', 'not enough memory',
   'assertion failed' }
local succeeded, calls = 0, 0

local function call(what, f, ...)
   calls = calls + 1
   local fine, why = pcall(f, ...)
   if fine then
      succeeded = succeeded + 1
   else
      why = tostring(why)
      for i = 1, #faults do
         if why:find(faults[i]) and not (tampered and i <= 2) then
            io.write(what, '\t', (why:gsub('\n', ' ')), '\n')
            break
         end
      end
   end
   return fine
end

for i = first, last do
   values.seed(i)
   torch.manualSeed(i)
   local case = makes[random(#makes)]
   local T = chance(80) and Double or Float
   local label = i .. '\t' .. case.name
   log:write(label, '\n')
   local m = case.make()
   tampered = false
   if T == Float or chance(5) then m:float() end
   if case.kind == 'module' then
      if chance(30) then disturb(m, T) end
      if chance(20) then call(label .. ':evaluate', m.evaluate, m) end
      local x = input(T, 0)
      local fine = call(label .. ':forward', m.forward, m, x)
      if fine and chance(20) then disturb(m, T) end
      local g = fine and chance(60) and m.output or input(T, 0)
      if chance(15) then x = input(T, 0) end
      call(label .. ':updateGradInput', m.updateGradInput, m, x, g)
      call(label .. ':accGradParameters', m.accGradParameters, m, x, g, chance(30) and values.number() or nil)
      if chance(10) then call(label .. ':accUpdateGradParameters', m.accUpdateGradParameters, m, x, g, 0.1) end
      if chance(5) then call(label .. ':clone', m.clone, m) end
   else
      if chance(20) then disturb(m, T) end
      local x, t = input(T, 0), chance(20) and values.number() or input(T, 0)
      call(label .. ':forward', m.forward, m, x, t)
      call(label .. ':backward', m.backward, m, x, t)
   end
   if i % 200 == 0 then collectgarbage() end
end
print(('%d calls, %d succeeded'):format(calls, succeeded))
