-- CMA-ES: samples of a normal distribution whose mean and covariance follow the better ones. No gradient is
-- needed.

local torch = require 'torch'
local check, state_of = require 'torch.base.check', require 'optim.state_of'

-- config: sigma (the first deviation), popsize, maxEval, ftarget (a value that is good enough), verb_disp
-- (print every n generations). Returns the best point, also in x, the best value of each generation, and
-- how many evaluations it took.
return function(opfunc, x, config, state)
   config = state_of.open('cmaes', opfunc, x, config, state)
   local n = x:nElement()
   local sigma = config.sigma or 0.3
   local lambda = check.integer('cmaes', 'config.popsize', config.popsize or 4 + math.floor(3 * math.log(n)), 2)
   local maxEval = check.integer('cmaes', 'config.maxEval', config.maxEval or 1000 * n * n, 1)
   local target, display = config.ftarget or -1 / 0, config.verb_disp or 0

   -- The weights of the better half, and how fast means are adapted.
   local mu = math.floor(lambda / 2)
   local weights, sum, squares = {}, 0, 0
   for i = 1, mu do
      weights[i] = math.log(lambda / 2 + 0.5) - math.log(i)
      sum = sum + weights[i]
   end
   for i = 1, mu do
      weights[i] = weights[i] / sum
      squares = squares + weights[i] ^ 2
   end
   local mueff = 1 / squares
   local cc = (4 + mueff / n) / (n + 4 + 2 * mueff / n)
   local cs = (mueff + 2) / (n + mueff + 5)
   local c1 = 2 / ((n + 1.3) ^ 2 + mueff)
   local cmu = math.min(1 - c1, 2 * (mueff - 2 + 1 / mueff) / ((n + 2) ^ 2 + mueff))
   local damps = 1 + 2 * math.max(0, math.sqrt((mueff - 1) / (n + 1)) - 1) + cs
   local expected = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))

   local mean = x:double():contiguous():view(-1):clone()
   local pc, ps, C = torch.DoubleTensor(n):zero(), torch.DoubleTensor(n):zero(), torch.eye(n):double()
   local history, evaluations, generation = {}, 0, 0
   local best, best_value
   local point = x.new():resizeAs(x)

   while evaluations < maxEval do
      generation = generation + 1
      local values, axes = torch.symeig(C, 'V')
      local deviations = values:cmax(1e-20):sqrt()
      local samples = {}
      for i = 1, lambda do
         local z = torch.DoubleTensor(n):normal()
         local at = mean + (axes * torch.cmul(deviations, z)) * sigma
         local value = state_of.value('cmaes', (opfunc(point:copy(at))))
         evaluations = evaluations + 1
         samples[i] = { at = at, value = value, order = i }
         if best == nil or value < best_value then best, best_value = at, value end
      end
      table.sort(samples, function(a, b)
         if a.value ~= b.value then return a.value < b.value end
         return a.order < b.order
      end)
      history[generation] = best_value
      if display > 0 and generation % display == 0 then
         _G.print(('cmaes: %d evaluations, best %g, sigma %g'):format(evaluations, best_value, sigma))
      end
      if best_value <= target then break end

      local before = mean:clone()
      mean:zero()
      for i = 1, mu do mean:add(weights[i], samples[i].at) end
      local step = (mean - before) / sigma
      -- The step in coordinates in which the distribution is round.
      local round = axes * torch.cdiv(axes:t() * step, deviations)
      ps:mul(1 - cs):add(math.sqrt(cs * (2 - cs) * mueff), round)
      local length = ps:norm()
      local short = length / math.sqrt(1 - (1 - cs) ^ (2 * generation)) / expected < 1.4 + 2 / (n + 1)
      pc:mul(1 - cc)
      if short then pc:add(math.sqrt(cc * (2 - cc) * mueff), step) end
      local kept = 1 - c1 - cmu + (short and 0 or c1 * cc * (2 - cc))
      C:mul(kept):addr(c1, pc, pc)
      for i = 1, mu do
         local d = (samples[i].at - before) / sigma
         C:addr(cmu * weights[i], d, d)
      end
      sigma = sigma * math.exp(math.min(1, (cs / damps) * (length / expected - 1)))
   end
   x:copy(best)
   return x, history, evaluations
end
