-- Copies and fills, in parallel if there are many bytes.

local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local copy_loops, host = require 'torch.base.copy_loops', require 'torch.native.host'
local ufunc_loops, parallel_for = require 'torch.parallel.ufunc_loops', require 'torch.parallel.parallel_for'
local conversion_code, loop_function = require 'torch.base.conversion_code', require 'torch.native.loop_function'
local layout_code, strided_iterator = require 'torch.base.layout_code', require 'torch.base.strided_iterator'
local tuning = require 'torch.base.tuning'
local lazy_table, kernels = require 'torch.jit.lazy_table', require 'torch.native.kernels' 'reduce/extremes'
local max, min, tonumber = math.max, math.min, tonumber
local cast, independent = ffi.cast, ufunc_loops.independent

local parallel_copy = {}

local WORK = tuning.BYTE_WORK
local LEAST_BYTES, PAGE, SEARCH = tuning.SHARED_BYTES, tuning.PAGE, tuning.NAN_SEARCH
parallel_copy.LEAST_BYTES = LEAST_BYTES
local LAYOUT_WORK = tuning.LAYOUT_WORK
local LEAST_ELEMENTS, ROWS = parallel_for.LEAST / LAYOUT_WORK, 64
parallel_copy.LEAST_ELEMENTS = LEAST_ELEMENTS
-- Fewest converted elements at which NumPy's vector loops repay a call into Python on one core. Not used from fractions
-- to integers: out of range its vector code differs from C's conversion.
local HOST_COUNT = tuning.HOST_COUNT
-- Nanoseconds per element converted by machine code.
local CONVERSION_WORK = 0.2
-- Two cores with Lua loops are faster. NumPy's loops round a Long to a double first, and half numbers differently.
local RUN_UNIT = 64

local function is_shared(T, S)
   return parallel_for.has_workers() and not (T.name == 'Half' or S.name == 'Half'
      or T.name == 'Float' and S.name == 'Long')
end

local byte_p = ffi.typeof 'char *'
local share_copy = parallel_for.kind('torch.parallel.memory_chunks', 'copy')
local share_spread = parallel_for.kind('torch.parallel.memory_chunks', 'spread')
local share_run = parallel_for.kind('torch.parallel.memory_chunks', 'run')
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

-- Tells whether there is no NaN among elements to convert. See docs/decisions/0021-rows-beside-numpy.md.
local function are_plain(T, S, from, step, count)
   if T == S or S.integer or S.name == 'Half' or step ~= 1 or count < SEARCH then return false end
   local most = kernels.t7_extreme_all(S.index, 1, from, count)
   return most == most
end

-- Parallel conversion loops in machine code; false where there is none.
local conversions = lazy_table(function(T)
   return lazy_table(function(S)
      local fn = conversion_code(T, S)
      if not fn then return false end
      return ufunc_loops.shared('convert', fn, nil, 1, loop_function('convert', fn, nil, 1), CONVERSION_WORK)
   end)
end)

-- Converts rows of neighbors, steps between rows in elements; returns whether it did.
local NEIGHBORS, CALL = 32, 20
local share_rows_of_loop = parallel_for.kind('torch.parallel.memory_chunks', 'loop_rows')
local loop_rows = ffi.new 't7_loop_rows'

local function convert_rows(T, to, to_row, S, from, from_row, count, rows)
   local run = conversions[T][S]
   if not run or to_row < count or from_row < 0
      or not independent(from, max(from_row, count) * S.size, to, to_row * T.size, rows) then return false end
   local data, loop = loop_rows, loop_rows.loop
   loop.fn, loop.args[0], loop.args[1] = ufunc_loops.records[run].fn, cast(byte_p, from), cast(byte_p, to)
   data.rows[0], data.rows[1], data.count = from_row * S.size, to_row * T.size, count
   share_rows_of_loop(rows, 1, rows * (CALL + count * CONVERSION_WORK), data)
   return true
end

-- Copies `count` elements from type S to type T; steps are in elements. Ranges may overlap. `own` promises that nothing
-- else writes to the source.
function parallel_copy.elements(T, to, to_step, S, from, from_step, count, own)
   if T == S and to_step == 1 and from_step == 1 then
      parallel_copy.move(to, from, count * T.size)
      return
   end
   local convert = count >= SEARCH and to_step == 1 and from_step == 1 and conversions[T][S]
   if convert and independent(from, S.size, to, T.size, count) then return convert(from, S.size, to, T.size, count) end
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
   if T ~= S and to_step == 1 and from_step == 1 and count >= NEIGHBORS and count * rows >= SEARCH
      and convert_rows(T, to, to_row, S, from, from_row, count, rows) then return end
   if count * rows < LEAST_ELEMENTS then
      return copy_loops.matrix(T, S)(to, to_step, to_row, from, from_step, from_row, count, rows)
   end
   layout.to, layout.from = cast(byte_p, to), cast(byte_p, from)
   layout.to_step, layout.to_row, layout.from_step, layout.from_row = to_step, to_row, from_step, from_row
   layout.count, layout.types[0], layout.types[1] = count, T.index, S.index
   share_layout(rows, ROWS, LAYOUT_WORK * count * rows, layout)
end

local share_nest = parallel_for.kind('torch.parallel.memory_chunks', 'nest')
local shared = ffi.new 't7_shared_nest'
local nest = shared.nest
local copy_nest_p = ffi.typeof 'void (*)(t7_nest *)'
local codes = lazy_table(function(size) return layout_code(size) or false end)
local LOOPS, RUN = 4, 0

local function set_loop(k, plan, size)
   local to_step, from_step, sizes = plan.step[1], plan.step[2], plan.size
   if k < plan.dim then
      nest.counts[k] = sizes[k]
      nest.to_next[k] = (to_step[k] - sizes[k - 1] * to_step[k - 1]) * size
      nest.from_next[k] = (from_step[k] - sizes[k - 1] * from_step[k - 1]) * size
   else
      nest.counts[k], nest.to_next[k], nest.from_next[k] = 1, 0, 0
   end
end

-- Whether turns of a loop around others write to memory that follows that of the turn before.
local function moves_on(step, sizes, outer)
   local extent = 0
   for k = 0, outer - 1 do extent = extent + (sizes[k] - 1) * step[k] end
   return step[outer] > extent
end

-- Copies elements of type T by the loops of a plan, in any order. False where no such code can run. The target of a
-- contiguous tensor has no elements in common with itself.
function parallel_copy.nest(T, to, from, plan, is_contiguous)
   local size, to_step, from_step = T.size, plan.step[1], plan.step[2]
   local is_run = to_step[0] == 1 and from_step[0] == 1
   local fn = codes[is_run and RUN or size]
   if not fn then return false end
   nest.counts[0], nest.to_next[0], nest.from_next[0] = plan.size[0], to_step[0] * size, from_step[0] * size
   if is_run then nest.counts[0] = plan.size[0] * size end
   set_loop(1, plan, size)
   set_loop(2, plan, size)
   set_loop(3, plan, size)
   local outer = min(plan.dim, LOOPS) - 1
   shared.fn, shared.outer = fn, outer
   shared.to_step, shared.from_step = to_step[outer] * size, from_step[outer] * size
   local counts = plan.size
   local count = counts[0] * (outer > 0 and counts[1] or 1) * (outer > 1 and counts[2] or 1)
      * (outer > 2 and counts[3] or 1)
   strided_iterator.start(plan)
   repeat
      nest.to, nest.from = cast(byte_p, to + plan.offset[1]), cast(byte_p, from + plan.offset[2])
      if count < LEAST_ELEMENTS or not (is_contiguous or moves_on(to_step, counts, outer)) then
         cast(copy_nest_p, fn)(nest)
      else
         share_nest(counts[outer], 1, LAYOUT_WORK * count, shared)
      end
   until not strided_iterator.next(plan, 2, LOOPS)
   return true
end

return parallel_copy
