-- Numbers of a distribution, one by one or into tensors, from a generator's stream. Elements are filled in order,
-- whatever the layout, so that a seed gives the same tensor in any type and any memory.

local loadstring, require, tonumber = loadstring, require, tonumber
local floor = math.floor
local ffi = require 'ffi'
local errors, geometry, memory = require 'torch.errors', require 'torch.geometry', require 'torch.memory'
local args, plan, random = require 'torch.args', require 'torch.plan', require 'torch.random'
local types = require 'torch.types'
local contiguous, count_of, shape = geometry.contiguous, geometry.count, geometry.shape
local Double = types.by_name.Double

local distributions = {}

-- One number of the stream for one element: `w` is its 32 bits as a whole number, or `u` the same in [0, 1).
local single_source = [[
local refill, log, tan, floor, band, copy = ...
return function(g, to, step, count, a, b)
   local done = 0
   while done < count do
      if g.left == 1 then refill(g) end
      local n, first = count - done, g.next
      if n > g.left - 1 then n = g.left - 1 end
      local numbers, out = g.$numbers + first, to + done * step
      if $copied then
         copy(out, numbers, 8 * n)
      elseif step == 1 then
         for i = 0, n - 1 do
            local $variable = numbers[i]
            out[i] = $value
         end
      else
         for i = 0, n - 1 do
            local $variable = numbers[i]
            out[i * step] = $value
         end
      end
      g.next, g.left, done = first + n, g.left - n, done + n
   end
end]]

-- Box and Muller: two numbers of the stream make two normally distributed ones, the second of which may be left
-- for the next call. `z` is one of mean 0 and deviation 1.
--
-- The sine and cosine of the angle 2 pi x come from one reduction to the nearest quarter turn, in which whole quarters
-- are subtracted in two parts, and the polynomials of both; they are right to the last place or the one before.
local pair_source = [[
local refill, next_uniform, log, sqrt, exp, floor, cosine, sine = ...
local function turn(x)
   local angle = 2 * 3.141592653589793 * x
   local quarter = floor(angle * 0.6366197723675814 + 0.5)
   local r = (angle - quarter * 1.5707963267341256) - quarter * 6.077100506506192e-11
   local z = r * r
   local s = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04
      + z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))))
   local c = 1 - 0.5 * z + z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03
      + z * (2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09
      - z * 1.13596475577881948265e-11)))))
   local p, q = cosine[quarter], sine[quarter]
   return c * p - s * q, s * p + c * q
end
return function(g, to, step, count, a, b)
   local done, z, x, y, rho, c, s = 0, 0, g.normal_x, g.normal_y, g.normal_rho, 0, 0
   if g.normal_valid ~= 0 and count > 0 then
      c, s = turn(x)
      z = rho * s
      to[0] = $value
      g.normal_valid, done = 0, 1
   end
   while done < count do
      if g.left > 2 and count - done > 1 then
         local n = count - done
         if n > g.left - 1 then n = g.left - 1 end
         n = (n - n % 2) / 2
         local unit, out = g.unit + g.next, to + done * step
         for i = 0, n - 1 do
            x, y = unit[2 * i], unit[2 * i + 1]
            rho = sqrt(-2 * log(1 - y))
            c, s = turn(x)
            z = rho * c
            out[2 * i * step] = $value
            z = rho * s
            out[(2 * i + 1) * step] = $value
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

-- fill(g, to, step, count, a, b) for elements of type T. `how` has the value of an element as an expression of
-- w or u, a and b, or of z, a and b for pairs; `how.full` has the range of a type's own, and `how.copied` says when it
-- is u itself.
local function make_fill(name, T, how)
   local value = (how.full and how.full[T.name] or how.value):gsub('%%', '%%%%')
   if how.pairs then
      return loadstring(pair_source:gsub('%$value', value), '=t7 ' .. name)(
         random.refill, random.uniform, math.log, math.sqrt, math.exp, floor,
         ffi.new('double[5]', 1, 0, -1, 0, 1), ffi.new('double[5]', 0, 1, 0, -1, 0))
   end
   local whole = value:find('%f[%a]w%f[%A]')
   local source = single_source:gsub('%$value', value):gsub('%$numbers', whole and 'bits' or 'unit')
      :gsub('%$variable', whole and 'w' or 'u')
      :gsub('%$copied', T == Double and how.copied and 'step == 1 and ' .. how.copied or 'false')
   return loadstring(source, '=t7 ' .. name)(
      random.refill, math.log, math.tan, floor, require('bit').band, ffi.copy)
end

local fill_plan = plan.new(1)

-- Fills all of a tensor.
local function fill_tensor(fill, g, r, a, b)
   if r._dim == 0 then return r end
   local data = r._memory._data + r._offset
   if contiguous(r) then
      fill(g, data, 1, count_of(r), a, b)
   else
      local p = fill_plan
      plan.prepare(p, 1, r)
      plan.start(p)
      repeat fill(g, data + p.offset[1], p.step[1][0], p.size[0], a, b) until not plan.next(p, 1)
   end
   memory.alive(r)
   return r
end

local function pass(_, a, b) return a, b end

-- Fills a tensor: f(r, g, a, b).
function distributions.fill(name, T, how)
   local fill, prepare, default = make_fill(name, T, how), how.prepare or pass, random.default
   return function(r, g, a, b)
      a, b = prepare(name, a, b)
      return fill_tensor(fill, g or default, r, a, b)
   end
end

-- One number: f(g, a, b).
function distributions.number(name, _, how)
   local fill, prepare, default = make_fill(name, Double, how), how.prepare or pass, random.default
   local one = ffi.new 'double[1]'
   return function(g, a, b)
      a, b = prepare(name, a, b)
      fill(g or default, one, 1, 1, a, b)
      return one[0]
   end
end

-- Each element is 1 with the probability in the tensor p, else 0; as many as there are elements.
function distributions.bernoulli_tensor(P)
   return function(name, T)
      return function(r, g, p)
         if count_of(r) ~= count_of(p) then
            errors.raise('%s: inconsistent tensor sizes: [%s] and probabilities [%s]', name, shape(r), shape(p))
         end
         if r._dim == 0 then return r end
         local plain = P.contiguous(p)
         local chance = plain._memory._data + plain._offset
         for i = 0, count_of(p) - 1 do
            if not (chance[i] >= 0 and chance[i] <= 1) then
               errors.argument(name, 1, 'probabilities of at least 0 and at most 1 expected, got %g', chance[i])
            end
         end
         local drawn = T.shares(r, p) and T.new_like(r) or r
         if not contiguous(drawn) then drawn = T.new_like(r) end
         local to, uniform = drawn._memory._data + drawn._offset, random.uniform
         g = g or random.default
         for i = 0, count_of(p) - 1 do to[i] = uniform(g) <= chance[i] and 1 or 0 end
         if drawn ~= r then T.copy_from(r, T, drawn) end
         memory.alive(plain, drawn)
         return r
      end
   end
end
distributions.bernoulli_double = distributions.bernoulli_tensor(Double)
distributions.bernoulli_float = distributions.bernoulli_tensor(types.by_name.Float)

-- name([result,] [generator,] sizes): a tensor of given sizes, filled.
local function sized(distribution, how)
   return function(T, _, name)
      local fill = distributions.fill(distribution, T, how)
      local read_sizes = require('torch.construct').read_sizes
      return function(...)
         local r, g = ...
         local n = 1
         if types.of_tensor(r) == T then n = 2 else r, g = T.new_tensor(), r end
         if ffi.istype(random.generator_ct, g) then n = n + 1 else g = nil end
         T.resize_to(r, read_sizes(name, n, ...))
         return fill(r, g, how.a, how.b)
      end
   end
end

distributions.rand = sized('rand', { value = 'u', copied = 'true', a = 0, b = 1 })
distributions.randn = sized('randn', { pairs = true, value = 'z', a = 0, b = 1 })

-- A permutation of 1 to n.
function distributions.randperm(name, T)
   return function(r, g, n)
      n = errors.integer(name, 1, n)
      if n < 1 then errors.argument(name, 1, 'number of at least 1 expected, got %.0f', n) end
      if n >= 2 ^ 32 then errors.argument(name, 1, 'number below 2^32 expected, got %.0f', n) end
      if not r then r = T.new_vector(n) else T.resize_to(r, { n }) end
      local ordered = contiguous(r) and r or T.new_vector(n)
      distributions.shuffle(T, ordered._memory._data + ordered._offset, n, g or random.default)
      if ordered ~= r then T.copy_from(r, T, ordered) end
      memory.alive(ordered)
      return r
   end
end

local shuffle_source = [[
local refill, floor = ...
return function(to, n, g)
   for i = 0, n - 1 do to[i] = i + 1 end
   local done = 0
   while done < n - 1 do
      if g.left == 1 then refill(g) end
      local count, first = n - 1 - done, g.next
      if count > g.left - 1 then count = g.left - 1 end
      -- The doubles are 32-bit numbers too, and conversions cost more than products.
      local unit, rest = g.unit + first, to + done
      local left = n - done
      for i = 0, count - 1 do
         local w, m = unit[i] * 2 ^ 32, left - i
         local j = i + (w - floor(w / m) * m)
         rest[i], rest[j] = rest[j], rest[i]
      end
      g.next, g.left, done = first + count, g.left - count, done + count
   end
end]]

local shuffles = {}

function distributions.shuffle(T, to, n, g)
   shuffles[T] = shuffles[T] or loadstring(shuffle_source, '=t7 randperm')(random.refill, floor)
   shuffles[T](to, n, g)
end

-- Arguments of the distributions: checked, and turned into what the expressions want.

function distributions.width(_, a, b) return a, b - a end

function distributions.deviation(name, a, b)
   if not (b > 0) then errors.argument(name, 2, 'standard deviation above 0 expected, got %g', b) end
   return a, b
end

function distributions.rate(_, lambda) return -1 / lambda, 0 end

function distributions.probability(name, p)
   if not (p >= 0 and p <= 1) then errors.argument(name, 1, 'probability from 0 to 1 expected, got %g', p) end
   return p, 0
end

function distributions.failure(name, p)
   if not (p > 0 and p < 1) then errors.argument(name, 1, 'probability between 0 and 1 expected, got %g', p) end
   return math.log(p), 0
end

function distributions.upper(name, n)
   n = errors.integer(name, 1, n)
   if n < 1 then errors.argument(name, 1, 'upper bound of at least 1 expected, got %.0f', n) end
   return 1, n
end

function distributions.bounds(name, low, high)
   low, high = errors.integer(name, 1, low), errors.integer(name, 2, high)
   if high < low then
      errors.argument(name, 2, 'upper bound of at least the lower bound %.0f expected, got %.0f', low, high)
   end
   return low, high - low + 1
end

return distributions
