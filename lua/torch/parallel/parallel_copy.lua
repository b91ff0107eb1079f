-- Copies and fills, in parallel if there are many bytes. See docs/decisions/0031-copies-between-layouts.md.

local ffi = require 'ffi'
local libc = require 'torch.native.libc'
local copy_loops, kernels = require 'torch.loops.copy_loops', require 'torch.native.kernels'
local strided_iterator, tuning = require 'torch.loops.strided_iterator', require 'torch.loops.tuning'
local has_nan, lazy_table = require('torch.loops.nan_payloads').has_nan, require 'torch.jit.lazy_table'
local max, min = math.max, math.min
local cast = ffi.cast

local parallel_copy = {}

local MIN_BYTES, MIN_COUNT = tuning.SHARED_BYTES, tuning.COPY_KERNEL_MIN
parallel_copy.MIN_BYTES = MIN_BYTES
-- Elements between layouts whose time repays the plan of nested loops.
parallel_copy.MIN_ELEMENTS = 8000
-- Nanoseconds for an element that is converted.
local CONVERSION_WORK = 0.2

local byte_p = ffi.typeof 'char *'

local library
local function lib()
   if not library then
      kernels 'elementwise'
      kernels 'copy'
      library = kernels 'strided'
   end
   return library
end

local function are_apart(to, to_bytes, from, from_bytes)
   if not to_bytes or not from_bytes then return false end
   local distance = cast('intptr_t', to) - cast('intptr_t', from)
   return distance >= from_bytes or -distance >= to_bytes
end

function parallel_copy.move(to, from, bytes)
   if bytes < MIN_BYTES or not are_apart(to, bytes, from, bytes) then
      libc.t7_memmove(to, from, bytes)
      return
   end
   lib().t7_move(cast(byte_p, to), cast(byte_p, from), bytes)
end

-- Repeats the first 32 bytes over all `total` bytes there.
function parallel_copy.fill(from, total) lib().t7_fill(from, total) end

-- Copies `count` rows of `bytes` bytes at the 1-based int64 `indices`. Source and destination must not overlap.
function parallel_copy.rows(to, from, indices, bytes, count) lib().t7_copy_slices(to, from, indices, bytes, count) end

-- Tells whether there is no NaN among elements to convert.
local function are_plain(T, S, from, step, count)
   return T ~= S and not S.integer and S.name ~= 'Half' and step == 1 and count >= MIN_COUNT
      and not has_nan(S, from, count)
end

-- Calls of the kernels that convert; false if there is none. Types of devices have the names of those below.
local conversions = lazy_table(function(T)
   return lazy_table(function(S)
      local fn = lib().t7_find_conversion(T.name, S.name)
      if fn == nil then return false end
      local call = ffi.new 't7_call'
      call.kernel, call.work, call.operands = fn, CONVERSION_WORK, 2
      call.sizes[0], call.sizes[1] = S.size, T.size
      return call
   end)
end)

-- The bytes from the first to the last of count elements in each of some rows, steps being in elements; nil if a
-- step is negative.
local function extent(T, step, row, count, rows)
   return step >= 0 and row >= 0 and ((count - 1) * step + (rows - 1) * row + 1) * T.size or nil
end

local layouts = lazy_table(function()
   lib()
   return ffi.new 't7_layout[2]'
end)

local function set_layout(k, t)
   local layout = layouts.of_operands[k]
   layout.size, layout.stride, layout.dims = t._size, t._stride, t._dim
   return cast(byte_p, t._memory._data + t._offset)
end

-- Sets the elements of a tensor in any layout, at least one, to the one at `value`.
function parallel_copy.fill_strided(T, t, value)
   local begin = set_layout(0, t)
   lib().t7_fill_strided(begin, T.size, layouts.of_operands, value)
end

-- Converts the elements of `source`, of another type S, to those of t in any layout; returns whether their sizes have
-- common loops, as those of a contiguous source do, and nil if there is no kernel.
function parallel_copy.convert(T, t, S, source)
   local call = conversions[T][S]
   if not call then return nil end
   call.begin[0], call.begin[1] = set_layout(0, source), set_layout(1, t)
   return lib().t7_run_strided(call, layouts.of_operands) == 1
end

local nest = lazy_table(function()
   lib()
   return ffi.new 't7_nest'
end)

local function set_loop(p, k, to_step, from_step, count, size)
   p.to_step[k], p.from_step[k], p.count[k] = to_step * size, from_step * size, count
end

local function copy_vector(T, to, to_step, S, from, from_step, count)
   if T == S then
      local p = nest.of_elements
      p.to, p.from, p.size, p.loops = cast(byte_p, to), cast(byte_p, from), T.size, 1
      set_loop(p, 0, to_step, from_step, count, T.size)
      lib().t7_copy_nest(p, 1)
      return true
   end
   local call = conversions[T][S]
   if not call then return false end
   call.begin[0], call.step[0] = cast(byte_p, from), from_step * S.size
   call.begin[1], call.step[1] = cast(byte_p, to), to_step * T.size
   lib().t7_run(call, count)
   return true
end

-- Copies rows x count elements of one type between memory that does not overlap; returns whether it did.
local function copy_rows(T, to, to_step, to_row, from, from_step, from_row, count, rows)
   if rows == 1 then return to_step > 0 and copy_vector(T, to, to_step, T, from, from_step, count) end
   local p = nest.of_elements
   p.to, p.from, p.size, p.loops = cast(byte_p, to), cast(byte_p, from), T.size, 2
   set_loop(p, 0, to_step, from_step, count, T.size)
   set_loop(p, 1, to_row, from_row, rows, T.size)
   -- Rows of an expanded target are not different memory.
   lib().t7_copy_nest(p, (to_row >= count * to_step or to_step >= rows * to_row) and 1 or 0)
   return true
end

-- Copies `count` elements from type S to type T; steps are in elements. Ranges may overlap. `own` promises that nothing
-- else writes to the source.
function parallel_copy.elements(T, to, to_step, S, from, from_step, count, own)
   if T == S and to_step == 1 and from_step == 1 then
      parallel_copy.move(to, from, count * T.size)
      return
   end
   if count >= MIN_COUNT and to_step > 0
      and are_apart(to, extent(T, to_step, 0, count, 1), from, extent(S, from_step, 0, count, 1))
      and copy_vector(T, to, to_step, S, from, from_step, count) then return end
   copy_loops.run(T, S, own and are_plain(T, S, from, from_step, count))(to, to_step, from, from_step, count)
end

-- Copies rows x count elements between two layouts with steps between elements and between rows.
function parallel_copy.matrix(T, to, to_step, to_row, S, from, from_step, from_row, count, rows)
   if to_step ~= 1 and to_row == 1 then
      to_step, to_row, from_step, from_row, count, rows = to_row, to_step, from_row, from_step, rows, count
   end
   if T == S and count * rows >= MIN_COUNT and are_apart(to, extent(T, to_step, to_row, count, rows),
      from, extent(T, from_step, from_row, count, rows))
      and copy_rows(T, to, to_step, to_row, from, from_step, from_row, count, rows) then return end
   copy_loops.matrix(T, S)(to, to_step, to_row, from, from_step, from_row, count, rows)
end

local LOOPS = 4

-- Whether each iteration of an outer loop writes to memory that follows that of the previous iteration.
local function advances_past_inner(step, sizes, outer)
   local extent_of = 0
   for k = 0, outer - 1 do extent_of = extent_of + (sizes[k] - 1) * step[k] end
   return step[outer] > extent_of
end

-- Copies elements of type T by the loops of a plan, in any order. The target of a contiguous tensor has no elements in
-- common with itself.
function parallel_copy.nest(T, to, from, plan, is_contiguous)
   local to_step, from_step, counts, p = plan.step[1], plan.step[2], plan.size, nest.of_plan
   local loops = max(min(plan.dim, LOOPS), 1)
   p.size, p.loops = T.size, loops
   for k = 0, loops - 1 do set_loop(p, k, to_step[k], from_step[k], counts[k], T.size) end
   local shared = (is_contiguous or advances_past_inner(to_step, counts, loops - 1)) and 1 or 0
   strided_iterator.start(plan)
   repeat
      p.to, p.from = cast(byte_p, to + plan.offset[1]), cast(byte_p, from + plan.offset[2])
      lib().t7_copy_nest(p, shared)
   until not strided_iterator.next(plan, 2, LOOPS)
end

return parallel_copy
