-- gradcheck = require 'autograd.gradcheck'{randomizeInput = true}; gradcheck(f, params, ...) compares the gradients of
-- f with differences, in two ways: a small step of one element, and the step of each. It prints the largest error of
-- the first, and tells whether all are small.

local ipairs, math, unpack = ipairs, math, unpack
local torch = require 'torch'
local main, util = require 'autograd.main', require 'autograd.util'

local STEP, TOLERANCE = 1e-6, 1e-5

local function value_at(f, arguments, path, value)
   local old = util.nestedGet(arguments[1], path)
   util.nestedSet(arguments[1], path, value)
   local result = f(unpack(arguments))
   util.nestedSet(arguments[1], path, old)
   return result
end

-- The gradient by one parameter, a vector or a number.
local function gradient(f, arguments, path)
   local g = util.nestedGet((main.grad(f)(unpack(arguments))), path)
   if torch.isTensor(g) then return g:contiguous():view(-1):clone() end
   return g
end

-- The same by differences.
local function difference(f, arguments, path)
   local x = util.nestedGet(arguments[1], path)
   if not torch.isTensor(x) then
      return (value_at(f, arguments, path, x + STEP / 2) - value_at(f, arguments, path, x - STEP / 2)) / STEP
   end
   local flat = x:view(-1)
   local g = flat:clone():zero()
   for i = 1, flat:size(1) do
      local old = flat[i]
      flat[i] = old - STEP / 2
      local below = f(unpack(arguments))
      flat[i] = old + STEP / 2
      local above = f(unpack(arguments))
      flat[i], g[i] = old, (above - below) / STEP
   end
   return g
end

local function randomize(arguments, path, range)
   local x = util.nestedGet(arguments[1], path)
   if torch.isTensor(x) then
      x:uniform(-range, range)
   else
      util.nestedSet(arguments[1], path, 2 * range * (math.random() - 0.5))
   end
end

-- The relative error of the linear approximation for a small random step of one element.
local function step_error(f, arguments, path)
   local g = gradient(f, arguments, path)
   local before = f(unpack(arguments))
   local after, expected
   local x = util.nestedGet(arguments[1], path)
   if torch.isTensor(x) then
      local noise = g:clone():zero()
      noise:narrow(1, math.random(1, noise:size(1)), 1):uniform(-STEP, STEP)
      local old = x:clone()
      x:add(noise:view(x:size()))
      after, expected = f(unpack(arguments)), before + torch.dot(g, noise)
      x:copy(old)
   else
      local noise = 2 * STEP * (math.random() - 0.5)
      after, expected = value_at(f, arguments, path, x + noise), before + g * noise
   end
   return math.abs(after - expected) / (math.max(math.abs(after), math.abs(before)) + STEP)
end

return function(options)
   local random = util.defaultBool((options or {}).randomizeInput, true)
   return function(f, ...)
      local arguments, max_error, ok = { ... }, 0, true
      local _, paths = util.sortedFlattenKeys(arguments[1])
      if torch.isTensor(arguments[1]) or type(arguments[1]) == 'number' then
         -- A parameter that is not in a table.
         local g, inner = f, arguments[1]
         f = function(p, ...) return g(p[1], ...) end
         arguments[1], paths = { inner }, { { 1 } }
      end
      for _, path in ipairs(paths) do
         if random then randomize(arguments, path, 10) end
         local err = step_error(f, arguments, path)
         max_error, ok = math.max(max_error, err), ok and err < TOLERANCE
         if random then randomize(arguments, path, 1) end
         local difference_of = difference(f, arguments, path)
         local apart = difference_of - gradient(f, arguments, path)
         apart = torch.isTensor(apart) and apart:abs():max() or math.abs(apart)
         if apart >= TOLERANCE then _G.print('error = ' .. apart) end
         ok = ok and apart < TOLERANCE
      end
      _G.print('[gradcheck2] maximum error = ' .. max_error)
      return ok
   end
end
