-- A line search for the strong conditions of Wolfe: a bracket is found first, then made smaller.

local torch = require 'torch'
local check = require 'torch.base.check'
local state_of, polyinterp = require 'optim.state_of', require 'optim.polyinterp'

-- From x with value f, gradient g and slope gtd along d: the value and gradient at the end, x, the step t,
-- and how many evaluations it took.
return function(opfunc, x, t, d, f, g, gtd, options)
   check.callable('lswolfe', 'opfunc', opfunc)
   check.real('lswolfe', 'x', x)
   check.number('lswolfe', 't', t)
   check.same_type('lswolfe', 'd', d, x)
   check.same_size('lswolfe', 'd', d, x)
   check.number('lswolfe', 'f', f)
   check.same_type('lswolfe', 'g', g, x)
   check.number('lswolfe', 'gtd', gtd)
   options = check.kind('lswolfe', 'options', options or {}, 'table')
   for _, field in ipairs { 'c1', 'c2', 'tolX', 'maxIter' } do
      if options[field] then check.number('lswolfe', 'options.' .. field, options[field]) end
   end
   local c1, c2 = options.c1 or 1e-4, options.c2 or 0.9
   local tolX, maxIter = options.tolX or 1e-9, options.maxIter or 20
   local start = x:clone()
   local evaluations = 0

   local function at(step)
      x:copy(start):add(step, d)
      local value, gradient = state_of.evaluate('lswolfe', opfunc, x)
      state_of.value('lswolfe', value)
      evaluations = evaluations + 1
      gradient = gradient:clone()
      return value, gradient, gradient:dot(d)
   end

   local function legal(value) return value == value and math.abs(value) < math.huge end

   local f_new, g_new, slope = at(t)
   local t_prev, f_prev, g_prev, slope_prev = 0, f, g:clone(), gtd
   local bracket, values, gradients, slopes
   local found, iteration = false, 0

   while iteration < maxIter do
      if not legal(f_new) then
         -- The function is undefined here: step back by half.
         t = (t + t_prev) / 2
         f_new, g_new, slope = at(t)
      elseif f_new > f + c1 * t * gtd or iteration > 1 and f_new >= f_prev then
         bracket, values = { t_prev, t }, { f_prev, f_new }
         gradients, slopes = { g_prev, g_new }, { slope_prev, slope }
         break
      elseif math.abs(slope) <= -c2 * gtd then
         bracket, values, gradients, slopes = { t }, { f_new }, { g_new }, { slope }
         found = true
         break
      elseif slope >= 0 then
         bracket, values = { t_prev, t }, { f_prev, f_new }
         gradients, slopes = { g_prev, g_new }, { slope_prev, slope }
         break
      else
         local least, most = t + 0.01 * (t - t_prev), t * 10
         local before = t
         t = polyinterp(torch.DoubleTensor { { t_prev, f_prev, slope_prev }, { t, f_new, slope } }, least, most)
         t_prev, f_prev, g_prev, slope_prev = before, f_new, g_new, slope
         f_new, g_new, slope = at(t)
      end
      iteration = iteration + 1
   end
   if not bracket then
      bracket, values, gradients, slopes = { 0, t }, { f, f_new }, { g:clone(), g_new }, { gtd, slope }
   end

   local insufficient = false
   while not found and iteration < maxIter and #bracket == 2 do
      local low = values[1] <= values[2] and 1 or 2
      local high = 3 - low
      t = polyinterp(torch.DoubleTensor { { bracket[1], values[1], slopes[1] }, { bracket[2], values[2], slopes[2] } })
      -- Points near an end of the bracket make little progress.
      local left, right = math.min(bracket[1], bracket[2]), math.max(bracket[1], bracket[2])
      local width = right - left
      if math.min(right - t, t - left) / width < 0.1 then
         if insufficient or t >= right or t <= left then
            t = math.abs(t - right) < math.abs(t - left) and right - 0.1 * width or left + 0.1 * width
            insufficient = false
         else
            insufficient = true
         end
      else
         insufficient = false
      end
      f_new, g_new, slope = at(t)
      if f_new > f + c1 * t * gtd or f_new >= values[low] then
         bracket[high], values[high], gradients[high], slopes[high] = t, f_new, g_new, slope
      else
         if math.abs(slope) <= -c2 * gtd then
            found = true
         elseif slope * (bracket[high] - bracket[low]) >= 0 then
            bracket[high], values[high] = bracket[low], values[low]
            gradients[high], slopes[high] = gradients[low], slopes[low]
         end
         bracket[low], values[low], gradients[low], slopes[low] = t, f_new, g_new, slope
      end
      if not found and math.abs((bracket[1] - bracket[2]) * slope) < tolX then break end
      iteration = iteration + 1
   end

   local best = #bracket == 2 and values[2] < values[1] and 2 or 1
   t = bracket[best]
   x:copy(start):add(t, d)
   return values[best], gradients[best], x, t, evaluations
end
