-- Puts other tensors into the fields of modules and criterions, before forward and between forward and backward:
-- t7 tampered.lua <folder of guarded.lua> <file of cases> <first> <step> <log file> <double or float>
--
-- A line of the file is `module` or `criterion`, a constructor and arguments of forward, separated by tabs; or
-- `package` and its name. Calls are left out. Every tensor that an object keeps is replaced by those of `others`, in
-- memory before a page that may not be touched, and by a field that changes while it is read, as numbers are. Case
-- number i depends on i alone; the log holds the one that runs.
-- Prints a line for each error that is a fault of the library, then how many cases ran, and how many of them succeeded.

package.path = arg[1] .. '/?.lua;' .. package.path
local guarded, types = require 'guarded', require 'torch.base.types'
require 'nn'
local first, step = tonumber(arg[3]), tonumber(arg[4])
local log = assert(io.open(arg[5], 'w'))
log:setvbuf('no')

torch.setdefaulttensortype(arg[6] == 'float' and 'torch.FloatTensor' or 'torch.DoubleTensor')
rawset(_G, 't', function(...)
   local x = torch.Tensor(...)
   return x:copy(torch.range(1, x:nElement()):mul(12.9898):sin():mul(2))
end)
rawset(_G, 'l', torch.LongTensor)

-- A tensor of these sizes that ends where its memory does.
local function at_end(T, sizes, value)
   local n = 1
   for i = 1, #sizes do n = n * sizes[i] end
   local storage = n * T.size <= guarded.bytes and guarded.storage(T, n, true) or torch[T.name .. 'Storage'](n)
   local made = torch[T.name .. 'Tensor'](storage, 1, torch.LongStorage(sizes))
   return made:fill(value)
end

local function sizes_of(t)
   local list = {}
   for d = 1, t:dim() do list[d] = t:size(d) end
   return list
end

local others = {
   one = function(T) return at_end(T, { 1 }, 1) end,
   empty = function(T) return torch[T.name .. 'Tensor']() end,
   -- Fewer in the first and in the last dimension, more dimensions, the same elements in fewer, another type.
   fewer = function(T, sizes)
      sizes[1] = 1
      return at_end(T, sizes, 1)
   end,
   narrower = function(T, sizes)
      sizes[#sizes] = 1
      return at_end(T, sizes, 1)
   end,
   deeper = function(T, sizes)
      sizes[#sizes + 1] = 1
      return at_end(T, sizes, 1)
   end,
   transposed = function(T, sizes)
      local t = at_end(T, sizes, 1)
      return t:dim() > 1 and t:transpose(1, t:dim()) or t
   end,
   expanded = function(T, sizes)
      local ones = {}
      for d = 1, #sizes do ones[d] = 1 end
      return #sizes > 0 and at_end(T, ones, 1):expand(torch.LongStorage(sizes)) or torch[T.name .. 'Tensor']()
   end,
   float = function(T, sizes) return at_end(types.by_name[T.name == 'Float' and 'Double' or 'Float'], sizes, 1) end,
   large = function(T, sizes) return at_end(T, sizes, T.name == 'Byte' and 255 or 2 ^ 31) end,
   wild = function(T, sizes) return at_end(T, sizes, T.integer and -2 ^ 40 or 0 / 0) end,
}
-- The same tensor in two places: what is resized for one of them is resized for the other.
local all = {}
function others.first() return all[1] end
function others.last() return all[#all] end
function others.input() return all.input end

local names = { 'changing' }
for name in pairs(others) do names[#names + 1] = name end
table.sort(names)

local faults = { 'attempt to', 'cannot convert', 'stack overflow', 'assertion failed', '%.lua:%d+: .*%.lua:%d+:' }
local count, ran, succeeded, told = 0, 0, 0, {}

local function case(label, f)
   count = count + 1
   if count < first or (count - first) % step ~= 0 then return end
   ran = ran + 1
   label = ('%d\t%s'):format(count, label)
   log:seek('set')
   log:write(label, (' '):rep(300 - #label), '\n')
   local fine, why = pcall(f)
   if fine then
      succeeded = succeeded + 1
   else
      why = tostring(why):gsub('\n.*', '')
      for i = 1, #faults do
         if why:find(faults[i]) and not told[why] then
            told[why] = true
            print(label .. '\t' .. why)
         end
      end
   end
   if ran % 20 == 0 then collectgarbage() end
end

-- f(table, key) for each tensor in an object, its lists and its modules.
local function each_tensor(object, f, depth, path)
   local keys = {}
   for key in pairs(object) do
      if type(key) == 'string' or type(key) == 'number' then keys[#keys + 1] = key end
   end
   table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
   for _, key in ipairs(keys) do
      local value = rawget(object, key)
      if types.of_tensor(value) then f(object, key, path .. '.' .. key)
      elseif type(value) == 'table' and depth < 3 then each_tensor(value, f, depth + 1, path .. '.' .. key) end
   end
end

local function run_module(m, x, before, between)
   before()
   local y = m:forward(x)
   between()
   m:backward(x, type(y) == 'table' and y or y:clone())
end

local function run_criterion(c, x, before, between, target)
   before()
   c:forward(x, target)
   between()
   c:backward(x, target)
end

local function nothing() end

-- Takes a field from an object, which gives it every other time it is read, and something else in between.
local function make_changing(object, key)
   local methods, right, turn = getmetatable(object), object[key], 0
   local T, metatable = types.of_tensor(right), {}
   local wrong = T and at_end(T, { 1 }, 1) or right * 50
   for event, f in pairs(methods) do metatable[event] = f end
   function metatable.__index(_, wanted)
      if wanted ~= key then return methods[wanted] end
      turn = turn + 1
      return turn % 2 == 1 and right or wrong
   end
   object[key] = nil
   setmetatable(object, metatable)
end

-- Replaces tensor number `wanted` of an object by others[name]; the number of tensors.
local function tamper(object, wanted, name, input)
   local n = 0
   all = { input = input }
   each_tensor(object, function(holder, key) all[#all + 1] = holder[key] end, 0, '')
   each_tensor(object, function(holder, key)
      n = n + 1
      if n ~= wanted then return end
      local t = holder[key]
      if name ~= 'changing' then
         local other = others[name](types.of_tensor(t), sizes_of(t))
         holder[key] = types.of_tensor(other) and other or t
      elseif getmetatable(holder) then
         make_changing(holder, key)
      end
   end, 0, '')
   return n
end

-- Number `wanted` of the numbers among the fields of an object gives something else every other time.
local function tamper_number(object, wanted)
   local keys = {}
   for key, value in pairs(object) do
      if type(key) == 'string' and type(value) == 'number' then keys[#keys + 1] = key end
   end
   table.sort(keys)
   if keys[wanted] then make_changing(object, keys[wanted]) end
   return #keys
end

local function run_line(kind, make, inputs)
   local build, input = assert(loadstring('return nn.' .. make)), assert(loadstring('return ' .. inputs))
   local run = kind == 'module' and run_module or run_criterion
   local function turn(wanted, name, late)
      torch.manualSeed(1)
      local object = build()
      local x, target = input()
      local function change()
         if name == 'number' then tamper_number(object, wanted) else tamper(object, wanted, name, x) end
      end
      run(object, x, late and nothing or change, late and change or nothing, target)
   end
   local object, total, numbers = build(), 0, 0
   if pcall(run, object, (input()), nothing, nothing, select(2, input())) then
      total, numbers = tamper(object, 0), tamper_number(object, 0)
   end
   for wanted = 1, numbers do
      for _, late in ipairs { false, true } do
         case(('%s\tnumber %d changes %s'):format(make, wanted, late and 'before backward' or 'before forward'),
            function() turn(wanted, 'number', late) end)
      end
   end
   for wanted = 1, total do
      for _, name in ipairs(names) do
         for _, late in ipairs { false, true } do
            case(('%s\ttensor %d %s %s'):format(make, wanted, name, late and 'before backward' or 'before forward'),
               function() turn(wanted, name, late) end)
         end
      end
   end
end

for line in io.lines(arg[2]) do
   local kind, make, inputs = line:match '^(%w+)\t([^\t]*)\t?([^\t]*)'
   if kind == 'package' then
      require(make)
   elseif kind ~= 'call' then
      run_line(kind, make, inputs)
   end
end
log:seek('set')
log:write('done\n')
print(ran, 'cases', succeeded, 'succeeded')
