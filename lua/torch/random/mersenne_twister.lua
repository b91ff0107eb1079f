-- The Mersenne Twister mt19937, giving the same streams as Torch7 from the same seed: the state of a
-- generator, its seeding and its numbers. distributions.lua makes distributions of them.

local ffi = require 'ffi'
local host, nan_payloads = require 'torch.native.host', require 'torch.loops.nan_payloads'
local doubles = require('torch.base.types').by_name.Double
local kernels = require 'torch.native.kernels' 'random/twister'
local cast, tonumber = ffi.cast, tonumber

local mersenne_twister = {}

local N = 624

local generator_ct = ffi.typeof 't7_generator'
mersenne_twister.generator_ct = generator_ct

-- Starts the stream of a seed, an integer; its lower 32 bits count.
function mersenne_twister.seed(g, seed)
   g.seed, g.seeded, g.normal_valid = seed, 1, 0
   g.normal_x, g.normal_y, g.normal_rho = 0, 0, 0
   kernels.t7_twister_seed(g.word, seed % 2 ^ 32)
   g.left, g.next = 1, 0
end

-- A seed from the operating system's source of entropy.
function mersenne_twister.fresh_seed(g)
   mersenne_twister.seed(g, host.entropy())
   return g.seed
end

-- Renews the state: the next 624 numbers are in `bits` and `unit`.
local function refill(g)
   if g.seeded == 0 then mersenne_twister.fresh_seed(g) end
   kernels.t7_twister_twist(g.word)
   kernels.t7_twister_temper(g.word, g.bits, g.unit)
   g.left, g.next = N + 1, 0
end
mersenne_twister.refill = refill

-- The next 32 random bits as a number from 0 to 2^32 - 1.
local function next_bits(g)
   if g.left == 1 then refill(g) end
   local i = g.next
   g.next, g.left = i + 1, g.left - 1
   return g.bits[i]
end
mersenne_twister.next = next_bits

function mersenne_twister.uniform(g)
   if g.left == 1 then refill(g) end
   local i = g.next
   g.next, g.left = i + 1, g.left - 1
   return g.unit[i]
end

-- The state as Torch7's struct has it in memory on 64-bit machines, so that saved states are exchanged.
local stored_ct = ffi.typeof [[
struct {
   int64_t seed; int32_t left, seeded; int64_t next; int64_t state[624];
   double normal_x, normal_y, normal_rho; int32_t normal_valid, padding;
}]]
local stored_pointer = ffi.typeof('$ *', stored_ct)
mersenne_twister.STATE_BYTES = ffi.sizeof(stored_ct)
local NORMALS = ffi.offsetof(stored_ct, 'normal_x')

function mersenne_twister.write_state(g, address)
   if g.seeded == 0 then mersenne_twister.fresh_seed(g) end
   local s = cast(stored_pointer, address)
   s.seed, s.left, s.seeded, s.next = g.seed, g.left, 1, g.next
   for j = 0, N - 1 do s.state[j] = g.word[j] end
   s.normal_x, s.normal_y, s.normal_rho = g.normal_x, g.normal_y, g.normal_rho
   s.normal_valid, s.padding = g.normal_valid, 0
end

-- Takes the state from the bytes at `address`, which may change; false when they cannot be one.
function mersenne_twister.read_state(g, address)
   local s = cast(stored_pointer, address)
   local next_index = tonumber(s.next)
   if s.seeded ~= 1 or s.left < 1 or s.left > N or next_index < 0 or next_index > N
      or s.left > 1 and s.left + next_index ~= N + 1 then
      return false
   end
   g.seed, g.left, g.seeded, g.next = tonumber(s.seed), s.left, 1, next_index
   for j = 0, N - 1 do g.word[j] = tonumber(s.state[j] % 2 ^ 32) end
   kernels.t7_twister_temper(g.word, g.bits, g.unit)
   nan_payloads.clean(doubles, address + NORMALS, 3)
   g.normal_x, g.normal_y, g.normal_rho = s.normal_x, s.normal_y, s.normal_rho
   g.normal_valid = s.normal_valid
   return true
end

-- The generator that is used where none is given.
mersenne_twister.default = generator_ct()
mersenne_twister.default.left = 1

function mersenne_twister.new()
   local g = generator_ct()
   g.left = 1
   return g
end

return mersenne_twister
