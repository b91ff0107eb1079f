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
   local step = params.Lstep or 1.5
   local update = params.doFistaUpdate
   if update == nil then update = true end

   local xk = xinit
   local yk, before = xinit.new():resizeAs(xinit):copy(xinit), xinit.new():resizeAs(xinit):copy(xinit)
   local ply = xinit.new():resizeAs(xinit)
   -- The weight of the first step is that of the second one of other descriptions.
   local t, history, done = (1 + math.sqrt(5)) / 2, {}, false
   local k = 0
   while not done and k < maxiter do
      before:copy(xk)
      local fy, dfy = f(yk, 'dx')
      check.number('FistaLS', 'the value of f', fy)
      dfy = check.same_size('FistaLS', 'the gradient of f', dfy, yk):clone()
      local line, fply, gply = 0
      while true do
         ply:copy(yk):add(-1 / L, dfy)
         pl(ply, L)
         fply = check.number('FistaLS', 'the value of f', (f(ply)))
         gply = check.number('FistaLS', 'the value of g', (g(ply)))
         -- The quadratic model must not be below the function.
         local move = torch.add(ply, -1, yk)
         local model = fy + move:dot(dfy) + L / 2 * move:dot(move) + gply
         line = line + 1
         if fply + gply <= model then break end
         if line > maxline then break end
         L = L * step
      end
      if line > maxline then
         if params.verbose then _G.print('FistaLS: the line search found no step') end
         break
      end
      xk:copy(ply)
      local t_next = (1 + math.sqrt(1 + 4 * t * t)) / 2
      if update then
         yk:copy(xk):add((t - 1) / t_next, torch.add(xk, -1, before))
      else
         yk:copy(xk)
      end
      t = t_next
      k = k + 1
      history[k] = { f = fply, g = gply, F = fply + gply, L = L, nline = line, k = k }
      if params.verbose then _G.print(('FistaLS: %d F=%g L=%g'):format(k, fply + gply, L)) end
      if k > 1 and math.abs(history[k].F - history[k - 1].F) <= errthres then done = true end
   end
   return xk, history
end
