-- Puts other tensors into the fields of modules and criterions, before forward and between forward and backward:
-- t7 tampered.lua <folder of guarded.lua> <file of cases> <first> <step> <log file> <double or float>
--
-- A line of the file is `module` or `criterion`, a constructor and arguments of forward, separated by tabs; or
-- `package` and its name. Calls are left out. Every tensor that an object keeps is replaced by those of `others`, in
-- memory before a page that may not be touched, by those of all other places, arguments included, and by a field that
-- changes while it is read, as numbers are. Case number i depends on i alone; the log holds the one that runs.
-- Prints a line for each error that is a fault of the library, then how many cases ran, and how many of them succeeded.

package.path = arg[1] .. '/?.lua;' .. package.path
local guarded, types, cases = require 'guarded', require 'torch.base.types', require 'cases'
require 'nn'
local print = cases.without_notices()
local first, step = tonumber(arg[3]), tonumber(arg[4])
local log = assert(io.open(arg[5], 'w'))
log:setvbuf('no')

torch.setdefaulttensortype(arg[6] == 'float' and 'torch.FloatTensor' or 'torch.DoubleTensor')
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
local names = { 'changing', 'moving' }
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

-- Adds { table, key } for each tensor in an object, its lists and its modules; each table is visited once.
local function find_places(object, list, seen, depth)
   local keys = {}
   seen[object] = true
   for key in pairs(object) do
      if type(key) == 'string' or type(key) == 'number' then keys[#keys + 1] = key end
   end
   table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
   for _, key in ipairs(keys) do
      local value = rawget(object, key)
      if types.of_tensor(value) then
         list[#list + 1] = { object, key }
      elseif type(value) == 'table' and depth < 3 and not seen[value] then
         find_places(value, list, seen, depth + 1)
      end
   end
   return list
end

-- Of the object first, then of the arguments of its methods.
local function places_of(object, arguments)
   return find_places(arguments, find_places(object, {}, {}, 0), {}, 0)
end

-- The arguments are those of forward, and then of backward.
local function forward(kind, object, arguments)
   local y = object:forward(arguments[1], arguments[2])
   if kind == 'module' then arguments[2] = torch.isTensor(y) and y:clone() or y end
end
local function backward(object, arguments) object:backward(arguments[1], arguments[2]) end

-- What a field does that is read for the second time, the fourth, ...: it gives another value, or its tensor gets
-- other memory.
local changes = {}
function changes.changing(right)
   local T = types.of_tensor(right)
   return T and at_end(T, { 1 }, 1) or right * 50
end
function changes.moving(right)
   right:set(torch[types.of_tensor(right).name .. 'Tensor'](1))
   collectgarbage()
   return right
end

-- Takes a field from an object, and gives it when it is read.
local function make_changing(object, key, change)
   local methods, right, turn = getmetatable(object), object[key], 0
   local metatable = {}
   for event, f in pairs(methods) do metatable[event] = f end
   function metatable.__index(_, wanted)
      if wanted ~= key then return methods[wanted] end
      turn = turn + 1
      if turn % 2 == 1 then return right end
      return change(right)
   end
   object[key] = nil
   setmetatable(object, metatable)
end

-- Each tensor that is written to a field arrives as one of a single element.
local function make_shrinking(object)
   local methods, values, metatable = getmetatable(object), {}, {}
   for event, f in pairs(methods) do metatable[event] = f end
   function metatable.__index(_, key)
      if values[key] ~= nil then return values[key] end
      return methods[key]
   end
   function metatable.__newindex(_, key, value)
      local T = types.of_tensor(value)
      values[key] = T and at_end(T, { 1 }, 1) or value
   end
   for key, value in pairs(object) do values[key] = value end
   for key in pairs(values) do object[key] = nil end
   setmetatable(object, metatable)
end

-- Replaces the tensor in place number `wanted` by others[change], or by the one in place number `change`.
local function tamper(object, arguments, wanted, change)
   local places = places_of(object, arguments)
   local holder, key = unpack(places[wanted] or {})
   if not holder then return end
   if changes[change] then
      if holder == object then make_changing(holder, key, changes[change]) end
   elseif others[change] then
      local other = others[change](types.of_tensor(holder[key]), sizes_of(holder[key]))
      holder[key] = types.of_tensor(other) and other or holder[key]
   elseif places[change] then
      holder[key] = places[change][1][places[change][2]]
   end
end

-- Number `wanted` of the numbers among the fields of an object.
local function number_field(object, wanted)
   local keys = {}
   for key, value in pairs(object) do
      if type(key) == 'string' and type(value) == 'number' then keys[#keys + 1] = key end
   end
   table.sort(keys)
   return keys[wanted], #keys
end

local function run_line(kind, make, inputs)
   local build, input = cases.maker(make), assert(loadstring('return ' .. inputs))
   -- An object that was used, and the arguments of its next call.
   local function prepare()
      torch.manualSeed(1)
      local object, arguments = build(), { input() }
      local fine = pcall(function()
         forward(kind, object, arguments)
         backward(object, arguments)
      end)
      return object, { input() }, fine
   end
   local function add(what, change)
      for _, late in ipairs { false, true } do
         case(('%s\t%s %s'):format(make, what, late and 'before backward' or 'before forward'), function()
            local object, arguments = prepare()
            if late then forward(kind, object, arguments) end
            change(object, arguments)
            if not late then forward(kind, object, arguments) end
            backward(object, arguments)
         end)
      end
   end
   local object, arguments, fine = prepare()
   local _, numbers = number_field(object)
   if not fine then return end
   pcall(forward, kind, object, arguments)
   local total = #places_of(object, arguments)
   add('fields shrink', make_shrinking)
   for wanted = 1, numbers do
      add(('number %d changes'):format(wanted), function(o)
         make_changing(o, number_field(o, wanted), changes.changing)
      end)
   end
   for wanted = 1, total do
      local function add_change(change)
         add(('tensor %d %s'):format(wanted, change), function(o, a) tamper(o, a, wanted, change) end)
      end
      for _, name in ipairs(names) do add_change(name) end
      for other = 1, total do
         if other ~= wanted then add_change(other) end
      end
   end
end

cases.each_module(arg[2], run_line)
log:seek('set')
log:write('done\n')
print(ran, 'cases', succeeded, 'succeeded')
