-- Calls everything with right and wrong arguments: t7 calls.lua <first> <last> <log file> [collect] [packages]
--
-- Call number i depends on i alone, so one can be repeated: t7 calls.lua i i. The log holds the call that runs. With
-- `collect` garbage is collected after each call: memory that a call spoiled is found sooner. With `packages` those
-- are called instead of torch; some of them leave it to Lua to report errors about a table or a number.
-- Prints a line for each kind of fault, and at the end how many calls were made and how many succeeded.

local here = arg[0]:match('^(.*/)') or './'
package.path = here .. '?.lua;' .. package.path

local ffi = require 'ffi'
local signatures, types = require 'torch.base.signatures', require 'torch.base.types'
local values = require 'values'
local options = {}
for i = 4, #arg do options[arg[i]] = true end
local targets = require(options.packages and 'package_targets' or 'targets')
local of_tensor, of_storage = types.of_tensor, types.of_storage

local first, last = tonumber(arg[1]), tonumber(arg[2])
local log = arg[3] and assert(io.open(arg[3], 'w')) or io.stderr
local show, set_default = tostring, torch.setdefaulttensortype
log:setvbuf('no')

-- The most memory that was resident so far, in MB.
pcall(ffi.cdef, "int getrusage(int who, int64_t *usage);")
local usage = ffi.new 'int64_t[64]'
local function peak()
   ffi.C.getrusage(0, usage)
   return tonumber(usage[4]) / 1024
end
local LARGEST_STEP = 300

-- Arguments as the log shows them. Nothing here runs code of the library on them.
local function describe(value)
   local T = of_tensor(value)
   if T then
      local sizes, strides = {}, {}
      for d = 0, value._dim - 1 do
         sizes[d + 1], strides[d + 1] = ('%.0f'):format(value._size[d]), ('%.0f'):format(value._stride[d])
      end
      local shape, steps = table.concat(sizes, 'x'), table.concat(strides, ',')
      return ('%sTensor[%s/%s@%.0f]'):format(T.name, shape, steps, value._offset)
   end
   T = of_storage(value)
   if T then return ('%sStorage(%.0f)'):format(T.name, value._memory._size) end
   if type(value) == 'string' then return ('%q'):format(value):sub(1, 40) end
   if type(value) == 'table' then
      local parts = {}
      for i = 1, 3 do parts[i] = rawget(value, i) ~= nil and describe(rawget(value, i)) or nil end
      return '{' .. table.concat(parts, ', ') .. '}'
   end
   return show(value)
end

-- What a tensor must be like for no later call to leave its memory; nil when all is well.
local function broken(t)
   local dim, reach = t._dim, 1
   if dim == 0 then return nil end
   if not (dim > 0 and dim % 1 == 0) then return 'number of dimensions is ' .. dim end
   if t._memory == nil then return 'has dimensions and no memory' end
   for d = 0, dim - 1 do
      local size, stride = t._size[d], t._stride[d]
      if not (size >= 1 and size % 1 == 0) then return ('size %d is %s'):format(d, size) end
      if not (stride >= 0 and stride % 1 == 0) then return ('stride %d is %s'):format(d, stride) end
      reach = reach + (size - 1) * stride
   end
   if not (t._offset >= 0 and t._offset + reach <= t._memory._capacity) then
      return ('reaches from %.0f over %.0f of %.0f elements'):format(t._offset, reach, t._memory._capacity)
   end
end

local function check(value)
   if of_tensor(value) then return broken(value) end
   if type(value) == 'table' then
      for i = 1, 3 do
         local item = rawget(value, i)
         if of_tensor(item) and broken(item) then return broken(item) end
      end
   end
end

local function arguments_for_row(target, T, shape, pool)
   local case = target.row[values.random(#target.row - 1) + 1]
   local list = { n = 0 }
   local absent = {}
   for position, slot in ipairs(signatures.parse(case[1])) do
      local given = true
      if slot.group then
         if absent[slot.group] == nil then absent[slot.group] = values.chance(50) end
         given = not absent[slot.group]
      end
      if position == 1 and target.kind == 'method' then given = true end
      if given then
         list.n = list.n + 1
         list[list.n] = values.for_letter(slot.letter, T, shape, pool)
      end
   end
   if list.n > 0 and values.chance(35) then list[values.random(list.n)] = values.any(T, shape, pool) end
   if values.chance(5) then list.n = list.n - 1 end
   return list
end

local function arguments(target, T, shape, pool)
   if target.row and #target.row > 1 and values.chance(60) then return arguments_for_row(target, T, shape, pool) end
   local list = { n = values.random(6) - 1 }
   for i = 1, list.n do list[i] = values.any(T, shape, pool) end
   if target.make and values.chance(95) then list[1], list.n = target.make(), math.max(list.n, 1) end
   if target.kind == 'method' or target.kind == 'operator' then
      list.n = math.max(list.n, 1)
      if target.kind == 'operator' or values.chance(95) then list[1] = values.tensor(T, shape, pool) end
   elseif target.kind == 'storage' or target.kind == 'storage operator' then
      list.n = math.max(list.n, 1)
      local storage = torch[T.name .. 'Storage'](values.random(5) - 1)
      if values.chance(95) or target.kind ~= 'storage' then list[1] = storage end
   end
   -- Operators of two operands work with the tensor on either side.
   if target.kind == 'operator' and #target.name == 1 and values.chance(30) then
      list[1], list[2] = list[2], list[1]
   end
   return list
end

local other_starts = { 'not enough memory', 'cannot resize a storage', 'the class torch%.',
   'inconsistent tensor sizes: copy', 'Unwritable object' }

-- Why an error is not a clean one, nil if it is. Clean errors blame the caller, and say whose they are.
local function unclean(target, message)
   if options.packages then return nil end
   if type(message) ~= 'string' then return 'the error is a ' .. type(message) .. ': ' .. show(message) end
   if message:find('raised by the function of the call', 1, true) then return nil end
   local place = message:match('^([^\n]-):%d+: ')
   if place and not place:find('fuzz/calls.lua', 1, true) and not place:find('fuzz/targets.lua', 1, true)
      and not place:find('fuzz/values.lua', 1, true) then
      return 'error inside the library: ' .. message
   end
   if target.kind:find('operator') and (message:find('attempt to', 1, true)
      or message:find('ha[sv]e? no [%a-]+ operator$')) then
      return nil
   end
   -- "add: ...", "'*': ...", "torch.DoubleTensor: ...", "narrow: ..."
   local text = place and message:sub(#message:match('^[^\n]-:%d+: ') + 1) or message
   if text:find("^'?[%w_.*/%%+-]+'?: ") or text:find(target.name, 1, true) or text:find('argument', 1, true) then
      return nil
   end
   for _, start in ipairs(other_starts) do
      if text:find('^' .. start) then return nil end
   end
   return 'names neither function nor argument: ' .. message
end

local made, succeeded, reported = 0, 0, {}

local function fault(i, target, what)
   local kind = target.name .. what:gsub('0x%x+', '#'):gsub('%d+', '#'):gsub('torch%.%a+', 'torch'):sub(1, 80)
   if not reported[kind] then
      reported[kind] = true
      io.stdout:write(('%d\t%s\t%s\n'):format(i, target.label, (what:gsub('\n', ' | '):sub(1, 300))))
   end
end

local function outcome(i, target, list, ok, ...)
   made = made + 1
   if ok then
      succeeded = succeeded + 1
      for k = 1, math.min(3, select('#', ...)) do
         local value = select(k, ...)
         -- The process ends here if a string is none.
         local _ = type(value) == 'string' and value:byte(-1)
         local what = check(value)
         if what then fault(i, target, 'result ' .. k .. ' ' .. what) end
      end
   else
      local what = unclean(target, (...))
      if what then fault(i, target, what) end
   end
   for k = 1, list.n do
      local what = check(list[k])
      if what then fault(i, target, 'afterwards argument ' .. k .. ' ' .. what) end
   end
end

local function run(i)
   values.seed(i)
   -- Each target has its turn before any is called again.
   local target = targets[i % #targets + 1]
   local T = target.T or types.rows[values.chance(50) and 1 or values.random(#types.rows)]
   local shape = values.shape()
   local list = arguments(target, T, shape, {})
   local parts = {}
   for k = 1, list.n do parts[k] = describe(list[k]) end
   local line = ('%d %s(%s)'):format(i, target.label, table.concat(parts, ', '))
   log:seek('set')
   log:write(line:sub(1, 1000), '\n', (' '):rep(1000 - #line), '\n')
   local before = peak()
   outcome(i, target, list, pcall(target.call, unpack(list, 1, list.n)))
   if peak() - before > LARGEST_STEP then fault(i, target, ('takes %.0f MB: %s'):format(peak() - before, line)) end
   if types.default ~= types.by_name.Double then set_default('torch.DoubleTensor') end
   if i % 500 == 0 or options.collect then collectgarbage() end
end

for i = first, last do run(i) end
log:seek('set')
log:write('done\n')
io.stdout:write(('calls %d succeeded %d targets %d\n'):format(made, succeeded, #targets))
