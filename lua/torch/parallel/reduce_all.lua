-- Full reductions, parallel: pieces of PIECE elements are reduced separately, and their results are then combined in
-- order.

local ffi = require 'ffi'
local element, native = require 'torch.base.element', require 'torch.native.native'
local parallel_for, sum_loop = require 'torch.parallel.parallel_for', require 'torch.base.sum_loop'
local axis_chunks, reduction_code = require 'torch.parallel.axis_chunks', require 'torch.base.reduction_code'
local template, tuning = require 'torch.jit.template', require 'torch.base.tuning'
local Double = require('torch.base.types').by_name.Double

-- shift: the number from which deviations are taken.
local reduce_all = { shift = sum_loop.shift }

local PIECE, WORK = tuning.TOTAL_PIECE, tuning.SIMPLE_WORK

-- f(data, step in elements, count, own): `alone` reduces on one core, and `together` combines the results of pieces.
-- `own` promises that nothing else writes to the memory; 'plain', that there is no NaN either.
local source = [[
local function shared(data, step, count, own)
   local number = ceil(count / $PIECE)
   local pieces = pieces_ct(number)
   p.from, p.step, p.totals = cast(char_p, data), step * $SIZE, cast(char_p, pieces)
   p.own, p.shift = own == 'plain' and 2 or own and 1 or 0, shift[0]
   share(count, $PIECE, $WORK * count, p)
   return together(pieces, 1, number, true)
end

return function(data, step, count, own)
   if count < 2 * $PIECE then return alone(data, step, count, own) end
   return shared(data, step, count, own)
end]]

local function make(name, T, p, kind, pieces_ct, alone, together)
   return template.compile(name, source, { PIECE = PIECE, SIZE = T.size, WORK = WORK }, { p = p, alone = alone,
      together = together or alone, share = parallel_for.kind('torch.parallel.memory_chunks', kind),
         ceil = math.ceil, cast = ffi.cast,
      char_p = ffi.typeof 'char *', pieces_ct = ffi.typeof('$[?]', ffi.typeof(pieces_ct)), shift = sum_loop.shift })
end

-- By a NumPy loop with results of the element type, starting from the first element or, for sums, from 0.
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

-- Pieces by machine code, then the remainder.
local code_source = [[
local function reduce(fn, x, count, to)
   args[0], args[1], dims[1] = cast(char_p, x), cast(char_p, to), count
   fn(args, dims, steps, nil)
end

local function long(data, count)
   local pieces = floor(count / $PIECE)
   local rest = count - pieces * $PIECE
   local totals = doubles(pieces + 1)
   p.from, p.to, p.n, p.step = cast(char_p, data), cast(char_p, totals), $PIECE, $PIECE * $SIZE
   share(pieces, 1, $WORK * count, p)
   if rest > 0 then
      reduce(elements, data + pieces * $PIECE, rest, totals + pieces)
      pieces = pieces + 1
   end
   reduce(together, totals, pieces, total)
   return (get(total, 0))
end

return function(data, step, count, own)
   if step ~= 1 then return (strided(data, step, count, own)) end
   if count >= 2 * $PIECE then return long(data, count) end
   reduce(elements, data, count, total)
   return (get(total, 0))
end]]

-- Nanoseconds for an element.
local CODE_WORK = 0.1

local function by_code(name, T, term, combine, strided)
   local fn = reduction_code.rows(T, term, { combine = combine })
   if not fn then return nil end
   local p = axis_chunks.ct()
   local args, dims = native.buffer('char *', 3), native.buffer('intptr_t', 2)
   p.fn, p.size, p.shifts = fn, 8, ffi.cast('char *', sum_loop.shift)
   args[2], dims[0] = p.shifts, 1
   return template.compile(name, code_source, { PIECE = PIECE, SIZE = T.size, WORK = CODE_WORK * T.size / 4 }, { p = p,
      args = args, dims = dims, steps = native.buffer('intptr_t', 4), elements = ffi.cast(native.loop_t, fn),
      together = ffi.cast(native.loop_t, reduction_code.rows(Double, 'elements', { combine = combine })),
      doubles = reduction_code.doubles, total = native.buffer('double', 1), get = element.getter(Double),
      share = parallel_for.kind('torch.parallel.axis_chunks', 'code'), strided = strided, floor = math.floor,
      cast = ffi.cast, char_p = ffi.typeof 'char *' })
end

-- The sum of a term of elements, of sum_loop.TERMS, in double precision.
function reduce_all.terms(T, term)
   local code = by_code(term, T, term, 'add', sum_loop.make(T, sum_loop.TERMS[term]))
   if code then return code end
   local p, maximum = ffi.new 't7_total', nil
   p.type, p.term = T.index, sum_loop.TERMS[term]
   if not T.integer then
      local fn, data = native.raw_loop('maximum', T, T, T)
      if fn then p.fn, p.data, maximum = fn, data, native.loop_alone('maximum', T, T, T) end
   end
   return make(term, T, p, 'sum', 'double', sum_loop.make(T, p.term, maximum), sum_loop.make(Double, 0))
end

-- The product of Floats in double precision, by machine code; nil for other types. `strided` handles elements that are
-- not contiguous.
function reduce_all.product(T, strided)
   return T.name == 'Float' and by_code('product', T, 'elements', 'multiply', strided) or nil
end

-- The sum of elements of a type: NumPy's loop adds doubles pairwise, and Longs, with wraparound, in vectors.
function reduce_all.sum(T)
   if T.name == 'Double' or T.name == 'Long' then return reduce_all.by_loop('add', T, true) end
   return reduce_all.terms(T, 'elements')
end

return reduce_all
