-- Normally distributed numbers: two numbers of the stream make a pair of elements, the second of which may be left
-- for the next call. An element is an expression of z, of mean 0 and deviation 1, a and b.

local ffi = require 'ffi'
local box_muller, template = require 'torch.random.box_muller', require 'torch.jit.template'
local libc, mersenne_twister = require 'torch.native.libc', require 'torch.random.mersenne_twister'
local parallel_for = require 'torch.parallel.parallel_for'

local normal = {}

-- Pairs of a call are drawn in chunks, which are shared between cores: nanoseconds for a pair, and pairs of a chunk.
local WORK, CHUNK, UNIT = 20, 2 ^ 14, 32

local fill_source = [[
local two = new_numbers(2)
-- Numbers of a chunk, and how many pairs there is room for.
local numbers, room = nil, 0

-- Pairs that the generator has ready are made in place; n of them at most, at least one.
local function some(g, to, step, n, a, b)
   if g.left > 2 then
      local ready = (g.left - 1 - (g.left - 1) % 2) / 2
      if n > ready then n = ready end
      run(g.unit + g.next, to, step, n, a, b)
      g.next, g.left = g.next + 2 * n, g.left - 2 * n
      g.normal_x, g.normal_y = g.unit[g.next - 2], g.unit[g.next - 1]
      return n
   end
   two[0] = uniform(g)
   two[1] = uniform(g)
   run(two, to, step, 1, a, b)
   g.normal_x, g.normal_y = two[0], two[1]
   return 1
end

local function many(g, to, step, count, a, b)
   if count > room then
      room = count > $CHUNK / 2 and $CHUNK or count
      numbers = new_numbers(2 * room)
   end
   p.uniform, p.step, p.a, p.b = numbers, step, a, b
   for start = 0, count - 1, $CHUNK do
      local n = count - start
      if n > $CHUNK then n = $CHUNK end
      draw(g, numbers, 2 * n)
      p.to = cast(char_p, to + 2 * start * step)
      share_pairs(n, $UNIT, $WORK * n, p)
      g.normal_x, g.normal_y = numbers[2 * n - 2], numbers[2 * n - 1]
   end
end

return function(g, to, step, count, a, b)
   local done = 0
   if g.normal_valid ~= 0 and count > 0 then
      local z = g.normal_rho * sin($TURN * g.normal_x)
      to[0] = $value
      g.normal_valid, done = 0, 1
   end
   local left = count - done
   local pairs = (left - left % 2) / 2
   if pairs > 0 then
      finish_trace()
      if pairs >= $LEAST then
         many(g, to + done * step, step, pairs, a, b)
         done = done + 2 * pairs
      else
         while pairs > 0 do
            local n = some(g, to + done * step, step, pairs, a, b)
            done, pairs = done + 2 * n, pairs - n
         end
      end
      g.normal_rho = sqrt(-2 * log(1 - g.normal_y))
   end
   if done < count then
      local x, y = uniform(g), uniform(g)
      local rho = sqrt(-2 * log(1 - y))
      local z = rho * cos($TURN * x)
      to[done * step] = $value
      g.normal_x, g.normal_y, g.normal_rho, g.normal_valid = x, y, rho, 1
   end
end]]

local number_source = [[
return function(g, a, b)
   local z
   if g.normal_valid ~= 0 then
      g.normal_valid, z = 0, g.normal_rho * sin($TURN * g.normal_x)
   else
      local x, y = uniform(g), uniform(g)
      local rho = sqrt(-2 * log(1 - y))
      z = rho * cos($TURN * x)
      g.normal_x, g.normal_y, g.normal_rho, g.normal_valid = x, y, rho, 1
   end
   return $value
end]]

-- Compiles a source whose elements are values of an expression, with more upvalues.
local function compile(source, name, value, upvalues)
   local values = { TURN = ('%.17g'):format(box_muller.TURN), CHUNK = CHUNK, UNIT = UNIT, WORK = WORK,
      LEAST = parallel_for.LEAST / WORK, value = value }
   upvalues.uniform, upvalues.sin, upvalues.cos = mersenne_twister.uniform, libc.t7_sin, libc.t7_cos
   upvalues.log, upvalues.sqrt, upvalues.exp = math.log, math.sqrt, math.exp
   return template.compile(name, source, values, upvalues)
end

function normal.make_fill(name, T, value)
   local run, pointer_ct, cast = box_muller.make(value), T.pointer_ct, ffi.cast
   local p = ffi.new 't7_normal'
   p.value, p.type = value, T.index
   local share_pairs = parallel_for.kind('torch.random.box_muller', 'pairs', function(_, from, to)
      run(p.uniform + 2 * from, cast(pointer_ct, p.to) + 2 * from * p.step, p.step, to - from, p.a, p.b)
   end)
   return compile(fill_source, name, value, { run = run, draw = mersenne_twister.draw, p = p, share_pairs = share_pairs,
      cast = cast, char_p = ffi.typeof 'char *', new_numbers = ffi.typeof 'double[?]',
      finish_trace = require('torch.jit.trace').finish })
end

function normal.make_number(name, value) return compile(number_source, name, value, {}) end

return normal
