-- The Mersenne Twister mt19937, giving the same streams as Torch7 from the same seed.

local bit = require 'bit'
local ffi = require 'ffi'
local errors = require 'torch.errors'
local element, plan = require 'torch.element', require 'torch.plan'
local band, bor, bxor, lshift, rshift, tobit = bit.band, bit.bor, bit.bxor, bit.lshift, bit.rshift, bit.tobit

local random = {}

local N, M = 624, 397
local state_ct = ffi.typeof 'struct { int32_t word[624]; int32_t left; int32_t next; double seed; }'

-- x * 1812433253 modulo 2^32, in two halves that doubles hold exactly.
local function multiply(x)
   local low, high = band(x, 0xffff), band(rshift(x, 16), 0xffff)
   return tobit(low * 1812433253 % 2 ^ 32 + high * 1812433253 % 2 ^ 16 * 2 ^ 16)
end

function random.seed(state, seed)
   state.seed = seed
   state.word[0] = tobit(seed % 2 ^ 32)
   for j = 1, N - 1 do
      local before = state.word[j - 1]
      state.word[j] = tobit(multiply(bxor(before, rshift(before, 30))) + j)
   end
   state.left, state.next = 1, 0
end

local function twist(m, u, v)
   local mixed = bor(band(u, 0x80000000), band(v, 0x7fffffff))
   return bxor(m, rshift(mixed, 1), band(v, 1) == 1 and 0x9908b0df or 0)
end

local function refill(state)
   local word = state.word
   for j = 0, N - M - 1 do word[j] = twist(word[j + M], word[j], word[j + 1]) end
   for j = N - M, N - 2 do word[j] = twist(word[j + M - N], word[j], word[j + 1]) end
   word[N - 1] = twist(word[M - 1], word[N - 1], word[0])
   state.left, state.next = N, 0
end

-- The next 32 random bits as a number from 0 to 2^32 - 1.
function random.next(state)
   state.left = state.left - 1
   if state.left == 0 then refill(state) end
   local y = state.word[state.next]
   state.next = state.next + 1
   y = bxor(y, rshift(y, 11))
   y = bxor(y, band(lshift(y, 7), 0x9d2c5680))
   y = bxor(y, band(lshift(y, 15), 0xefc60000))
   y = bxor(y, rshift(y, 18))
   return y % 2 ^ 32
end

random.default = state_ct()
random.seed(random.default, 5489)

local next_bits = random.next

-- Fills a tensor with numbers uniformly distributed over [low, high).
function random.fill_uniform(T, t, low, high)
   if t._dim == 0 then return t end
   local set, state, width = element.setter(T), random.default, high - low
   local p = plan.new(1)
   plan.prepare(p, 1, t)
   plan.start(p)
   local data = t._memory._data + t._offset
   repeat
      local offset, step = p.offset[1], p.step[1][0]
      for i = 0, p.size[0] - 1 do set(data, offset + i * step, next_bits(state) * 2 ^ -32 * width + low) end
   until not plan.next(p, 1)
   return t
end

function random.install(torch)
   function torch.manualSeed(seed)
      seed = errors.integer('manualSeed', 1, seed)
      random.seed(random.default, seed)
   end
end

return random
