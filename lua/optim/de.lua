-- Differential evolution: a population whose members are moved by differences of others. No gradient is
-- needed.

local torch = require 'torch'
local check, state_of = require 'torch.base.check', require 'optim.state_of'

-- config: popsize, scaleFactor, crossoverRate, maxFEs (evaluations), minRegion and maxRegion (where to
-- begin). Returns the best point, also in x, and a tensor with the best value after each evaluation.
return function(opfunc, x, config, state)
   config = state_of.open('de', opfunc, x, config, state)
   local dims = x:nElement()
   local size = check.integer('de', 'config.popsize', config.popsize or 10 * dims, 1)
   local scale, rate = config.scaleFactor or 0.5, config.crossoverRate or 0.9
   local maxEval = check.integer('de', 'config.maxFEs', config.maxFEs or 1000 * dims, 1)
   local low, high = config.minRegion or -1, config.maxRegion or 1
   local point = x.new():resizeAs(x)

   local history, evaluations = x.new(maxEval), 0
   local population, fitness = x.new(size, dims):uniform(low, high), {}
   local best, best_value

   local function evaluate(member)
      local value = state_of.value('de', (opfunc(point:copy(member))))
      evaluations = evaluations + 1
      if best == nil or value < best_value then best, best_value = member:clone(), value end
      history[evaluations] = best_value
      return value
   end

   for i = 1, size do
      if evaluations == maxEval then break end
      fitness[i] = evaluate(population[i])
   end

   -- A member that is none of the others.
   local function other(i, a, b)
      while true do
         local k = torch.random(size)
         if k ~= i and k ~= a and k ~= b or size < 4 then return k end
      end
   end

   local trial = x.new(dims)
   while evaluations < maxEval do
      for i = 1, size do
         if evaluations == maxEval then break end
         local a = other(i)
         local b = other(i, a)
         local c = other(i, a, b)
         local forced = torch.random(dims)
         for j = 1, dims do
            if j == forced or torch.uniform() < rate then
               trial[j] = population[a][j] + scale * (population[b][j] - population[c][j])
            else
               trial[j] = population[i][j]
            end
         end
         local value = evaluate(trial)
         if value <= fitness[i] then
            population[i]:copy(trial)
            fitness[i] = value
         end
      end
   end
   x:copy(best)
   return x, history
end
