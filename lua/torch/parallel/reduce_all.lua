-- Full reductions, parallel: pieces of PIECE elements are reduced separately, and their results are then combined in
-- order.

local ffi = require 'ffi'
local element, native = require 'torch.base.element', require 'torch.native.native'
local parallel_for, sum_loop = require 'torch.parallel.parallel_for', require 'torch.base.sum_loop'
local template, tuning = require 'torch.jit.template', require 'torch.base.tuning'
local Double = require('torch.base.types').by_name.Double

local reduce_all = {}

local PIECE, WORK = tuning.TOTAL_PIECE, tuning.SIMPLE_WORK

-- f(data, step in elements, count), where `alone` reduces on one core, and `together` combines the results of pieces.
local source = [[
local function shared(data, step, count)
   local places = ceil(count / $PIECE)
   local pieces = pieces_ct(places)
   p.from, p.step, p.totals = cast(char_p, data), step * $SIZE, cast(char_p, pieces)
   share(count, $PIECE, $WORK * count, p)
   return together(pieces, 1, places)
end

return function(data, step, count)
   if count < 2 * $PIECE then return alone(data, step, count) end
   return shared(data, step, count)
end]]

local function make(name, T, p, kind, pieces_ct, alone, together)
   return template.compile(name, source, { PIECE = PIECE, SIZE = T.size, WORK = WORK }, { p = p, alone = alone,
      together = together or alone, share = parallel_for.kind('torch.parallel.memory_chunks', kind),
         ceil = math.ceil, cast = ffi.cast,
      char_p = ffi.typeof 'char *', pieces_ct = ffi.typeof('$[?]', ffi.typeof(pieces_ct)) })
end

-- By a loop of NumPy with results of the element type: starting from the first element or, for sums, from 0.
function reduce_all.by_loop(ufunc, T, from_zero)
   local run, total, size = native.loop_alone(ufunc, T, T, T), native.buffer(T.c, 1), T.size
   local get = element.reader(T)
   local function alone(data, step, count)
      total[0] = from_zero and 0 or get(data, 0)
      run(total, 0, data, step * size, total, 0, count)
      return (get(total, 0))
   end
   local fn, data = native.raw_loop(ufunc, T, T, T)
   if not fn then return alone end
   local p = ffi.new 't7_total'
   p.fn, p.data, p.size, p.copied = fn, data, size, from_zero and 0 or 1
   return make(ufunc, T, p, 'total', T.c, alone)
end

-- The sum of elements of a type: NumPy's loop adds doubles pairwise.
function reduce_all.sum(T)
   if T.name == 'Double' then return reduce_all.by_loop('add', T, true) end
   local p = ffi.new 't7_total'
   p.type = T.index
   return make('sum', T, p, 'sum', sum_loop.type_of(T), sum_loop.make(T), sum_loop.make(T, true))
end

-- The sum of the magnitudes of floats or doubles, in double precision.
function reduce_all.magnitudes(T)
   local p = ffi.new 't7_total'
   p.type, p.magnitudes = T.index, 1
   return make('magnitudes', T, p, 'sum', 'double', sum_loop.make(T, false, true), sum_loop.make(Double))
end

return reduce_all
