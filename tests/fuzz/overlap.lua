-- Calls operations whose result and operands are views of one storage, and compares with the same call on copies:
-- t7 overlap.lua <first> <last> <log file>
--
-- Call number i depends on i alone. Prints a line for each result that differs, and how many were compared.

local here = arg[0]:match('^(.*/)') or './'
package.path = here .. '?.lua;' .. package.path
local values = require 'values'
local random, chance = values.random, values.chance

local log = assert(io.open(arg[3], 'w'))
log:setvbuf('no')

local COUNT = 60
local types = { 'Double', 'Float', 'Double', 'Float', 'Long', 'Int', 'Byte', 'Short', 'Char' }

-- A view of the storage; a result must not have an element twice.
local function view(s, T, sizes, is_result)
   for _ = 1, 50 do
      local strides, reach, order = {}, 1, {}
      for d = 1, #sizes do table.insert(order, random(d), d) end
      -- Strides that leave gaps, in any order of dimensions; those of operands may be 0.
      local step = random(2)
      for _, d in ipairs(order) do
         strides[d] = not is_result and chance(15) and 0 or step
         reach = reach + (sizes[d] - 1) * strides[d]
         step = math.max(step, strides[d]) * sizes[d] + (chance(30) and random(2) - 1 or 0)
      end
      if reach <= COUNT then
         return torch[T .. 'Tensor'](s, random(COUNT - reach + 1), torch.LongStorage(sizes), torch.LongStorage(strides))
      end
   end
end

local function like() local r, c = random(4), random(5) return { r, c }, { r, c }, { r, c } end

-- Sizes of the result and of the operands, and the call.
local calls = {
   { 'copy', function() local a = like() return a, a end, function(r, a) return r:copy(a) end, 'in turn' },
   { 'add', like, function(r, a, b) return r:add(a, 2, b) end },
   { 'csub', like, function(r, a, b) return r:csub(a, b) end },
   { 'cmul', like, function(r, a, b) return r:cmul(a, b) end },
   { 'cmul in place', function() local a = like() return a, a end, function(r, a) return r:cmul(a) end },
   { 'add in place', function() local a = like() return a, a end, function(r, a) return r:add(3, a) end },
   { 'addcmul', function() local a = like() return a, a, a, a end,
      function(r, a, b, c) return r:addcmul(a, 2, b, c) end },
   { 'cmax', like, function(r, a, b) return r:cmax(a, b) end },
   { 'mul', function() local a = like() return a, a end, function(r, a) return r:mul(a, 3) end },
   { 'pow', function() local a = like() return a, a end, function(r, a) return r:pow(a, 2) end, nil, true },
   { 'tril', function() local n = random(4) return { n, n }, { n, n } end, function(r, a) return r:tril(a) end },
   { 'cumsum', function() local a = like() return a, a end, function(r, a) return torch.cumsum(r, a, 1) end },
   { 'sum', function() local a, b = random(4), random(5) return { 1, b }, { a, b } end,
      function(r, a) return torch.sum(r, a, 1) end },
   { 'sort', function() local a = like() return a, a end,
      function(r, a) return (torch.sort(r, torch.LongTensor(), a, 2)) end },
   { 'cat', function() local a, b = random(3), random(4) return { 2 * a, b }, { a, b }, { a, b } end,
      function(r, a, b) return torch.cat(r, a, b, 1) end },
   { 'addmm', function()
      local m, k, n = random(4), random(4), random(4)
      return { m, n }, { m, k }, { k, n }
   end, function(r, a, b) return r:addmm(2, r, 3, a, b) end },
   { 'mm', function()
      local m, k, n = random(4), random(4), random(4)
      return { m, n }, { m, k }, { k, n }
   end, function(r, a, b) return r:mm(a, b) end },
   { 'addmv', function() local m, k = random(5), random(5) return { m }, { m, k }, { k } end,
      function(r, a, b) return r:addmv(2, r, 3, a, b) end },
   { 'addr', function() local m, n = random(5), random(5) return { m, n }, { m }, { n } end,
      function(r, a, b) return r:addr(2, r, 3, a, b) end },
   { 'addbmm', function()
      local t, m, k, n = random(2), random(3), random(3), random(3)
      return { m, n }, { t, m, k }, { t, k, n }
   end, function(r, a, b) return r:addbmm(2, r, 3, a, b) end },
   { 'baddbmm', function()
      local t, m, k, n = random(2), random(3), random(3), random(3)
      return { t, m, n }, { t, m, k }, { t, k, n }
   end, function(r, a, b) return r:baddbmm(2, r, 3, a, b) end },
   { 'conv2', function() local n, k = 2 + random(3), random(2) return { n - k + 1, n - k + 1 }, { n, n }, { k, k } end,
      function(r, a, b) return torch.conv2(r, a, b) end, nil, true },
   { 'index', function() local m, n = random(4), random(4) return { 3, n }, { m, n } end,
      function(r, a) return r:index(a, 1, torch.LongTensor { 1, a:size(1), 1 }) end },
   { 'indexAdd', function() local m, n = random(4), random(4) return { m, n }, { 1, n } end,
      function(r, a) return r:indexAdd(1, torch.LongTensor { r:size(1) }, a) end },
   { 'indexCopy', function() local m, n = random(4), random(4) return { m, n }, { 1, n } end,
      function(r, a) return r:indexCopy(1, torch.LongTensor { r:size(1) }, a) end },
   { 'maskedCopy', function() local a = like() return a, a end,
      function(r, a) return r:maskedCopy(torch.ByteTensor(r:size()):fill(1), a) end },
   { 'map', function() local a = like() return a, a end,
      function(r, a) return r:map(a, function(x, y) return x + 2 * y end) end, 'in turn' },
   { 'lerp', like, function(r, a, b) return torch.lerp(r, a, b, 0.5) end, nil, true },
   { 'transpose', function() local a = like() return a, { a[2], a[1] } end, function(r, a) return r:copy(a:t()) end,
      'in turn' },
}

-- What copying element by element gives, which programs may see where the layouts are not both contiguous.
local function sequential(name, r, a)
   if name == 'transpose' then a = a:t() end
   for i = 1, r:size(1) do
      for j = 1, r:size(2) do r[i][j] = name == 'map' and r[i][j] + 2 * a[i][j] or a[i][j] end
   end
   return r
end

local compared = 0
local function run(i)
   values.seed(i)
   local call, T = calls[random(#calls)], types[random(#types)]
   if call[5] and T ~= 'Double' and T ~= 'Float' then T = 'Double' end
   local s = torch[T .. 'Storage'](COUNT)
   for k = 1, COUNT do s[k] = random(9) - (T == 'Byte' and 1 or 5) end
   local sizes = { call[2]() }
   local function tensors(storage, seed)
      values.seed(seed)
      local list = {}
      for k = 1, #sizes do list[k] = view(storage, T, sizes[k], k == 1) end
      return #list == #sizes and list or nil
   end
   local actual = tensors(s, i + 7)
   if not actual then return end
   local line = { i, call[1], T }
   for k, t in ipairs(actual) do
      line[k + 3] = ('[%s/%s@%d]'):format(table.concat(t:size():totable(), 'x'),
         table.concat(t:stride():totable(), ','), t:storageOffset())
   end
   local label = table.concat(line, ' ')
   log:seek('set')
   log:write(label, (' '):rep(200), '\n')
   local expected
   local source = actual[2] and (call[1] == 'transpose' and actual[2]:t() or actual[2])
   local moved = call[1] ~= 'map' and source:isContiguous() and actual[1]:isContiguous()
   if call[4] == 'in turn' and not moved then
      local copy = torch[T .. 'Storage'](COUNT):copy(s)
      expected = sequential(call[1], unpack(tensors(copy, i + 7)))
   else
      local copies = {}
      for k, t in ipairs(actual) do copies[k] = t:clone() end
      expected = call[3](unpack(copies))
   end
   local fine, why = pcall(call[3], unpack(actual))
   compared = compared + 1
   if not fine then
      print(label, why)
   elseif not actual[1]:double():equal(expected:double()) then
      print(label, 'differs')
   end
end

for i = tonumber(arg[1]), tonumber(arg[2]) do run(i) end
print(compared .. ' compared')
