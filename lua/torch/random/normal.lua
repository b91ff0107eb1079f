-- Normally distributed numbers from a generator's stream.

local loadstring = loadstring
local ffi = require 'ffi'
local random = require 'torch.random.mersenne_twister'

local normal = {}

-- Box and Muller: two numbers of the stream make two normally distributed ones, the second of which may be left
-- for the next call. `z` is one of mean 0 and deviation 1.
--
-- The sine and cosine of the angle 2 pi x come from one reduction to the nearest quarter turn, whose length is
-- subtracted in two parts, and from the Taylor series of both, which end where doubles do not see the rest.
local turn_source = [[
local next_uniform, log, sqrt, exp, floor, cosine, sine, finish_trace = ...
local function turn(x)
   local angle = 2 * 3.141592653589793 * x
   local quarter = floor(angle * 0.6366197723675814 + 0.5)
   local r = (angle - quarter * 1.5707963267341256) - quarter * 6.077100506506192e-11
   local z = r * r
   local s = r + r * z * (-1 / 6 + z * (1 / 120 + z * (-1 / 5040 + z * (1 / 362880 + z * (-1 / 39916800
      + z * (1 / 6227020800 - z * (1 / 1307674368000)))))))
   local c = 1 - 0.5 * z + z * z * (1 / 24 + z * (-1 / 720 + z * (1 / 40320 + z * (-1 / 3628800 + z * (1 / 479001600
      + z * (-1 / 87178291200 + z * (1 / 20922789888000)))))))
   local p, q = cosine[quarter], sine[quarter]
   return c * p - s * q, s * p + c * q
end
]]

local pair_source = turn_source .. [[
return function(g, to, step, count, a, b)
   local done, z, x, y, rho, c, s = 0, 0, g.normal_x, g.normal_y, g.normal_rho, 0, 0
   if g.normal_valid ~= 0 and count > 0 then
      c, s = turn(x)
      z = rho * s
      to[0] = $value
      g.normal_valid, done = 0, 1
   end
   finish_trace()
   while done < count do
      if g.left > 2 and count - done > 1 then
         local n = count - done
         if n > g.left - 1 then n = g.left - 1 end
         n = (n - n % 2) / 2
         -- Pointers and steps are whole before the loop: products as indices would be converted in it.
         local unit, out, pair = g.unit + g.next, to + done * step, 2 * step
         for _ = 1, n do
            x, y = unit[0], unit[1]
            rho = sqrt(-2 * log(1 - y))
            c, s = turn(x)
            z = rho * c
            out[0] = $value
            z = rho * s
            out[step] = $value
            unit, out = unit + 2, out + pair
         end
         g.next, g.left, done = g.next + 2 * n, g.left - 2 * n, done + 2 * n
      else
         -- The end of the generator's numbers, or one element.
         x = next_uniform(g)
         y = next_uniform(g)
         rho = sqrt(-2 * log(1 - y))
         c, s = turn(x)
         z = rho * c
         to[done * step] = $value
         done = done + 1
         if done < count then
            z = rho * s
            to[done * step] = $value
            done = done + 1
         else
            g.normal_valid = 1
         end
      end
   end
   g.normal_x, g.normal_y, g.normal_rho = x, y, rho
end]]

local number_source = turn_source .. [[
return function(g, a, b)
   local z
   if g.normal_valid ~= 0 then
      local _, s = turn(g.normal_x)
      g.normal_valid, z = 0, g.normal_rho * s
   else
      local x, y = next_uniform(g), next_uniform(g)
      local rho, c = sqrt(-2 * log(1 - y)), turn(x)
      g.normal_x, g.normal_y, g.normal_rho, g.normal_valid, z = x, y, rho, 1, rho * c
   end
   return $value
end]]

local function make(source, name, value)
   return loadstring(source:gsub('%$value', value), '=t7 ' .. name)(random.uniform, math.log, math.sqrt, math.exp,
      math.floor, ffi.new('double[5]', 1, 0, -1, 0, 1), ffi.new('double[5]', 0, 1, 0, -1, 0),
      require('torch.core.trace').finish)
end

-- fill(g, to, step, count, a, b), where an element is an expression of z, a and b.
function normal.make_fill(name, value) return make(pair_source, name, value) end

-- One number: f(g, a, b).
function normal.make_number(name, value) return make(number_source, name, value) end

return normal
