-- randomkit: random numbers of many distributions, of NumPy. randomkit.gamma(a, b) gives a number, or a tensor where a
-- parameter is one; randomkit.gamma(r, a, b) fills r. The numbers come from torch's generator.

local torch = require 'torch'
local array_calls = require 'torch.utility.array_calls'
local check, types = require 'torch.base.check', require 'torch.base.types'

local randomkit = {}
rawset(_G, 'randomkit', randomkit)

local PARAMETERS = {
   beta = 2, binomial = 2, chisquare = 1, double = 0, random_sample = 0, exponential = 1, f = 2, gamma = 2, gauss = 0,
   standard_normal = 0, geometric = 1, gumbel = 2, hypergeometric = 3, laplace = 2, logistic = 2, lognormal = 2,
   logseries = 1, negative_binomial = 2, noncentral_chisquare = 2, noncentral_f = 3, normal = 2, pareto = 1,
   poisson = 1, power = 1, rayleigh = 1, standard_cauchy = 0, standard_exponential = 0, standard_gamma = 1,
   standard_t = 1, triangular = 3, uniform = 2, vonmises = 2, wald = 2, weibull = 1, zipf = 1,
}

-- Parameters that may be left out.
local DEFAULTS = { uniform = { 0, 1 }, normal = { 0, 1 }, exponential = { 1 } }

-- Two numbers of the normal distribution are made at once; the second one is kept, until there is another seed.
local has_gauss, gauss = 0, 0
local manual_seed = torch.manualSeed
rawset(torch, 'manualSeed', function(...)
   has_gauss = 0
   return manual_seed(...)
end)

-- The numbers of a distribution, which move the generator on.
local function drawn(full, like, ...)
   local state = torch.getRNGState()
   if state[13] == 0 then      -- a generator that has no seed yet
      torch.seed()
      state = torch.getRNGState()
   end
   local found = array_calls.call(full, state, has_gauss, gauss, like or 0, ...)
   torch.setRNGState(found[2])
   has_gauss, gauss = found[3], found[4]
   return found[1]
end

for name, count in pairs(PARAMETERS) do
   local full = 'randomkit.' .. name
   randomkit[name] = function(...)
      local given, result = { ... }, nil
      -- A tensor alone is the parameter of a distribution that has one.
      local fewer = DEFAULTS[name] and #given <= 1 and count > 1
      if types.of_tensor(given[1]) and (#given == count + 1 or fewer) then result = table.remove(given, 1) end
      if #given == 0 and DEFAULTS[name] then given = { unpack(DEFAULTS[name]) } end
      local tensor = array_calls.check_arguments(full, 'parameter', given, count)
      if result and tensor then check.same_size(full, 'the result', result, tensor) end
      local like = result or tensor
      local found = drawn(full, like, unpack(given))
      if not like then return found end
      if result then return array_calls.copy_to(result, found) end
      return torch.DoubleTensor(tensor:size()):copy(found)
   end
end

local MAX_BITS = 2 ^ 32 - 1

local function bits() return torch.random(0, MAX_BITS) end

-- A function of `count` numbers, or of tensors of them, which fills the tensor in front of them, or a new one of Type.
local function for_tensors(name, count, Type, draw)
   name = 'randomkit.' .. name
   return function(...)
      local given, result = { ... }, nil
      if types.of_tensor(given[1]) and #given == count + 1 then result = table.remove(given, 1) end
      local tensor = array_calls.check_arguments(name, 'parameter', given, count)
      if not result and not tensor then return draw(unpack(given)) end
      if result and tensor then check.same_count(name, 'the result', result, tensor) end
      result = result or Type(tensor:size())
      local columns = {}
      for i, value in ipairs(given) do
         columns[i] = types.of_tensor(value) and value:contiguous():view(-1) or value
      end
      local found, row = torch.DoubleTensor(result:nElement()), {}
      for k = 1, found:nElement() do
         for i, column in ipairs(columns) do row[i] = type(column) == 'number' and column or column[k] end
         found[k] = draw(unpack(row))
      end
      return result:copy(found)
   end
end

-- A whole number from 0 to max.
local function interval(max)
   if max == 0 then return 0 end
   local count = 2
   while count <= max do count = 2 * count end
   local value
   repeat value = bits() % count until value <= max
   return value
end

-- Whole numbers from 0 to max; those from low to high; the others are of 32, 64 and 63 bits.
randomkit.interval = for_tensors('interval', 1, torch.DoubleTensor,
   function(max) return interval(check.integer('randomkit.interval', 'max', max, 0, MAX_BITS)) end)
randomkit.randint = for_tensors('randint', 2, torch.IntTensor, function(low, high)
   low = check.integer('randomkit.randint', 'low', low, -MAX_BITS, MAX_BITS)
   return low + interval(check.integer('randomkit.randint', 'high', high, low, low + MAX_BITS) - low)
end)
randomkit.random = for_tensors('random', 0, torch.DoubleTensor, bits)
randomkit.ulong = for_tensors('ulong', 0, torch.DoubleTensor, function() return bits() * 2 ^ 32 + bits() end)
randomkit.long = for_tensors('long', 0, torch.DoubleTensor,
   function() return bits() * 2 ^ 31 + math.floor(bits() / 2) end)

return randomkit
