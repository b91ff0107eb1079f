-- L-BFGS: directions of Newton's method from the last steps and changes of the gradient.

local torch = require 'torch'
local check, state_of = require 'torch.base.check', require 'optim.state_of'

local NEW = 1e-10       -- a step with less curvature is not remembered

return function(opfunc, x, config, state)
   config, state = state_of.open('lbfgs', opfunc, x, config, state)
   local maxIter = config.maxIter or 20
   local maxEval = config.maxEval or maxIter * 1.25
   local tolFun, tolX = config.tolFun or 1e-5, config.tolX or 1e-9
   local nCorrection, lineSearch = config.nCorrection or 100, config.lineSearch
   local learningRate = config.learningRate or 1
   if lineSearch then check.callable('lbfgs', 'config.lineSearch', lineSearch) end
   local function verbose(...)
      if config.verbose then _G.print('<optim.lbfgs> ', ...) end
   end

   state.funcEval, state.nIter = state.funcEval or 0, state.nIter or 0

   local f, g = state_of.evaluate('lbfgs', opfunc, x)
   state_of.value('lbfgs', f)
   local history, evaluations = { f }, 1
   state.funcEval = state.funcEval + 1

   -- If the function returns its gradient in the same tensor each time, `g` is that tensor until a line search has made
   -- a copy: the first search takes the later gradient for the earlier one, and the results of programs depend on that.
   state.tmp1 = state.tmp1 or g.new()
   local work = state.tmp1:resizeAs(g)
   local function size(t, factor)
      work:copy(t)
      if factor then work:mul(factor) end
      return work:abs():sum()
   end

   if size(g) <= tolFun then
      verbose('optimality condition below tolFun')
      return x, history
   end

   -- Under these names the original keeps the steps, and the changes of the gradient.
   local d, t, steps, changes = state.d, state.t, state.old_dirs, state.old_stps
   local g_old, f_old, diagonal, curvatures = state.g_old, state.f_old, state.Hdiag, {}
   if not changes then verbose('creating recyclable direction/step/history buffers') end
   for i = 1, #(changes or {}) do curvatures[i] = changes[i]:dot(steps[i]) end

   local iterations = 0
   while iterations < maxIter do
      iterations = iterations + 1
      state.nIter = state.nIter + 1

      if state.nIter == 1 then
         d = torch.mul(g, -1)
         steps, changes, curvatures, diagonal = {}, {}, {}, 1
      else
         local y, s = torch.add(g, -1, g_old), torch.mul(d, t)
         local curvature = y:dot(s)
         if curvature > NEW then
            if #changes == nCorrection then
               table.remove(changes, 1)
               table.remove(steps, 1)
               table.remove(curvatures, 1)
            end
            changes[#changes + 1], steps[#steps + 1] = y, s
            curvatures[#changes] = curvature
            diagonal = curvature / y:dot(y)
         end
         -- The product of the inverse Hessian and -g, from both lists.
         local count = #changes
         state.ro, state.al = state.ro or torch.Tensor(nCorrection), state.al or torch.zeros(nCorrection)
         local inverse, weight = state.ro, state.al
         for i = 1, count do inverse[i] = 1 / curvatures[i] end
         work:mul(g, -1)
         for i = count, 1, -1 do
            weight[i] = steps[i]:dot(work) * inverse[i]
            work:add(-weight[i], changes[i])
         end
         d:mul(work, diagonal)
         for i = 1, count do
            local back = changes[i]:dot(d) * inverse[i]
            d:add(weight[i] - back, steps[i])
         end
      end
      g_old = g_old or g.new()
      g_old:resizeAs(g):copy(g)
      f_old = f

      local slope = g:dot(d)
      -- No progress can be made along the direction.
      if slope > -tolX then break end

      t = state.nIter == 1 and math.min(1, 1 / size(g)) * learningRate or learningRate

      local used = 0
      if lineSearch then
         f, g, x, t, used = lineSearch(opfunc, x, t, d, f, g, slope, config.lineSearchOptions)
         history[#history + 1] = f
      else
         x:add(t, d)
         if iterations ~= maxIter then
            -- The next call computes the value after the last step.
            f, g = state_of.evaluate('lbfgs', opfunc, x)
            state_of.value('lbfgs', f)
            used = 1
            history[#history + 1] = f
         end
      end
      evaluations = evaluations + used
      state.funcEval = state.funcEval + used

      local reason = iterations == maxIter and 'reached max number of iterations'
         or evaluations >= maxEval and 'max nb of function evals'
         or size(g) <= tolFun and 'optimality condition below tolFun'
         or size(d, t) <= tolX and 'step size below tolX'
         or math.abs(f - f_old) < tolX and 'function value changing less than tolX'
      if reason then
         verbose(reason)
         break
      end
   end

   state.old_dirs, state.old_stps, state.Hdiag = steps, changes, diagonal
   state.g_old, state.f_old, state.t, state.d = g_old, f_old, t, d
   return x, history, evaluations
end
