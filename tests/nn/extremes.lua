-- Sets numbers of modules and criterions to extremes:
-- t7 extremes.lua <file of cases> <first> <last> <log file> [<step>]
--
-- A line of the file is kind, constructor and arguments of forward, separated by tabs. Every argument of a
-- constructor, and every number that an object keeps in its fields, lists or LongStorages, becomes each of `extremes`:
-- fields before forward, and between forward and backward. The cases are counted; the log holds the one that runs.
-- Prints a line for each error that is a fault of the library, then how many cases there were, and how many of those
-- that ran succeeded.

package.path = arg[0]:match '^(.*)nn/' .. 'fuzz/?.lua;' .. package.path
require 'nn'
local cases = require 'cases'
local extremes = { 2 ^ 31 - 1, 2 ^ 31, 2 ^ 32, 2 ^ 40, 2 ^ 53, -1, -2 ^ 31, 0 / 0, 1.5, 0, 1 / 0 }
local ARGUMENTS = 14

local first, last, step = tonumber(arg[2]), tonumber(arg[3]), tonumber(arg[5] or 1)
local log = assert(io.open(arg[4], 'w'))
log:setvbuf('no')

local faults = { 'attempt to', 'cannot convert', 'stack overflow', 'assertion failed',
   '%.lua:%d+: .*%.lua:%d+:', 'overflow', 'C allocation', 'size of C type' }
local count, ran, succeeded = 0, 0, 0

local function fault(label, why)
   for i = 1, #faults do
      if why:find(faults[i]) then
         print(label .. '\t' .. why:gsub('\n.*', ''))
         return
      end
   end
end

-- Runs one case unless it is left out; f builds up a label as it goes.
local function case(label, f)
   count = count + 1
   if count < first or count > last or (count - first) % step ~= 0 then return end
   ran = ran + 1
   label = ('%d\t%s'):format(count, label)
   log:seek('set')
   log:write(label, (' '):rep(300 - #label), '\n')
   local fine, why = pcall(f)
   if fine then succeeded = succeeded + 1 else fault(label, tostring(why)) end
   if ran % 20 == 0 then collectgarbage() end
end

-- The constructor, whose argument number k is replaced in the outermost call.
local function constructor(make, k, value)
   local holder, class = make:match '^(%l%w*)%.(%w+)'
   if not holder then holder, class = 'nn', make:match '^[%w_]+' end
   local real = _G[holder][class]
   local stub = setmetatable({}, { __index = _G[holder] })
   local used
   stub[class] = function(...)
      if used then return real(...) end
      used = true
      local list = { ... }
      list[k] = value
      local n = math.max(select('#', ...), k)
      return real(unpack(list, 1, n))
   end
   return setfenv(cases.maker(make), setmetatable({ [holder] = stub }, { __index = _G }))
end

local function list_of(value) return type(value) == 'table' and not torch.type(value):find '^nn%.' and value or nil end

-- Names of the numbers of an object: { object, key }.
local function numbers(object, found, prefix, depth)
   for key, value in pairs(object) do
      local name = prefix .. tostring(key)
      if type(value) == 'number' then
         found[#found + 1] = name
      elseif torch.isStorage(value) and torch.type(value) == 'torch.LongStorage' then
         for i = 1, #value do found[#found + 1] = name .. '.' .. i end
      elseif depth < 2 and list_of(value) and key ~= 'modules' then
         numbers(value, found, name .. '.', depth + 1)
      end
   end
   return found
end

local function set(object, name, value)
   local at, keys = object, {}
   for key in name:gmatch '[^.]+' do keys[#keys + 1] = tonumber(key) or key end
   -- Before forward some lists are not there yet.
   for i = 1, #keys - 1 do at = at and at[keys[i]] end
   if at then at[keys[#keys]] = value end
end

local function backward(m, x, g)
   m:updateGradInput(x, g)
   m:accGradParameters(x, g)
end

-- All steps of a module or a criterion; before(m) and between(m) tamper with it.
local function steps(kind, make, x, before, between)
   local m = make()
   if before then before(m) end
   if kind == 'module' then
      local y = m:forward(x())
      if between then between(m) end
      backward(m, x(), torch.isTensor(y) and y:clone() or y)
   else
      m:forward(x())
      if between then between(m) end
      m:backward(x())
   end
end

local function run_line(kind, make, inputs)
   local x, plain = assert(loadstring('return ' .. inputs)), cases.maker(make)
   local label = make .. ' of ' .. inputs
   for k = 1, ARGUMENTS do
      for _, value in ipairs(extremes) do
         case(('%s: argument %d is %.17g'):format(label, k, value), function()
            steps(kind, constructor(make, k, value), x)
         end)
      end
   end
   local m = plain()
   pcall(m.forward, m, x())
   local names = numbers(m, {}, '', 0)
   table.sort(names)
   for _, name in ipairs(names) do
      for _, value in ipairs(extremes) do
         local function tamper(object) set(object, name, value) end
         case(('%s: %s = %.17g before forward'):format(label, name, value), function()
            steps(kind, plain, x, tamper)
         end)
         case(('%s: %s = %.17g after forward'):format(label, name, value), function()
            steps(kind, plain, x, nil, tamper)
         end)
      end
   end
end
cases.each_module(arg[1], run_line)
log:seek('set')
log:write('done', (' '):rep(300), '\n')
print(('%d cases, %d of %d succeeded'):format(count, succeeded, ran))
