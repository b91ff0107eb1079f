-- Copies and fills, parallel if there are many bytes.

local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local copy_loops, host = require 'torch.base.copy_loops', require 'torch.native.host'
local ufunc_loops, parallel_for = require 'torch.parallel.ufunc_loops', require 'torch.parallel.parallel_for'
local conversion_code, loop_function = require 'torch.base.conversion_code', require 'torch.native.loop_function'
local tuning = require 'torch.base.tuning'
local lazy_table, reduce_all = require 'torch.jit.lazy_table', require 'torch.parallel.reduce_all'
local template = require 'torch.jit.template'
local tonumber = tonumber
local cast, independent = ffi.cast, ufunc_loops.independent

local parallel_copy = {}

local WORK = tuning.BYTE_WORK
local LEAST_BYTES, PAGE, SEARCH = tuning.SHARED_BYTES, tuning.PAGE, tuning.NAN_SEARCH
parallel_copy.LEAST_BYTES = LEAST_BYTES
local LAYOUT_WORK = tuning.LAYOUT_WORK
local LEAST_ELEMENTS, ROWS = parallel_for.LEAST / LAYOUT_WORK, 64
parallel_copy.LEAST_ELEMENTS = LEAST_ELEMENTS
-- Minimum converted elements at which NumPy's vector loops repay a call into Python on one core. Not for fractions
-- that become integers: outside the range of the integer its vector code differs from C's conversion.
local HOST_COUNT = tuning.HOST_COUNT
-- Nanoseconds for an element that is converted by machine code.
local CONVERSION_WORK = 0.2
-- Two cores with loops of Lua are faster. These round a Long to a double first, and half numbers in their own way.
local RUN_UNIT = 64

local function is_shared(T, S)
   return parallel_for.has_workers() and not (T.name == 'Half' or S.name == 'Half'
      or T.name == 'Float' and S.name == 'Long')
end

local byte_p = ffi.typeof 'char *'
local share_copy = parallel_for.kind('torch.parallel.memory_chunks', 'copy')
local share_spread = parallel_for.kind('torch.parallel.memory_chunks', 'spread')
local share_run = parallel_for.kind('torch.parallel.memory_chunks', 'run')
local share_rows = parallel_for.kind('torch.parallel.memory_chunks', 'rows')
local share_layout = parallel_for.kind('torch.parallel.memory_chunks', 'layout')
local p, layout = ffi.new 't7_copy', ffi.new 't7_layout'

function parallel_copy.move(to, from, bytes)
   if bytes < LEAST_BYTES or not independent(from, 1, to, 1, bytes) then
      libc.t7_memmove(to, from, bytes)
      return
   end
   p.to, p.from = cast(byte_p, to), cast(byte_p, from)
   share_copy(bytes, PAGE, WORK * bytes, p)
end

local VECTOR = 32
local fill_code = lazy_table(function()
   local fn = require 'torch.base.fill_code'()
   if not fn then return false end
   return ufunc_loops.shared('spread', fn, nil, 1, loop_function('spread', fn, nil, 1), WORK * VECTOR)
end)

-- Repeats the `chunk` bytes at `from`, some vectors of one value, over all `total` bytes there.
function parallel_copy.spread(from, chunk, total)
   local fill_vectors = fill_code.vectors
   if fill_vectors then
      local rest = total % VECTOR
      fill_vectors(from, 0, from, VECTOR, (total - rest) / VECTOR)
      if rest > 0 then libc.t7_memmove(from + (total - rest), from, rest) end
      return
   end
   p.to, p.from, p.size = from, from, chunk
   share_spread(total, chunk, WORK * total, p)
end

-- Copies `count` rows of `bytes` bytes at the indices, counted from 1, in a list of int64. The rows do not overlap
-- their destination.
function parallel_copy.rows(to, from, places, bytes, count)
   p.to, p.from, p.places, p.size = to, from, places, bytes
   share_rows(count, 1, WORK * bytes * count, p)
end

local greatest = lazy_table(function(S) return reduce_all.by_loop('maximum', S) end)

-- Tells whether there is no NaN among elements that are converted.
local function are_plain(T, S, from, step, count)
   if T == S or S.integer or S.name == 'Half' or step ~= 1 or count < SEARCH then return false end
   local most = greatest[S](from, 1, count)
   return most == most
end

local conversion_source = [[
return function(from, to, count)
   local rest = count % $UNIT
   local whole = count - rest
   run(from, $FROM, to, $TO, whole)
   if rest > 0 then few(to + whole, 1, from + whole, 1, rest) end
end]]

-- Loops between types by machine code, on all cores: f(from, to, count); false where there is none.
local conversions = lazy_table(function(T)
   return lazy_table(function(S)
      local fn, unit = conversion_code(T, S)
      if not fn then return false end
      local run = ufunc_loops.shared('convert', fn, nil, 1, loop_function('convert', fn, nil, 1), CONVERSION_WORK)
      return template.compile('convert', conversion_source, { FROM = S.size, TO = T.size, UNIT = unit },
         { run = run, few = unit > 1 and copy_loops.run(T, S, true) })
   end)
end)

-- Copies `count` elements from type S to type T; steps are in elements. Ranges may overlap. `own` tells that nobody
-- else writes to the source.
function parallel_copy.elements(T, to, to_step, S, from, from_step, count, own)
   if T == S and to_step == 1 and from_step == 1 then
      parallel_copy.move(to, from, count * T.size)
      return
   end
   local convert = count >= SEARCH and to_step == 1 and from_step == 1 and conversions[T][S]
   if convert and independent(from, S.size, to, T.size, count) then return convert(from, to, count) end
   local plain = own and are_plain(T, S, from, from_step, count)
   if count >= LEAST_ELEMENTS and is_shared(T, S) and to_step > 0
      and independent(from, from_step * S.size, to, to_step * T.size, count) then
      layout.to, layout.from = cast(byte_p, to), cast(byte_p, from)
      layout.to_step, layout.from_step = to_step, from_step
      layout.types[0], layout.types[1], layout.plain = T.index, S.index, plain and 1 or 0
      share_run(count, RUN_UNIT, LAYOUT_WORK * count, layout)
   elseif count >= HOST_COUNT and (S.integer or not T.integer)
      and (T ~= S or independent(from, from_step * S.size, to, to_step * T.size, count)) then
      host.convert(tonumber(cast('intptr_t', to)), T.dtype, to_step,
         tonumber(cast('intptr_t', from)), S.dtype, from_step, count)
   else
      copy_loops.run(T, S, plain)(to, to_step, from, from_step, count)
   end
end

-- Copies rows x count elements between two layouts with steps between elements and between rows.
function parallel_copy.matrix(T, to, to_step, to_row, S, from, from_step, from_row, count, rows)
   if to_step ~= 1 and to_row == 1 then
      to_step, to_row, from_step, from_row, count, rows = to_row, to_step, from_row, from_step, rows, count
   end
   if count * rows < LEAST_ELEMENTS then
      return copy_loops.matrix(T, S)(to, to_step, to_row, from, from_step, from_row, count, rows)
   end
   layout.to, layout.from = cast(byte_p, to), cast(byte_p, from)
   layout.to_step, layout.to_row, layout.from_step, layout.from_row = to_step, to_row, from_step, from_row
   layout.count, layout.types[0], layout.types[1] = count, T.index, S.index
   share_layout(rows, ROWS, LAYOUT_WORK * count * rows, layout)
end

return parallel_copy
