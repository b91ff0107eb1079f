-- Numbers of a distribution, one by one or into tensors, from a generator's stream. Elements are filled in order,
-- whatever the layout, so that a seed gives the same tensor in any type and any memory.

local floor = math.floor
local ffi = require 'ffi'
local element = require 'torch.loops.element'
local broadcast, errors = require 'torch.tensor.broadcast', require 'torch.base.errors'
local geometry, buffers = require 'torch.base.geometry', require 'torch.memory.buffers'
local normal, strided_iterator = require 'torch.random.normal', require 'torch.loops.strided_iterator'
local mersenne_twister = require 'torch.random.mersenne_twister'
local template, types = require 'torch.jit.template', require 'torch.base.types'
local istype = ffi.istype
local contiguous, numel, shape = geometry.contiguous, geometry.numel, geometry.shape
local Double = types.by_name.Double

local distributions = {}

-- One number of the stream for one element: `w` is its 32 bits as an integer, or `u` the same in [0, 1).
local single_source = [[
return function(g, to, step, count, a, b)
   local done = 0
   while done < count do
      if g.left == 1 then refill(g) end
      local n, first = count - done, g.next
      if n > g.left - 1 then n = g.left - 1 end
      local numbers, out = g.unit + first, to + done * step
      if $copied then
         copy(out, numbers, 8 * n)
      elseif step == 1 then
         finish_trace()
         for i = 0, n - 1 do
            local $variable = numbers[i]$scale
            out[i] = $value
         end
      else
         finish_trace()
         for i = 0, n - 1 do
            local $variable = numbers[i]$scale
            out[i * step] = $value
         end
      end
      g.next, g.left, done = first + n, g.left - n, done + n
   end
end]]

-- The texts of a template for an expression: itself, and its variable.
local function values_of(value)
   local whole = string.find(value, '%f[%a]w%f[%A]')
   return { value = value, variable = whole and 'w' or 'u', scale = whole and ' * 2 ^ 32' or '' }
end

-- fill(g, to, step, count, a, b) for elements of type T. `how` has the value as an expression of w or u, a and b, or
-- of z for pairs; `options.full` the full range of a type, and `options.copied` the condition under which it is u.
local function make_fill(name, T, options)
   local value = options.full and options.full[T.name] or options.value
   if options.pairs then return normal.make_fill(T, value) end
   local values = values_of(value)
   values.copied = T == Double and options.copied and 'step == 1 and ' .. options.copied or 'false'
   return template.compile(name, single_source, values, { refill = mersenne_twister.refill, log = math.log,
      tan = math.tan,
      floor = floor, band = require('bit').band, copy = ffi.copy, finish_trace = require('torch.jit.trace').finish })
end

-- Draws one number, f(g, a, b), without a loop, so that a loop of the caller compiles as a whole.
local number_source = [[
return function(g, a, b)
   local $variable = next_uniform(g)$scale
   return $value
end]]

local function make_number(name, options)
   if options.pairs then return normal.make_number(options.value) end
   return template.compile(name, number_source, values_of(options.value),
      { next_uniform = mersenne_twister.uniform, log = math.log,
      tan = math.tan, floor = floor })
end

local fill_plan = strided_iterator.new(1)

local function fill_tensor(fill, g, r, a, b)
   if r._dim == 0 then return r end
   local data = r._memory._data + r._offset
   if contiguous(r) then
      fill(g, data, 1, numel(r), a, b)
   else
      local p = fill_plan
      strided_iterator.prepare(p, 1, r)
      strided_iterator.start(p)
      repeat fill(g, data + p.offset[1], p.step[1][0], p.size[0], a, b) until not strided_iterator.next(p, 1)
   end
   buffers.keep_alive(r)
   return r
end

local function pass(_, a, b) return a, b end

function distributions.fill(name, T, options)
   local fill, prepare, default = make_fill(name, T, options), options.prepare or pass, mersenne_twister.default
   local round = options.of_type and T.name == 'Float' and element.rounder(T)
   return function(r, g, a, b)
      if round then a, b = round(a), b and round(b) end
      a, b = prepare(name, a, b)
      return fill_tensor(fill, g or default, r, a, b)
   end
end

function distributions.number(name, _, options)
   local draw, prepare, default = make_number(name, options), options.prepare or pass, mersenne_twister.default
   return function(g, a, b)
      a, b = prepare(name, a, b)
      return draw(g or default, a, b)
   end
end

-- Each element is 1 with the probability in the tensor p, which has as many elements, else 0.
function distributions.bernoulli_tensor(P)
   local get = require('torch.loops.element').getter(P)
   return function(name, T)
      return function(r, g, p)
         if numel(r) ~= numel(p) then
            errors.raise('%s: inconsistent tensor sizes: [%s] and probabilities [%s]%s', name, shape(r), shape(p),
               broadcast.hint(r, r, p))
         end
         if r._dim == 0 then return r end
         local plain = P.contiguous(p)
         local chances = plain._memory._data + plain._offset
         for i = 0, numel(p) - 1 do
            local chance = get(chances, i)
            if not (chance >= 0 and chance <= 1) then
               errors.raise('%s: probabilities must be 0 to 1 (got %g)', name, chance)
            end
         end
         local drawn = T.shares(r, p) and T.new_like(r) or r
         if not contiguous(drawn) then drawn = T.new_like(r) end
         local to, uniform = drawn._memory._data + drawn._offset, mersenne_twister.uniform
         g = g or mersenne_twister.default
         for i = 0, numel(p) - 1 do to[i] = uniform(g) <= get(chances, i) and 1 or 0 end
         if drawn ~= r then T.copy_from(r, T, drawn) end
         buffers.keep_alive(plain, drawn)
         return r
      end
   end
end
distributions.bernoulli_double = distributions.bernoulli_tensor(Double)
distributions.bernoulli_float = distributions.bernoulli_tensor(types.by_name.Float)

-- name([result,] [generator,] sizes): a tensor of given sizes, filled.
local function sized(distribution, options)
   return function(T, _, name)
      local fill = distributions.fill(distribution, T, options)
      local fill_sized = require('torch.kernels.construct.create').fill_sized
      local low, high = options.a, options.b
      return function(...)
         local r, g = ...
         local n = 1
         if types.of_tensor(r) == T then n = 2 else r, g = nil, r end
         if istype(mersenne_twister.generator_ct, g) then n = n + 1 else g = nil end
         return fill_sized(T, fill, g, low, high, r, name, n, ...)
      end
   end
end

distributions.rand = sized('rand', { value = 'u', copied = 'true', a = 0, b = 1 })
distributions.randn = sized('randn', { pairs = true, value = 'z', a = 0, b = 1 })

-- Checks the arguments of the distributions and converts them to those of the expressions.

function distributions.width(_, a, b) return a, b - a end

function distributions.deviation(name, a, b)
   if not (b > 0) then errors.raise('%s: the standard deviation must be positive (got %g)', name, b) end
   return a, b
end

function distributions.rate(_, lambda) return -1 / lambda, 0 end

function distributions.probability(name, p)
   if not (p >= 0 and p <= 1) then errors.raise('%s: the probability must be 0 to 1 (got %g)', name, p) end
   return p, 0
end

function distributions.failure(name, p)
   if not (p > 0 and p < 1) then errors.raise('%s: the probability must be between 0 and 1 (got %g)', name, p) end
   return math.log(p), 0
end

-- A bound of whole numbers, which have 64 bits.
local function bound(name, argument, n)
   n = errors.integer(name, argument, n)
   if n < -0x1p63 or n >= 0x1p63 then errors.argument_error(name, argument, 'an integer of 64 bits', n) end
   return n
end

function distributions.upper(name, n)
   n = bound(name, 1, n)
   if n < 1 then errors.raise('%s: the upper bound must be at least 1 (got %.0f)', name, n) end
   return 1, n
end

function distributions.bounds(name, low, high)
   low, high = bound(name, 1, low), bound(name, 2, high)
   if high < low then
      errors.raise('%s: the upper bound must be at least the lower bound %.0f (got %.0f)', name, low, high)
   end
   return low, high - low + 1
end

return distributions
