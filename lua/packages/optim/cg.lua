-- Conjugate gradients (Polak-Ribiere) with line searches by quadratic and cubic interpolation.

local state_of = require 'optim.state_of'

-- Smaller slopes count as 0.
local TINY = 2 ^ -1022

local function bad(z) return z ~= z or z == math.huge or z == -math.huge end

-- The steps from the last point to the minimum of the cubic through two points, z3 apart: by interpolation, and by
-- extrapolation.
local function steps_of_cubic(f2, d2, f3, d3, z3)
   local a = 6 * (f2 - f3) / z3 + 3 * (d2 + d3)
   local b = 3 * (f3 - f2) - z3 * (d3 + 2 * d2)
   local root = math.sqrt(b * b - a * d2 * z3 * z3)
   return (root - b) / a, -d2 * z3 * z3 / (b + root)
end

return function(opfunc, x, config, state)
   config, state = state_of.open('cg', opfunc, x, config, state)
   local rho, sig = config.rho or 0.01, config.sig or 0.5            -- of the conditions of Wolfe and Powell
   local int, ext = config.int or 0.1, config.ext or 3.0             -- of interpolation, of extrapolation
   local maxIter, ratio = config.maxIter or 20, config.ratio or 100
   local maxEval = config.maxEval or maxIter * 1.25
   local fx, evaluations = {}, 0

   local function evaluate()
      local f, df = state_of.evaluate('cg', opfunc, x)
      state_of.value('cg', f)
      evaluations = evaluations + 1
      return f, df
   end

   for _, name in ipairs { 'df0', 'df1', 'df2', 'df3', 'x0', 's' } do
      state[name] = state[name] or state_of.zeros(x)
   end
   local df0, df1, df2, x0, s = state.df0, state.df1, state.df2, state.x0, state.s

   local f1, gradient = evaluate()
   fx[1] = f1
   df1:copy(gradient)
   s:copy(df1):mul(-1)
   local d1 = -s:dot(s)
   local z1 = 1 / (1 - d1)

   -- As in the original a negative limit counts by its absolute value, but leaves none for interpolation.
   while evaluations < math.abs(maxEval) do
      x0:copy(x)
      df0:copy(df1)
      x:add(z1, s)
      local f2, g2 = evaluate()
      df2:copy(g2)
      local d2 = df2:dot(s)
      local f3, d3, z3 = f1, d1, -z1
      local left, limit, success = math.min(maxIter, maxEval - evaluations), -1, false
      local lowest = math.min(left, 0) - 100

      local function move(z2)
         z1 = z1 + z2
         x:add(z2, s)
         f2, g2 = evaluate()
         df2:copy(g2)
         left = left - 1
         d2 = df2:dot(s)
      end

      while true do
         while (f2 > f1 + z1 * rho * d1 or d2 > -sig * d1) and left > 0 do
            limit = z1
            local z2
            if f2 > f1 then
               z2 = z3 - (0.5 * d3 * z3 * z3) / (d3 * z3 + f2 - f3)
            else
               z2 = steps_of_cubic(f2, d2, f3, d3, z3)
            end
            if bad(z2) then z2 = z3 / 2 end
            z2 = math.max(math.min(z2, int * z3), (1 - int) * z3)
            move(z2)
            z3 = z3 - z2
         end
         if f2 > f1 + z1 * rho * d1 or d2 > -sig * d1 then break end
         if d2 > sig * d1 then
            success = true
            break
         end
         -- A limit that is not an integer, as the default may be, is exceeded: the line search is completed.
         if left == 0 or left < lowest then break end
         local _, z2 = steps_of_cubic(f2, d2, f3, d3, z3)
         if bad(z2) or z2 < 0 then
            z2 = limit < -0.5 and z1 * (ext - 1) or (limit - z1) / 2
         elseif limit > -0.5 and z2 + z1 > limit then
            z2 = (limit - z1) / 2
         elseif limit < -0.5 and z2 + z1 > z1 * ext then
            z2 = z1 * (ext - 1)
         elseif z2 < -z3 * int then
            z2 = -z3 * int
         elseif limit > -0.5 and z2 < (limit - z1) * (1 - int) then
            z2 = (limit - z1) * (1 - int)
         end
         f3, d3, z3 = f2, d2, -z2
         move(z2)
      end

      if success then
         f1 = f2
         fx[#fx + 1] = f1
         local turn = (df2:dot(df2) - df2:dot(df1)) / df1:dot(df1)
         s:mul(turn):add(-1, df2)
         df1, df2 = df2, df1
         d2 = df1:dot(s)
         -- A direction of ascent is replaced by the steepest descent.
         if d2 > 0 then
            s:copy(df1):mul(-1)
            d2 = -s:dot(s)
         end
         z1 = z1 * math.min(ratio, d1 / (d2 - TINY))
         d1 = d2
      else
         x:copy(x0)
         df1:copy(df0)
         -- As in the original, there is no retry with the steepest descent.
         break
      end
   end
   state.df0, state.df1, state.df2, state.x0, state.s = df0, df1, df2, x0, s
   return x, fx, evaluations
end
