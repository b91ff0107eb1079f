-- FISTA with backtracking: minimises f + g for a smooth f and a g whose proximal step is known.

local torch = require 'torch'
local check = require 'torch.base.check'

-- f(x, 'dx') gives the value and gradient of f, g(x) the value of g, pl(x, L) makes x its proximal step.
return function(f, g, pl, xinit, params)
   check.callable('FistaLS', 'f', f)
   check.callable('FistaLS', 'g', g)
   check.callable('FistaLS', 'pl', pl)
   check.real('FistaLS', 'xinit', xinit)
   params = check.kind('FistaLS', 'params', params or {}, 'table')
   for _, field in ipairs { 'maxiter', 'maxline', 'errthres', 'L', 'Lstep' } do
      if params[field] then check.number('FistaLS', 'params.' .. field, params[field]) end
   end
   local maxiter, maxline = params.maxiter or 50, params.maxline or 20
   local errthres, L = params.errthres or 1e-4, params.L or 0.1
   local step, update = params.Lstep or 1.5, params.doFistaUpdate

   -- The search begins at 0. Its tensors are kept: the point before, the one that the gradient is taken at, and steps.
   local x = xinit
   for _, name in ipairs { 'xkm', 'y', 'ply' } do
      params[name] = params[name] or torch.Tensor()
      params[name]:resizeAs(x):zero()
   end
   local before, y, ply = params.xkm, params.y, params.ply

   -- One step from y, by gradients of f as short as the line search needs. Returns the tries and the quadratic model.
   local function step_from_y(fy, gradient)
      local tries = 0
      while true do
         ply:copy(y):add(-1 / L, gradient)
         pl(ply, L)
         x:copy(ply)
         local value = check.number('FistaLS', 'the value of f', (f(ply)))
         ply:add(-1, y)
         local toward, away = gradient:dot(ply), L / 2 * ply:dot(ply)
         local model = fy + toward + away
         if params.verbose then
            _G.print(string.format('nline=%d L=%g fply=%g Q=%g fy=%g Q2=%g Q3=%g', tries, L, value, model, fy, toward,
               away))
         end
         tries = tries + 1
         if value <= model then return tries, model end
         if tries > maxline then
            x:copy(before)
            return tries, model
         end
         L = L * step
      end
   end

   g(y)
   local weight, next_weight, history = 1, 0, {}
   for k = 1, maxiter do
      local fy, gradient = f(y, 'dx')
      check.number('FistaLS', 'the value of f', fy)
      check.same_size('FistaLS', 'the gradient of f', gradient, y)
      local tries, model = step_from_y(fy, gradient)
      if update then
         next_weight = (1 + math.sqrt(1 + 4 * weight * weight)) / 2
         before:add(-1, x)
         y:copy(x):add((1 - weight) / next_weight, before)
         before:copy(x)
      else
         y:copy(x)
      end
      weight = next_weight
      local fly, gly = f(y), g(y)
      history[k] = { nline = tries, L = L, F = fly + gly, Fply = fly, Gply = gly, Q = model }
      params.L = L
      if params.verbose then
         _G.print(string.format('iter=%d eold=%g enew=%g', k - 1, k > 1 and history[k - 1].F or math.huge,
            history[k].F))
         history[k].xk, history[k].y = x:clone(), y:clone()
      end
      if k > 1 and math.abs(history[k].F - history[k - 1].F) <= errthres then break end
   end
   xinit:copy(y)
   return y, history
end
