-- How to throw a ball so that it lands in a basket: gradients through a simulation, with its loop and its branch.

local grad = require 'autograd'

local GRAVITY, DRAG, STEP = 9.81, 0.05, 0.02

-- Where a ball comes down to a height after it was thrown with a velocity (x, y), against the resistance of the air.
local function landing(v, height)
   local x, y, vx, vy = 0, 1.5, v.x, v.y
   while y > height or vy > 0 do
      local slowed = 1 - STEP * DRAG * torch.sqrt(vx * vx + vy * vy)
      vx, vy = vx * slowed, vy * slowed - STEP * GRAVITY
      x, y = x + STEP * vx, y + STEP * vy
   end
   -- Between two steps.
   return x - vx / vy * (y - height)
end

local function miss(v, basket)
   local distance = landing(v, basket.height) - basket.distance
   return distance * distance
end

local dmiss = grad(miss)
local basket = { distance = 7, height = 3 }
local v = { x = 4, y = 7 }
for turn = 1, 200 do
   local g, value = dmiss(v, basket)
   if turn == 1 or turn % 20 == 0 or value < 1e-6 then
      print(('throw %d: %.2f m/s forward, %.2f up, %.3f m from the basket'):format(turn, v.x, v.y, math.sqrt(value)))
      if value < 1e-6 then break end
   end
   v.x, v.y = v.x - 0.05 * g.x, v.y - 0.05 * g.y
end

-- The gradient of a gradient: how fast the place moves with the strength of the throw, and how that itself changes.
local reach = grad(function(strength) return landing({ x = strength * v.x, y = strength * v.y }, basket.height) end)
local bend = grad(function(strength) return (reach(strength)) end)
print(('1 %% stronger: %.3f m further'):format((reach(1)) * 0.01))
print(('curvature: %.2f'):format((bend(1))))
