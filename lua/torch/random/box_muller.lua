-- Box and Muller: two uniform numbers x and y make two normal ones, z = rho cos(2 pi x) and rho sin(2 pi x) with rho
-- = sqrt(-2 log(1 - y)). See docs/decisions/0015-normal-distribution.md. Sines and cosines are those of the C library
-- to the last bit, but most are computed here in half the time: an angle is a multiple of a 1024th turn, whose sine
-- and cosine are in a table of double-double numbers, plus a rest, for which short series suffice. The rounding error
-- of their sum tells whether the C library, with errors below 0.53 ulp, rounds in the same way; where it may not, for
-- one number in nine, it is called after a first pass without branches. Chunks are pairs.

local ffi = require 'ffi'
local libc, cast, template = require 'torch.native.libc', ffi.cast, require 'torch.jit.template'

-- Pairs of `uniform` numbers make elements of a type, `step` apart, each the value of an expression of z, a and b.
ffi.cdef [[
typedef struct { double *uniform; char *to, value[32]; double step, a, b; int32_t type; } t7_normal;
]]

local PARTS, TURN = 1024, 6.283185307179586
local box_muller = { TURN = TURN }
-- The sine and the cosine of a 1024th turn, and what these doubles lack.
local SINE, SINE_REST = 0.006135884649154475, 9.054525748247493e-20
local COSINE, COSINE_REST = 0.9999811752826011, 3.3568103522895585e-17

-- Sums and products of numbers of twice the digits, two doubles each.
local function exact_sum(a, b)
   local s = a + b
   local t = s - a
   return s, (a - (s - t)) + (b - t)
end

local SPLIT = 2 ^ 27 + 1

local function exact_product(a, b)
   local p, x, y = a * b, a * SPLIT, b * SPLIT
   local a1, b1 = x - (x - a), y - (y - b)
   local a2, b2 = a - a1, b - b1
   return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2
end

local function add(a, a_rest, b, b_rest)
   local s, rest = exact_sum(a, b)
   return exact_sum(s, rest + (a_rest + b_rest))
end

local function multiply(a, a_rest, b, b_rest)
   local p, rest = exact_product(a, b)
   return exact_sum(p, rest + (a * b_rest + a_rest * b))
end

-- The sines of the multiples of a 1024th turn up to 5/4, each with its low part; cosines are a quarter turn later.
local function make_table()
   local sines = ffi.new('double[?]', 2 * (PARTS + PARTS / 4 + 1))
   local s, s_rest, c, c_rest = 0, 0, 1, 0
   for i = 0, PARTS + PARTS / 4 do
      sines[2 * i], sines[2 * i + 1] = s, s_rest
      local a, a_rest = multiply(s, s_rest, COSINE, COSINE_REST)
      local b, b_rest = multiply(c, c_rest, SINE, SINE_REST)
      local d, d_rest = multiply(c, c_rest, COSINE, COSINE_REST)
      local e, e_rest = multiply(s, s_rest, SINE, SINE_REST)
      s, s_rest = add(a, a_rest, b, b_rest)
      c, c_rest = add(d, d_rest, -e, -e_rest)
   end
   return sines
end

-- `step` and `rest` are 2 pi / 1024: products of the first with whole numbers up to 1024 are exact. An error of 0.03 of
-- the last place on top of rounding is K times the half of it; `margin` bounds the errors made here.
local source = [[
local turn, step, rest, margin = $TURN, 0.006135923151539657, 2.9076357345650872e-15, 1e-18

-- Stores some pairs, and lists those whose sine, or cosine, is to be asked of the C library.
local function store(uniform, to, stride, count, a, b)
   local n, m, pair = 0, 0, 2 * stride
   for i = 0, count - 1 do
      local x, rho = uniform[0], sqrt(-2 * log(1 - uniform[1]))
      local part = floor(x * $PARTS + 0.5)
      local r = (turn * x - part * step) - part * rest
      local row = sines + 2 * part
      local s, c, r2 = row[0], row[$QUARTER], r * r
      local p = r + r * r2 * (r2 * (1 / 120) - 1 / 6)
      local q = r2 * (r2 * (1 / 24 - r2 * (1 / 720)) - 0.5)
      local t = c * p + (s * q + (row[1] + row[$QUARTER + 1] * r))
      local u = c * q - s * p + (row[$QUARTER + 1] - row[1] * r)
      local sine, cosine = s + t, c + u
      local v, w = abs(sine), abs(cosine)
      -- 1 where what rounding took away is near half of the last place: no branch, which would be taken at random.
      rhos[i], no_sine[n], no_cosine[m] = rho, i, i
      n = n + min((v - (v - (abs((s - sine) + t) * K + margin))) * 1e300, 1)
      m = m + min((w - (w - (abs((c - cosine) + u) * K + margin))) * 1e300, 1)
      local z = rho * cosine
      to[0] = $value
      z = rho * sine
      to[stride] = $value
      uniform, to = uniform + 2, to + pair
   end
   return n, m
end

local function correct(uniform, to, stride, n, m, a, b)
   for k = 0, n - 1 do
      local i = no_sine[k]
      local z = rhos[i] * sin(turn * uniform[2 * i])
      to[(2 * i + 1) * stride] = $value
   end
   for k = 0, m - 1 do
      local i = no_cosine[k]
      local z = rhos[i] * cos(turn * uniform[2 * i])
      to[2 * i * stride] = $value
   end
end

-- A few pairs: loops of few turns would not be compiled.
local function few(uniform, to, stride, count, a, b)
   for i = 0, count - 1 do
      local angle, rho = turn * uniform[2 * i], sqrt(-2 * log(1 - uniform[2 * i + 1]))
      local z = rho * cos(angle)
      to[2 * i * stride] = $value
      z = rho * sin(angle)
      to[(2 * i + 1) * stride] = $value
   end
end

return function(uniform, to, stride, count, a, b)
   if count < 32 then return few(uniform, to, stride, count, a, b) end
   for start = 0, count - 1, $BLOCK do
      local some = min(count - start, $BLOCK)
      local from, first = uniform + 2 * start, to + 2 * start * stride
      local n, m = store(from, first, stride, some, a, b)
      correct(from, first, stride, n, m, a, b)
   end
end]]

-- Pairs that are worked on at a time.
local BLOCK = 256
local sines, rhos = nil, ffi.new('double[?]', BLOCK)
local no_sine, no_cosine = ffi.new('int32_t[?]', BLOCK + 1), ffi.new('int32_t[?]', BLOCK + 1)

local function make(value, K)
   return template.compile('normal', source,
      { TURN = ('%.17g'):format(TURN), PARTS = PARTS, QUARTER = PARTS / 2, BLOCK = BLOCK, value = value },
      { sines = sines, rhos = rhos, no_sine = no_sine, no_cosine = no_cosine, K = K, sin = libc.t7_sin,
         cos = libc.t7_cos,
         log = math.log, sqrt = math.sqrt, exp = math.exp, floor = math.floor, abs = math.abs, min = math.min })
end

local UNIT = 1 - math.exp(-0.5)

-- The factor of errors: infinite, so that all is asked, where the C library rounds in another way.
local function trusted()
   local uniform, to = ffi.new('double[?]', 2 * BLOCK), ffi.new('double[?]', 2 * BLOCK)
   local run, K = make('z', 1.0638), 1.0638
   for k = 0, 15 do
      for i = 0, BLOCK - 1 do
         uniform[2 * i], uniform[2 * i + 1] = ((k * BLOCK + i) * 2654435769 % 2 ^ 32) * 2 ^ -32, UNIT
      end
      run(uniform, to, 1, BLOCK, 0, 1)
      for i = 0, BLOCK - 1 do
         local x, rho = uniform[2 * i], math.sqrt(-2 * math.log(1 - UNIT))
         if to[2 * i] ~= rho * libc.t7_cos(TURN * x) or to[2 * i + 1] ~= rho * libc.t7_sin(TURN * x) then
            K = math.huge
         end
      end
   end
   return K
end

local factor

-- f(uniform, to, step, count, a, b): the elements of `count` pairs, for an expression.
function box_muller.make(value)
   if not sines then
      sines = make_table()
      factor = trusted()
   end
   return make(value, factor)
end

local makers = {}

function box_muller.pairs(data, from, to)
   local p = cast('t7_normal *', data)
   local key = ffi.string(p.value) .. ' ' .. p.type
   local made = makers[key]
   if not made then
      local T = require('torch.base.types').rows[p.type]
      made = { box_muller.make(ffi.string(p.value)), T.pointer_ct }
      makers[key] = made
   end
   local first = cast(made[2], p.to) + 2 * from * p.step
   made[1](p.uniform + 2 * from, first, p.step, to - from, p.a, p.b)
end

return box_muller
