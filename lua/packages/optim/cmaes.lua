-- CMA-ES: samples of a normal distribution whose mean and covariance follow the better ones. No gradient is
-- needed. The steps are those of Hansen's barecmaes2.

local torch = require 'torch'
local check, state_of = require 'torch.base.check', require 'optim.state_of'
local floor, log, max, min, sqrt = math.floor, math.log, math.max, math.min, math.sqrt

-- The weights of the better half, and the constants that follow from them, named as in the literature.
local function strategy(n, lambda)
   local half = lambda / 2
   local weights = torch.range(0, half - 1):apply(function(i) return log(half + 0.5) - log(i + 1) end)
   weights:div(weights:sum())
   local s = { weights = weights, parents = floor(half) }
   local mueff = weights:sum() ^ 2 / torch.pow(weights, 2):sum()
   s.mueff = mueff
   s.cc = (4 + mueff / n) / (n + 4 + 2 * mueff / n)
   s.cs = (mueff + 2) / (n + mueff + 5)
   s.c1 = 2 / ((n + 1.3) ^ 2 + mueff)
   s.cmu = min(1 - s.c1, 2 * (mueff - 2 + 1 / mueff) / ((n + 2) ^ 2 + mueff))
   s.damps = 2 * mueff / lambda + 0.3 + s.cs
   return s
end

-- config: sigma (the first deviation), popsize, maxEval, ftarget (the value at which to stop), min_iterations,
-- verb_disp (print every n generations). Returns the best point as a vector; the values at the start, of the best point
-- of each generation, and of the best point; and the number of evaluations. x is not changed.
return function(opfunc, x, config, state)
   local _
   _, config = state_of.open('cmaes', opfunc, x, config, state)
   local n = x:nElement()
   local sigma = config.sigma or 0.3
   local lambda = check.integer('cmaes', 'config.popsize', config.popsize or 4 + floor(3 * log(n)), 2)
   local maxEval, target = config.maxEval or 1e3 * n ^ 2, config.ftarget
   local display, min_generations = config.verb_disp or 0, config.min_iterations or 1

   local s = strategy(n, lambda)
   local weights = s.weights:typeAs(x)
   local mean = x:clone():view(-1)
   local pc, ps = x.new(n):zero(), x.new(n):zero()
   local C = torch.eye(n):typeAs(x)
   local axes, deviations, inverse_root = C:clone(), x.new(n):fill(1), C:clone()      -- of the covariance C
   local samples, values = x.new(lambda, n), torch.Tensor(lambda)
   local history = { (opfunc(x)) }
   state_of.value('cmaes', history[1])
   local evaluations, decomposed, generation = 0, 0, 0
   local best, best_value, found_at

   local function sample()
      if evaluations - decomposed > lambda / (s.c1 + s.cmu) / n / 10 then
         decomposed = evaluations
         C = torch.triu(C) + torch.triu(C, 1):t()
         deviations, axes = torch.symeig(C, 'V')
         deviations = torch.sqrt(deviations)
         inverse_root = axes * torch.diag(torch.pow(deviations, -1)) * axes:t()
      end
      for k = 1, lambda do
         local z = deviations:clone():normal(0, 1):cmul(deviations)
         samples[k]:copy(torch.add(mean, (axes * z) * sigma))
      end
   end

   local function adapt()
      evaluations = evaluations + lambda
      local before = mean:clone()
      local order
      values, order = torch.sort(values)
      local better = samples:index(1, order:narrow(1, 1, s.parents))
      history[#history + 1] = values[1]
      if not best_value or values[1] < best_value then
         best, best_value, found_at = better[1]:clone(), values[1], evaluations
      end

      mean:zero():addmv(better:t(), weights)
      local step = mean - before
      ps = ps - ps * s.cs + (inverse_root * step) * ((s.cs * (2 - s.cs) * s.mueff) ^ 0.5 / sigma)
      local length = torch.sum(torch.pow(ps, 2))
      local settled = 1 - (1 - s.cs) ^ (2 * evaluations / lambda)
      local short = length / settled / n < 2 + 4 / (n + 1) and 1 or 0
      pc = pc - pc * s.cc + step * ((s.cc * (2 - s.cc) * s.mueff) ^ 0.5 / sigma) * short

      local c1a = s.c1 - (1 - short ^ 2) * s.c1 * s.cc * (2 - s.cc)
      local terms = torch.Tensor(s.parents)
      for i = 1, n do
         for j = 1, n do
            for k = 1, s.parents do
               terms[k] = weights[k] * (better[k][i] - before[i]) * (better[k][j] - before[j])
            end
            local rank_mu = torch.sum(terms) / sigma ^ 2
            C[i][j] = C[i][j] + ((-c1a - s.cmu) * C[i][j] + s.c1 * pc[i] * pc[j] + s.cmu * rank_mu)
         end
      end
      sigma = sigma * math.exp(min(0.6, (s.cs / s.damps) * (length / n - 1) / 2))
   end

   -- The reasons to stop, a list of names and numbers.
   local function reasons()
      local found = {}
      if evaluations == 0 then return found end
      local function add(condition, name, bound)
         if condition then found[#found + 1] = { name, bound } end
      end
      local widest = torch.max(deviations)
      add(evaluations >= maxEval, 'evals', maxEval)
      add(target and values[1] <= target, 'ftarget', target)
      add(widest > 1e7 * torch.min(deviations), 'condition', 1e7)
      add(values[lambda] - values[1] < 1e-12, 'tolfun', 1e-12)
      add(sigma * widest < 1e-11, 'tolx', 1e-11)
      return found
   end

   local function show()
      if display == 0 then return end
      if generation == 1 or generation % (10 * display) == 0 then _G.print 'evals:\t ax-ratio max(std)   f-value' end
      if generation <= 2 or generation % display == 0 then
         local widest = sqrt(max(torch.max(torch.diag(C)), 0))
         _G.print(string.format('%d:  %6.1f %8.1e %s', evaluations, torch.max(deviations) / torch.min(deviations),
            sigma * widest, tostring(values[1])))
      end
   end

   while #reasons() == 0 or generation < min_generations do
      generation = generation + 1
      sample()
      for i = 1, lambda do values[i] = state_of.value('cmaes', (opfunc(samples[i]:viewAs(x)))) end
      adapt()
      show()
   end
   if display > 0 then
      for _, reason in ipairs(reasons()) do _G.print('termination by', reason[1], '=', reason[2]) end
      _G.print('best f-value =', best_value)
      _G.print 'solution = '
      _G.print(best)
      _G.print('best found at iteration: ', found_at / lambda, ' , total iterations: ', generation)
   end
   history[#history + 1] = best_value
   return best or mean, history, evaluations
end
