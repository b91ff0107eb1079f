-- Differential evolution: members of a population move by differences of others around the best one. No gradient is
-- needed.

local torch = require 'torch'
local check, state_of = require 'torch.base.check', require 'optim.state_of'

-- config: popsize, scaleFactor, crossoverRate, maxFEs (evaluations), minRegion and maxRegion (where to begin). Returns
-- the best point as a vector, and a tensor with the value of each evaluation; x is not changed. Random numbers come
-- from a separate generator with the seed 1, so that calls with the same arguments have the same results.
return function(opfunc, x, config, state)
   config = state_of.open('de', opfunc, x, config, state)
   local dims = x:nElement()
   local size = check.integer('de', 'config.popsize', config.popsize or 10 * dims, 3)
   local scale, rate = config.scaleFactor or 0.5, config.crossoverRate or 0.9
   local max_evaluations = check.integer('de', 'config.maxFEs', config.maxFEs or 1000 * dims, size)
   local generator = torch.Generator()
   torch.manualSeed(generator, 1)

   local history, evaluations = x.new(max_evaluations), 0
   local population, children = x.new(size, dims), x.new(size, dims)
   local fitness, values = x.new(size), x.new(size)
   population:uniform(generator, config.minRegion or -30, config.maxRegion or 30)

   local function evaluate(member)
      local value = state_of.value('de', (opfunc(member)))
      evaluations = evaluations + 1
      history[evaluations] = value
      return value
   end

   for i = 1, size do fitness[i] = evaluate(population[i]) end
   -- As in the original, it begins at the largest value.
   local best_value, index = fitness:max(1)
   best_value = best_value[1]
   local best = population[index[1]]:clone()

   local function other(first, second)
      while true do
         local k = torch.random(generator, 1, size)
         if k ~= first and k ~= second then return k end
      end
   end

   while evaluations < max_evaluations do
      local evaluated = math.min(size, max_evaluations - evaluations)
      for i = 1, evaluated do
         local a = other(i)
         local b = other(a, i)
         local forced = torch.random(generator, 1, dims)
         for j = 1, dims do
            -- The member `forced` takes all coordinates: its number, not that of a coordinate, is compared.
            if torch.uniform(generator, 0, 1) < rate or i == forced then
               children[i][j] = best[j] + scale * (population[a][j] - population[b][j])
            else
               children[i][j] = population[i][j]
            end
         end
         values[i] = evaluate(children[i])
      end
      for i = 1, evaluated do
         if values[i] <= fitness[i] then
            population[i]:copy(children[i])
            fitness[i] = values[i]
            if fitness[i] < best_value then
               best_value = fitness[i]
               best:copy(children[i])
            end
         end
      end
   end
   return best, history
end
