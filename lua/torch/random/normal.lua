-- Normally distributed numbers: two numbers of the stream make a pair of elements, the second of which may be left
-- for the next call. Kernels compute them, see docs/decisions/0015-normal-distribution.md.

local cast, char_p = require('ffi').cast, require('ffi').typeof 'char *'
local fresh_seed = require('torch.random.mersenne_twister').fresh_seed
local lib = require 'torch.native.kernels' 'random/normal'

local normal = {}

-- Elements by their expressions of z, of mean 0 and deviation 1, a and b.
local kinds = { z = lib.T7_STANDARD, ['z * b + a'] = lib.T7_NORMAL, ['exp(z * b + a)'] = lib.T7_LOG_NORMAL }

function normal.make_fill(T, value)
   local type, kind = T.index, kinds[value]
   return function(g, to, step, count, a, b)
      if g.seeded == 0 and count > 0 then fresh_seed(g) end
      lib.t7_normal_fill(g, type, kind, cast(char_p, to), step, count, a, b)
   end
end

function normal.make_number(value)
   local kind = kinds[value]
   return function(g, a, b)
      if g.seeded == 0 then fresh_seed(g) end
      return (lib.t7_normal_number(g, kind, a, b))
   end
end

return normal
