-- Calls every operation of torch with operands of several layouts, some times with each number of threads, and prints
-- a line for each call: which it is, and a checksum of the bits of what it gave. A call whose bits change prints
-- CHANGED. Operands are made anew for each call, at other addresses.
--
-- Arguments: a list of numbers of elements, names of types, how many times, a list of numbers of threads, and whether
-- the calls come in the opposite order.

local SIZES, TYPES, TIMES, THREADS, BACKWARDS = ...

local bit, ffi = require 'bit', require 'ffi'
local signatures, install = require 'torch.base.signatures', require 'torch.dispatch.install'
local chapters = require 'torch.ops.chapters'

-- Elements of a seed: fractions from 0 to 1, whole numbers from 0 to 9, or nothing but 0 and 1 for masks.
local state = 1
local function draw()
   state = (state * 16807) % 2147483647
   return state / 2147483647
end

local drawn = {}

local function elements(type, seed, count)
   local key = type .. seed .. ' ' .. count
   if drawn[key] then return drawn[key] end
   local t = torch[type .. 'Tensor'](count)
   local data, real = t:data(), type == 'Double' or type == 'Float'
   state = seed
   if real then
      for i = 0, count - 1 do data[i] = 0.05 + 0.9 * draw() end
   else
      for i = 0, count - 1 do data[i] = math.floor(9 * draw()) end
   end
   drawn[key] = t
   return t
end

-- A contiguous tensor of these sizes, `shift` elements into its storage.
local function made(type, shift, seed, count, ...)
   local storage = torch[type .. 'Storage'](count + shift)
   local t = torch[type .. 'Tensor'](storage, shift + 1, torch.LongStorage { ... })
   return t:copy(elements(type, seed, count))
end

-- Ways to make the operand number k of a call for n elements: each gives a tensor, and the length of dimension 1.
local function square(n) return math.max(2, math.floor(math.sqrt(n))) end
local profiles = {
   { 'vector', function(type, shift, k, n) return made(type, shift, k, n, n) end },
   { 'matrix', function(type, shift, k, n)
      local m = square(n)
      return made(type, shift, k, m * m, m, m)
   end },
   { 'transposed', function(type, shift, k, n)
      local m = square(n)
      return made(type, shift, k, m * m, m, m):t()
   end },
   { 'strided', function(type, shift, k, n) return made(type, shift, k, 2 * n, n, 2):select(2, 2) end },
   { 'tall', function(type, shift, k, n)
      return made(type, shift, k, 8 * math.max(2, math.floor(n / 8)), math.max(2, math.floor(n / 8)), 8)
   end },
   { 'wide', function(type, shift, k, n)
      return made(type, shift, k, 8 * math.max(2, math.floor(n / 8)), 8, math.max(2, math.floor(n / 8)))
   end },
   { 'matrix and vectors', function(type, shift, k, n)
      local m = square(n)
      if k == 1 then return made(type, shift, k, m * m, m, m) end
      return made(type, shift, k, m, m)
   end },
   { 'vector and matrix', function(type, shift, k, n)
      local m = square(n)
      if k == 2 then return made(type, shift, k, m * m, m, m) end
      return made(type, shift, k, m, m)
   end },
   { 'matrix and two vectors', function(type, shift, k, n)
      local m = square(n)
      if k == 1 then return made(type, shift, k, m, m) end
      return k == 2 and made(type, shift, k, m * m, m, m) or made(type, shift, k, m, m)
   end },
   { 'matrix from vectors', function(type, shift, k, n)
      local m = square(n)
      if k == 1 then return made(type, shift, k, m * m, m, m) end
      return made(type, shift, k, m, m)
   end },
   { 'batch', function(type, shift, k, n)
      local m = square(n / 4)
      return made(type, shift, k, 4 * m * m, 4, m, m)
   end },
   { 'matrix and batches', function(type, shift, k, n)
      local m = square(n / 4)
      if k == 1 then return made(type, shift, k, m * m, m, m) end
      return made(type, shift, k, 4 * m * m, 4, m, m)
   end },
   { 'image', function(type, shift, k, n)
      local m = math.max(5, square(n))
      if k == 1 then return made(type, shift, k, m * m, m, m) end
      return made(type, shift, k, 25, 5, 5)
   end },
   { 'images', function(type, shift, k, n)
      local m = math.max(3, math.floor((n / 3) ^ 0.5))
      if k == 1 then return made(type, shift, k, 3 * m * m, 3, m, m) end
      return made(type, shift, k, 54, 2, 3, 3, 3)
   end },
   { 'volume', function(type, shift, k, n)
      local m = math.max(3, math.floor(n ^ (1 / 3)))
      if k == 1 then return made(type, shift, k, m ^ 3, m, m, m) end
      return made(type, shift, k, 27, 3, 3, 3)
   end },
   { 'threes', function(type, shift, k, n)
      local m = math.max(1, math.floor(n / 3))
      return made(type, shift, k, 3 * m, 3, m)
   end },
   { 'definite', function(type, shift, k, n)
      local m = math.min(square(n), 200)
      local t = made(type, shift, k, m * m, m, m)
      for i = 1, m do
         for j = 1, i do t[i][j] = t[j][i] end
         t[i][i] = t[i][i] + m
      end
      return t
   end },
}

-- An argument for a slot of a form, nil when it stays away; false when there is none.
local function argument(slot, type, profile, shift, k, n)
   local letter = slot.letter
   if letter == 't' then return profile(type, shift, k, n) end
   if slot.group and letter ~= 'b' then return nil end
   if letter == 'r' or letter == 'R' then return profile(type, shift, 1, n) end
   if letter == 'v' then return (type == 'Double' or type == 'Float') and 0.5 or 2 end
   if letter == 'n' then return 2 end
   if letter == 'd' then return 1 end
   if letter == 'b' then return true end
   if letter == 'L' or letter == 'B' then
      local like = profile(type, 0, 1, n)
      local t = torch[letter == 'L' and 'LongTensor' or 'ByteTensor']():resize(like:size())
      local data = t:data()
      state = 7
      for i = 0, t:nElement() - 1 do
         data[i] = letter == 'L' and 1 + math.floor(draw() * like:size(1)) or draw() + 0.5
      end
      return t
   end
   if letter == 'D' or letter == 'F' then return profile(letter == 'D' and 'Double' or 'Float', shift, k, n) end
   return false
end

-- The results as strings of bytes.
local function bits_of(...)
   local all = {}
   for i = 1, select('#', ...) do
      local value = select(i, ...)
      if torch.isTensor(value) then
         value = value:contiguous()
         all[i] = table.concat(value:size():totable(), 'x') .. ':'
            .. (value:dim() > 0 and ffi.string(value:data(), value:nElement() * value:elementSize()) or '')
      elseif type(value) == 'number' then
         all[i] = ffi.string(ffi.new('double[1]', value), 8)
      else
         all[i] = tostring(value)
      end
   end
   return table.concat(all, ' ')
end

local function checksum(text)
   local padded, h = text .. '   ', 0
   local words = ffi.cast('const int32_t *', padded)
   for i = 0, math.floor(#padded / 4) - 1 do h = bit.tobit(bit.bxor(bit.rol(h, 5), words[i]) * 3 + i) end
   return h
end

-- Calls that follow from no form.
local others = {
   zeros = function(type, n) return torch[type .. 'Tensor'](n):zero() end,
   ones = function(type, n) return torch[type .. 'Tensor'](n):fill(1) end,
   rand = function(type, n) return torch.rand(torch[type .. 'Tensor'](), n) end,
   randn = function(type, n) return torch.randn(torch[type .. 'Tensor'](), n) end,
   full = function(type, n) return torch.full(torch[type .. 'Tensor'](), n, 3) end,
   item = function(type, _, shift) return made(type, shift, 1, 1, 1):item() end,
   where = function(type, n, shift)
      local x = made(type, shift, 1, n, n)
      return torch.where(x:gt(0), x, 1)
   end,
   einsum = function(type, n, shift)
      local m = square(n)
      local a, b = made(type, shift, 1, m * m, m, m), made(type, shift, 2, m * m, m, m)
      return torch.einsum('ij,jk,kl->il', a, b, a), torch.einsum('ij,ij->i', a, b), torch.einsum('ij,ji', a, b),
         torch.einsum('ij,k->ik', a, b[1])
   end,
   ormqr = function(type, n, shift)
      local m = math.min(square(n), 200)
      local a = made(type, shift, 1, m * m, m, m)
      local v, tau = torch.geqrf(a)
      return torch.ormqr(v, tau, a)
   end,
   multinomialAliasSetup_ = function(type, n, shift)
      local p = made(type, shift, 1, n, n)
      return torch.multinomialAliasSetup(p:div(p:sum()))[1]
   end,
   multinomialAlias_ = function(type, n, shift)
      local p = made(type, shift, 1, n, n)
      return torch.multinomialAlias(torch.LongTensor(100), torch.multinomialAliasSetup(p:div(p:sum())))
   end,
}
local function other_call(f, type, size, shift)
   torch.manualSeed(3)
   local results = { pcall(f, type, size, shift) }
   if not results[1] then return false end
   return true, bits_of(unpack(results, 2, table.maxn(results)))
end

local function one_call(name, call, slots, type, profile, size, shift)
   if call == 'other' then return other_call(others[name], type, size, shift) end
   local arguments, count, k = {}, 0, 0
   for _, slot in ipairs(slots) do
      if slot.letter == 't' or slot.letter == 'D' or slot.letter == 'F' then k = k + 1 end
      local value = argument(slot, type, profile, shift, k, size)
      if value == false then return false end
      if value ~= nil then
         count = count + 1
         arguments[count] = value
      end
   end
   torch.manualSeed(3)
   local f = torch[name]
   if call == 'method' then
      f = torch.isTensor(arguments[1]) and arguments[1][name]
      if not f then return false end
   end
   local results = { pcall(f, unpack(arguments, 1, count)) }
   if not results[1] then return false end
   -- What a method gave is often its tensor itself.
   return true, bits_of(unpack(results, 2, table.maxn(results)))
end

-- The result of some operations has a row and a column for each element of a vector, or for each column of a matrix:
-- 250,000 elements are cut into chunks as a million would be.
local squared = { addr = true, diag = true, gels = true, ger = true, match = true }
local longest = { vector = 500, strided = 500, tall = 4000, wide = 4000, threes = 1000 }

local cases = {}
for _, chapter in ipairs(chapters) do
   local package = install.by_name.torch
   for _, row in ipairs(install.rows_of(package, chapter[1])) do
      if others[row[1]] then
         for _, type in ipairs(TYPES) do
            for _, size in ipairs(SIZES) do cases[#cases + 1] = { row[1], 'other', '', type, { '' }, size } end
         end
      end
      for i = 2, #row do
         for _, type in ipairs(TYPES) do
            for _, profile in ipairs(profiles) do
               if profile[1] == 'definite' and chapter[1] ~= 'linalg' then break end
               for _, size in ipairs(SIZES) do
                  if squared[row[1]] then size = math.min(size, longest[profile[1]] or size) end
                  cases[#cases + 1] = { row[1], row.only or row[i].only or 'function', row[i][1], type, profile, size }
               end
            end
         end
      end
   end
end

local covered = {}
local first, last, step = 1, #cases, 1
if BACKWARDS then first, last, step = #cases, 1, -1 end
for c = first, last, step do
   local name, call, form, type, profile, size = unpack(cases[c])
   local slots = signatures.parse(form)
   torch.setnumthreads(THREADS[1])
   local fine, bits = one_call(name, call, slots, type, profile[2], size, 0)
   if fine then
      covered[name] = true
      local changed = false
      for k = 1, TIMES do
         torch.setnumthreads(THREADS[k % #THREADS + 1])
         local _, again = one_call(name, call, slots, type, profile[2], size, k % 5)
         changed = changed or again ~= bits
      end
      print(('%s %s %s %s %d %s %s'):format(name, form:gsub(' ', '_'), type, profile[1]:gsub(' ', '_'), size,
         checksum(bits), changed and 'CHANGED' or 'same'))
   end
end
local missing = {}
for _, chapter in ipairs(chapters) do
   -- Names have nothing to do with elements.
   for _, row in ipairs(install.rows_of(install.by_name.torch, chapter[1])) do
      if chapter[1] ~= 'names' and not covered[row[1]] then missing[#missing + 1] = row[1] end
   end
end
table.sort(missing)
print('MISSING ' .. table.concat(missing, ' '))
