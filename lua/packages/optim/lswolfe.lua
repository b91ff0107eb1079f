-- A line search for the strong conditions of Wolfe: a bracket is found first, then made smaller.

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
   local evaluations, slope = 0, nil

   local function at(step)
      x:copy(start):add(step, d)
      local value, gradient = state_of.evaluate('lswolfe', opfunc, x)
      state_of.value('lswolfe', value)
      evaluations, slope = evaluations + 1, gradient:dot(d)
      return value, gradient
   end

   -- The bracket: steps and values as tensors of the type of x, to which they are rounded, and gradients.
   local steps, values, gradients
   local function enclose(step, value, gradient, step2, value2, gradient2)
      steps, values, gradients = x.new { step, step2 }, x.new { value, value2 }, x.new(step2 and 2 or 1, d:nElement())
      gradients[1]:copy(gradient)
      if step2 then gradients[2]:copy(gradient2) end
   end
   local function put(k, step, value, gradient)
      steps[k], values[k] = step, value
      gradients[k]:copy(gradient)
   end
   local function lowest() return values:size(1) == 2 and values[2] < values[1] and 2 or 1 end

   local f_new, g_new = at(t)
   -- Copied after the call: if the function returns its gradient in the tensor `g`, that is the later gradient.
   local t_prev, f_prev, g_prev, slope_prev = 0, f, g:clone(), gtd
   local found, iteration = false, 0

   while iteration < maxIter do
      if f_new > f + c1 * t * gtd or iteration > 1 and f_new >= f_prev then
         enclose(t_prev, f_prev, g_prev, t, f_new, g_new)
         break
      elseif math.abs(slope) <= -c2 * gtd then
         enclose(t, f_new, g_new)
         found = true
         break
      elseif slope >= 0 then
         enclose(t_prev, f_prev, g_prev, t, f_new, g_new)
         break
      end
      local min_step, max_step, before = t + 0.01 * (t - t_prev), t * 10, t
      t = polyinterp(x.new { { t_prev, f_prev, slope_prev }, { t, f_new, slope } }, min_step, max_step)
      t_prev, f_prev, slope_prev = before, f_new, slope
      g_prev:copy(g_new)
      f_new, g_new = at(t)
      iteration = iteration + 1
   end
   if iteration == maxIter then enclose(0, f, g, t, f_new, g_new) end

   local insufficient = false
   while not found and iteration < maxIter do
      local low = lowest()
      local high, f_low = 3 - low, values[low]
      local first, second = gradients[1]:dot(d), gradients[2]:dot(d)
      t = polyinterp(x.new { { steps[1], values[1], first }, { steps[2], values[2], second } })
      -- Points near an end of the bracket make little progress.
      local left, right = steps:min(), steps:max()
      if math.min(right - t, t - left) / (right - left) < 0.1 then
         if insufficient or t >= right or t <= left then
            local near_right = math.abs(t - right) < math.abs(t - left)
            t = near_right and right - 0.1 * (right - left) or left + 0.1 * (right - left)
            insufficient = false
         else
            insufficient = true
         end
      else
         insufficient = false
      end
      f_new, g_new = at(t)
      iteration = iteration + 1
      if f_new > f + c1 * t * gtd or f_new >= f_low then
         put(high, t, f_new, g_new)
      else
         if math.abs(slope) <= -c2 * gtd then
            found = true
         elseif slope * (steps[high] - steps[low]) >= 0 then
            put(high, steps[low], values[low], gradients[low])
         end
         put(low, t, f_new, g_new)
      end
      if not found and math.abs((steps[1] - steps[2]) * slope) < tolX then break end
   end

   local best = lowest()
   t = steps[best]
   x:copy(start):add(t, d)
   return values[best], gradients[best], x, t, evaluations
end
