-- What there is to call, found by looking: functions of torch, constructors, methods of tensors and storages, and
-- operators. Operations that are added later are in the list by themselves.

local install, types = require 'torch.dispatch.install', require 'torch.base.types'

-- Left out: what runs commands, ends the process, changes the classes that all later calls use, or reads and writes
-- the terminal at length.
local excluded = {}
for name in ('PipeFile dofile include setmetatable metatype factory class newmetatable test'):gmatch('%a+') do
   excluded[name] = true
end

local targets = {}

local function add(label, name, kind, call, extra)
   local target = extra or {}
   target.label, target.name, target.kind, target.call = label, name, kind, call
   target.row = install.by_name.torch.rows[name]
   targets[#targets + 1] = target
end

local function sorted(names)
   local list = {}
   for name in pairs(names) do
      if type(name) == 'string' and not excluded[name] then list[#list + 1] = name end
   end
   table.sort(list)
   return list
end

for _, name in ipairs(sorted(torch)) do
   local value = torch[name]
   if type(value) == 'function' then
      add('torch.' .. name, name, 'function', value)
   elseif name:match('Tensor$') or name:match('Storage$') then
      local T = types.by_typename['torch.' .. name] or types.default
      -- A few times, as there are many things to construct from.
      for _ = 1, 4 do add('torch.' .. name, name, 'constructor', function(...) return value(...) end, { T = T }) end
   end
end

-- Methods are made when they are asked for; one that cannot be made is a fault of its row.
local function make(T, name)
   local ok, what = pcall(function() return T.tensor_methods[name] end)
   if not ok then
      what = tostring(what):gsub('\n.*', '')
      print(('0\t%sTensor:%s\tcannot be made: %s'):format(T.name, name, what))
   end
   return ok and type(what) == 'function'
end

for _, T in ipairs(types.rows) do
   local methods = T.tensor_methods
   local names = {}
   for name in pairs(install.by_name.torch.chapter_of) do if make(T, name) then names[name] = true end end
   for name in pairs(methods) do names[name] = true end
   for _, name in ipairs(sorted(names)) do
      if type(methods[name]) == 'function' then
         add(T.name .. 'Tensor:' .. name, name, 'method', methods[name], { T = T })
      end
   end
   for _, name in ipairs(sorted(T.storage_methods)) do
      if type(T.storage_methods[name]) == 'function' then
         add(T.name .. 'Storage:' .. name, name, 'storage', T.storage_methods[name], { T = T })
      end
   end
end

local operators = {
   ['+'] = function(a, b) return a + b end,
   ['-'] = function(a, b) return a - b end,
   ['*'] = function(a, b) return a * b end,
   ['/'] = function(a, b) return a / b end,
   ['%'] = function(a, b) return a % b end,
   ['^'] = function(a, b) return a ^ b end,
   ['unary -'] = function(a) return -a end,
   ['#'] = function(a) return #a end,
   ['=='] = function(a, b) return a == b end,
   ['<'] = function(a, b) return a < b end,
   ['..'] = function(a, b) return a .. b end,
   ['()'] = function(a, b) return a(b) end,
   ['tostring'] = function(a) return tostring(a) end,
   ['[]'] = function(a, b) return a[b] end,
   ['[{}]'] = function(a, b, c, d) return a[{ b, c, d }] end,
   ['[{{}}]'] = function(a, b, c, d, e) return a[{ { b, c }, { d, e } }] end,
   ['[{{},}]'] = function(a, b, c, d) return a[{ { b, c }, d }] end,
   ['[{{,,}}]'] = function(a, b, c, d) return a[{ { b, c, d } }] end,
   ['[{...}]'] = function(a, b, c) return a[{ b, '...', c }] end,
   ['[{...}]='] = function(a, b, c, d) a[{ { 1, b, c }, '...' }] = d end,
   ['[]='] = function(a, b, c) a[b] = c end,
   ['[{}]='] = function(a, b, c, d) a[{ b, c }] = d end,
   ['[{{}}]='] = function(a, b, c, d) a[{ { b, c } }] = d end,
   ['[][]='] = function(a, b, c, d) a[b][c] = d end,
}

for _, name in ipairs(sorted(operators)) do
   for _, T in ipairs(types.rows) do
      for _ = 1, 3 do add(T.name .. 'Tensor ' .. name, name, 'operator', operators[name], { T = T }) end
      add(T.name .. 'Storage ' .. name, name, 'storage operator', operators[name], { T = T })
   end
end

return targets
