-- Sums of squares of doubles.

local ffi = require 'ffi'
local element = require 'torch.base.element'
local ufunc_loops, native = require 'torch.parallel.ufunc_loops', require 'torch.native.native'
local share_squares = require('torch.parallel.parallel_for').kind('torch.parallel.memory_chunks', 'squares')
local template, tuning = require 'torch.jit.template', require 'torch.base.tuning'
local Double = require('torch.base.types').by_name.Double

local squares = {}

-- Blocks of DOT_BLOCK by the loop of NumPy's vecdot, which is BLAS without loading SciPy's.
local dot_source = [[
local function block(x, n)
   local from = cast(char_p, x)
   args[0], args[1], args[2], dims[1] = from, from, to, n
   dot(args, dims, steps, data)
   return (get(total, 0))
end

local function long(x, n)
   local rest = n % DOT_BLOCK
   local blocks = (n - rest) / DOT_BLOCK
   local sums = sums_ct(blocks)
   p.from, p.totals = cast(char_p, x), cast(char_p, sums)
   share(blocks, 1, WORK * n, p)
   local sum = 0
   for k = 0, blocks - 1 do sum = sum + get(sums, k) end
   return rest == 0 and sum or sum + block(x + (n - rest), rest)
end

return function(x, n)
   if n > DOT_BLOCK then return long(x, n) end
   return block(x, n)
end]]

-- Where NumPy has none, as before its version 2: multiplied and added.
local loops_source = [[
local function block(x, n)
   square(x, 8, x, 8, scratch, 8, n)
   add(total, 0, scratch, 8, total, 0, n)
end

local function long(x, n)
   for start = 0, n - 1, BLOCK do block(x + start, n - start < BLOCK and n - start or BLOCK) end
   return (get(total, 0))
end

return function(x, n)
   total[0] = 0
   if n > BLOCK then return long(x, n) end
   block(x, n)
   return (get(total, 0))
end]]

local function by_loops()
   return template.compile('squares', loops_source, nil, { square = ufunc_loops.get('multiply', Double, Double, Double),
      add = ufunc_loops.get('add', Double, Double, Double), scratch = native.buffer('double', tuning.ROW_BLOCK),
      get = element.getter(Double), total = native.buffer('double', 1), BLOCK = tuning.ROW_BLOCK })
end

-- A new function f(x, n): the sum of the squares of n doubles in memory.
function squares.make()
   local dot, data = native.raw_loop('vecdot', Double, Double, Double)
   if not dot then return by_loops() end
   local dims, steps = native.buffer('intptr_t', 2), native.buffer('intptr_t', 5)
   local total, char_p = native.buffer('double', 1), ffi.typeof 'char *'
   dims[0], steps[3], steps[4] = 1, 8, 8
   local p = ffi.new 't7_total'
   p.fn, p.data = dot, data
   return template.compile('squares', dot_source, nil, { dot = ffi.cast(native.loop_t, dot), data = data, dims = dims,
      get = element.getter(Double),
      steps = steps, args = native.buffer('char *', 3), total = total, to = ffi.cast(char_p, total), cast = ffi.cast,
      char_p = char_p, DOT_BLOCK = tuning.DOT_BLOCK, p = p, share = share_squares, sums_ct = ffi.typeof 'double[?]',
      WORK = 8 * tuning.BYTE_WORK })
end

return squares
