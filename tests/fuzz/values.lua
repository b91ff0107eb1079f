-- Random values for calls: plausible ones, so that calls get far, and wrong ones, so that they are refused.
--
-- All randomness comes from a generator of our own, seeded for each call: a call can be repeated alone.

local ffi = require 'ffi'
local types = require 'torch.base.types'
local guarded = require 'guarded'

local values = {}

-- A multiplicative congruential generator: its state is a whole number below 2^31, exact in doubles.
local state = 1

function values.seed(seed)
   state = (seed * 7919 + 104729) % 2147483647
   if state == 0 then state = 1 end
   for _ = 1, 3 do state = state * 48271 % 2147483647 end
end

local function random(n)
   state = state * 48271 % 2147483647
   return state % n + 1
end
values.random = random

local function pick(list) return list[random(#list)] end

local function chance(percent) return random(100) <= percent end
values.chance = chance

local shapes = { { 3 }, { 4 }, { 2, 3 }, { 3, 3 }, { 4, 4 }, { 2, 3, 4 }, { 1 }, { 1, 3 }, { 3, 1 }, { 2, 1, 3 },
   { 2, 2, 2, 2 }, { 1, 2, 1, 2, 2 }, { 2, 1, 2, 1, 2, 2 }, { 40 }, { 16, 20 }, { 5, 7, 3 } }

function values.shape() return pick(shapes) end

local function product(shape)
   local n = 1
   for k = 1, #shape do n = n * shape[k] end
   return n
end

-- A storage of n elements: in LuaJIT's heap, in a separate block, or before or after a page nobody may touch.
local function storage(T, n)
   if guarded and n * T.size <= guarded.bytes and chance(40) then return guarded.storage(T, n, chance(50)) end
   return torch[T.name .. 'Storage'](n)
end

-- NaNs whose bits are those of strings, tables and nil in Lua, by the size of an element.
local payloads = {
   [8] = { 0xFFFD800041414140ULL, 0xFFFA000041414140ULL, 0xFFFFFFFFFFFFFFFFULL, 0x7FFD800041414140ULL },
   [4] = { 0xFFEC0000, 0xFFD00000, 0xFFFFFFFF, 0x7FEC0000 },
   [2] = { 0xFFFF, 0x7FFF, 0xFD80, 0x7D01 },
}
local words = { [8] = 'uint64_t *', [4] = 'uint32_t *', [2] = 'uint16_t *' }

local function forge(T, s)
   local p, list = ffi.cast(words[T.size], s:data()), payloads[T.size]
   for i = 0, #s - 1 do
      if chance(60) then p[i] = pick(list) end
   end
end

-- Few different numbers, most of them small and positive, so that tensors of indices are often right.
local function set_elements(T, s)
   local mode = random(11)
   for i = 1, #s do
      local value = random(4)
      if mode == 1 then value = random(2) - 1
      elseif mode == 2 then value = random(9) - 5
      elseif mode == 3 and not T.integer then value = (random(2000) - 1000) / 300
      elseif mode == 4 and chance(20) then
         value = pick(T.integer and { 127, -128, 255, 2 ^ 31 - 1, -2 ^ 31 } or { 0 / 0, 1 / 0, -1 / 0, 1e300, -0.0 })
      end
      s[i] = value
   end
   if mode == 11 and not T.integer and #s > 0 then forge(T, s) end
end

-- Views that are not contiguous, made of a contiguous tensor.
local layouts = {
   function(t) return t:dim() > 1 and t:transpose(1, t:dim()) or t end,
   function(t) return t:size(1) > 1 and t:narrow(1, 2, t:size(1) - 1) or t end,
   function(t) return t:narrow(t:dim(), 1, math.max(1, t:size(t:dim()) - 1)) end,
   function(t) return t:dim() > 1 and t:select(t:dim(), 1) or t end,
   function(t) return t:dim() > 1 and t:select(1, t:size(1)) or t end,
   function(t) return t:unfold(1, math.min(2, t:size(1)), 1) end,
   function(t)
      local first = t:narrow(1, 1, 1)
      local sizes = first:size()
      sizes[1] = random(4)
      return first:expand(sizes)
   end,
   function(t) return t.new(t:storage(), 1, torch.LongStorage { 2, 2 }, torch.LongStorage { 0, 0 }) end,
}

-- Names for a number of dimensions.
local function named(dim)
   local list = {}
   for d = 1, dim do list[d] = chance(80) and string.char(96 + d) or '_' end
   return list
end

-- A tensor of type T with about the sizes of a shape; maybe a view of memory that another one looks at.
function values.tensor(T, shape, pool)
   if chance(6) then return torch[T.name .. 'Tensor']() end
   local n = product(shape)
   local s
   if pool and pool[T] and chance(25) and #pool[T] >= n then s = pool[T]
   else
      s = storage(T, n + (chance(30) and random(5) or 0))
      set_elements(T, s)
      if pool then pool[T] = s end
   end
   local sizes = torch.LongStorage(shape)
   local t = torch[T.name .. 'Tensor'](s, #s - n > 0 and random(#s - n + 1) or 1, sizes)
   if chance(35) then t = pick(layouts)(t) end
   if chance(3) then s:resize(0) end
   if chance(4) then t:setNames(named(t:dim())) end
   return t
end

local numbers = { 0, 1, 2, 3, 4, -1, -2, 0.5, 1.5, -0.5, 5, 17, 64, 2 ^ 31, 2 ^ 32 + 1, -2 ^ 31, 2 ^ 53, 1e18, -1e18,
   1e300, 0 / 0, 1 / 0, -1 / 0, -0.0 }

function values.number()
   if chance(75) then return random(4) end
   return pick(numbers)
end

local strings = { '', 'abc', '1', '2', '-3', '0x2', 'nan', '1e300', 'torch.DoubleTensor', 'torch.FloatTensor',
   'i,i', 'ij,jk->ki', '...i->...',
   'torch.LongTensor', 'torch.Tensor', 'torch.HalfTensor', '\0', '%s%d', ('x'):rep(300), 'V', 'N', 'U', 'r', 'w',
   'ascii', 'binary', 'a', 'b', 'c', '...' }

local self_shaped = setmetatable({}, { __index = function(_, key) return key == 'dim' and 1 or nil end })

local function user_function() return pick {
   function(...) return ... end,
   function() return nil end,
   function() return 'text' end,
   function() error('raised by the function of the call', 0) end,
   function() collectgarbage() return 1 end,
   math.abs, print and tostring,
} end

local function cdata()
   return pick { ffi.new('int[3]'), 1LL, 2ULL, ffi.cast('void *', 0), ffi.new('double[2]'), ffi.typeof('int') }
end

-- Lists: of numbers, of tensors, nested, ragged, with holes.
local function list(T, shape, pool)
   return pick {
      function() return {} end,
      function() return { random(3), random(3), random(3) } end,
      function() return { { random(3), random(3) }, { random(3), random(3) } } end,
      function() return { { 1 }, { 1, 2 } } end,
      function() return { random(2), {} } end,
      function() return { {}, random(2) } end,
      function() return { { 1, random(3) } } end,
      function() return { values.tensor(T, shape, pool), values.tensor(T, shape, pool) } end,
      function() return { values.tensor(T, shape, pool), values.number() } end,
      function() return { 1, nil, 2 } end,
      function() return { 'abc', 1 / 0, 0 / 0 } end,
      function() return { a = 1, dim = 2 } end,
      function() return self_shaped end,
      function() return { values.number(), values.number() } end,
      function() return { { values.number(), values.number() }, values.number() } end,
   }()
end

function values.sizes()
   local s = torch.LongStorage(random(4) - 1)
   for i = 1, #s do s[i] = chance(80) and random(4) or pick { 0, -1, 2 ^ 40, -2 ^ 62 } end
   return s
end

local Long, Byte = types.by_name.Long, types.by_name.Byte

function values.mask(shape, pool)
   local m = values.tensor(Byte, shape, chance(20) and pool or nil)
   if chance(90) and m:nElement() > 0 and m:isContiguous() then m:apply(function() return random(2) - 1 end) end
   return m
end

function values.indices(shape) return values.tensor(Long, chance(50) and { random(3) } or shape) end

-- Anything, for an argument of a call with tensors of type T.
function values.any(T, shape, pool)
   local k = random(100)
   if k <= 34 then return values.tensor(T, chance(80) and shape or pick(shapes), pool) end
   if k <= 60 then return values.number() end
   if k <= 66 then return values.indices(shape) end
   if k <= 71 then return values.mask(shape, pool) end
   if k <= 76 then return values.tensor(pick(types.rows), chance(60) and shape or pick(shapes), pool) end
   if k <= 80 then return values.sizes() end
   if k <= 83 then return storage(chance(60) and T or pick(types.rows), random(9) - 1) end
   if k <= 88 then return list(T, shape, pool) end
   if k <= 91 then return pick(strings) end
   if k <= 94 then return user_function() end
   if k <= 96 then return chance(50) end
   if k <= 97 then return cdata() end
   if k <= 98 then return pick { newproxy(), newproxy(true), io.stdout, coroutine.create(print) } end
   return nil
end

-- A value for a letter of an argument form (see torch/base/signatures.lua).
function values.for_letter(letter, T, shape, pool)
   if letter == 'r' or letter == 'R' or letter == 't' then return values.tensor(T, shape, pool) end
   if letter == 'L' then return values.indices(shape) end
   if letter == 'B' then return values.mask(shape, pool) end
   if letter == 'd' or letter == 'n' then return random(3) end
   if letter == 'v' then return values.number() end
   if letter == 's' then return pick(strings) end
   if letter == 'b' or letter == 'k' then return chance(50) end
   if letter == 'T' then return list(T, shape, pool) end
   return values.any(T, shape, pool)
end

return values
