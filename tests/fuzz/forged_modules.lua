-- Runs modules, criterions and functions of packages on tensors whose memory holds NaNs with payloads:
-- t7 forged_modules.lua <folder of forged.lua> <on or off: the compiler> <file of cases> <log file> [<times>]
--
-- A line of the file is `module`, `criterion`, `call` or `package`, and expressions, separated by tabs: a constructor
-- and its inputs, a function and its arguments, or the name of a package. Prints a line for each number that comes out
-- as another value, and for each error of Lua's own, which is what a forged operand makes in the interpreter.

local types = require 'torch.base.types'
package.path = arg[1] .. '/?.lua;' .. package.path
local forged, cases = require 'forged', require 'cases'
local print = cases.without_notices()
if arg[2] == 'off' then jit.off() jit.flush() end
local log, times, ran = assert(io.open(arg[4], 'w')), tonumber(arg[5] or 200), 0
log:setvbuf('no')
require 'nn'

local function is_real(value)
   local T = types.of_tensor(value)
   return T and (T.name == 'Double' or T.name == 'Float') and value:nElement() > 0
end

-- Every element, or every third: loops then end elsewhere.
local function spoil(value, every)
   if is_real(value) then
      if value:isContiguous() then forged.spoil(value, every) end
   elseif type(value) == 'table' and not torch.typename(value) then
      for _, inner in ipairs(value) do spoil(inner, every) end
   end
end

local function check(label, value, depth)
   if type(value) == 'table' then
      if depth > 2 then return end
      for _, inner in next, value do check(label, inner, depth + 1) end
   elseif is_real(value) and value:dim() > 0 then
      local first = value
      while first:dim() > 1 do first = first[1] end
      forged.check(label, first[1])
   elseif value ~= nil then
      forged.check(label, value)
   end
end

local faults = { 'attempt to', 'cannot convert' }

local function try(label, f, ...)
   local results = { pcall(f, ...) }
   if results[1] then
      check(label, results, 0)
      return results[2]
   end
   local why = tostring(results[2])
   for _, text in ipairs(faults) do
      if why:find(text) then return print(label .. '\t' .. why:gsub('\n', ' ')) end
   end
end

local function cast(value)
   if is_real(value) then return value:float() end
   if type(value) == 'table' and not torch.typename(value) then
      local to = {}
      for key, inner in pairs(value) do to[key] = cast(inner) end
      return to
   end
   return value
end

-- Parameters and states stay numbers in every other turn, so that values get through to the loops.
local function spoil_fields(m, every)
   for _, value in pairs(m) do
      if is_real(value) and value:isContiguous() then forged.spoil(value, every) end
   end
   for _, inner in ipairs(m.modules or {}) do spoil_fields(inner, every) end
end

local kinds = {}

local function no_errors(f, ...)
   local fine, result = pcall(f, ...)
   return fine and result or nil
end

function kinds.module(label, make, inputs, float)
   local m = cases.maker(make)()
   local x = assert(loadstring('return ' .. inputs))()
   if float then m, x = m:float(), cast(x) end
   local g = no_errors(m.forward, m, x)
   g = torch.isTensor(g) and g:clone() or g
   for turn = 1, times do
      local every = turn % 2 == 0 and 1 or 3
      if turn % 7 == 0 then m:evaluate() elseif turn % 7 == 2 then m:training() end
      spoil(x, every)
      if turn % 3 == 0 then spoil_fields(m, 2) end
      try(label .. ':forward', m.forward, m, x)
      spoil(g, every)
      if g then
         try(label .. ':updateGradInput', m.updateGradInput, m, x, g)
         try(label .. ':accGradParameters', m.accGradParameters, m, x, g, 0.5)
      end
      check(label, m, 1)
   end
end

function kinds.criterion(label, make, inputs, float)
   local c = cases.maker(make)()
   local x, y = assert(loadstring('return ' .. inputs))()
   if float then c, x, y = c:float(), cast(x), cast(y) end
   for turn = 1, times do
      spoil(x, turn % 2 == 0 and 1 or 3)
      if turn % 3 == 0 then spoil_fields(c, 2) end
      if turn % 5 == 0 then spoil(y, 2) end
      local loss = try(label .. ':forward', c.forward, c, x, y)
      if loss ~= nil and type(loss) ~= 'number' and not torch.isTensor(loss) then
         print(label .. '\ta loss is a ' .. type(loss))
      end
      try(label .. ':backward', c.backward, c, x, y)
      check(label, c, 1)
   end
end

function kinds.call(label, name, arguments, float)
   local f = assert(loadstring('return ' .. name))()
   local list = { assert(loadstring('return ' .. arguments))() }
   if float then list = cast(list) end
   for turn = 1, math.max(2, times / 4) do
      spoil(list, turn % 2 == 0 and 1 or 3)
      try(label, f, unpack(list))
   end
end

cases.each(arg[3], function(kind, first, second)
   for _, float in ipairs { false, true } do
      local label = first .. ' of ' .. second .. (float and ' as floats' or '')
      log:seek('set')
      log:write(label, (' '):rep(300), '\n')
      kinds[kind](label, first, second, float)
      ran = ran + 1
      -- A collection takes longer than a case.
      if ran % 20 == 0 then collectgarbage() end
   end
end)
print 'done'
