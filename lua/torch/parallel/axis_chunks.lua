-- Chunks of reductions along an axis: `count` results, each of n slices. See parallel_for.lua.

local ffi = require 'ffi'
local libc, element, types = require 'torch.native.libc', require 'torch.base.element', require 'torch.base.types'
local template = require 'torch.jit.template'
local cast, min = ffi.cast, math.min

-- Results are contiguous. Operands of two results are `step` bytes apart, the n elements of one result n_step. A NumPy
-- loop combines two elements; `plain` means that there is no NaN among Floats, and no other writer. Or `fn` is code of
-- base/reduction_code.lua: deviations are from the numbers at `shifts`, shift_step bytes apart; planes have `inner`
-- results, are `outer_step` bytes apart, and have n of `whole` slices, the last one the remainder.
ffi.cdef [[
typedef struct {
   void *fn, *data; char *to, *from; double size, step, n, n_step; int32_t plain;
   char *shifts; double shift_step, inner, outer_step, whole;
} t7_slices;
]]

local axis_chunks = { ct = ffi.typeof 't7_slices' }

local pointer_ct = ffi.typeof 't7_slices *'
local loop_type = require 'torch.native.loop_type'
local args, dims, steps = ffi.new 'char *[3]', ffi.new 'intptr_t[1]', ffi.new 'intptr_t[3]'

local function take(p, x, x_step, y, y_step, r, r_step, count)
   args[0], args[1], args[2], steps[0], steps[1], steps[2], dims[0] = x, y, r, x_step, y_step, r_step, count
   cast(loop_type, p.fn)(args, dims, steps, p.data)
end

-- The addresses of the first two slices, of the results and of the slices.
local function begin(p, from, to)
   local size, step = p.size, p.step
   local r, x = p.to + from * size, p.from + from * step
   take(p, x, step, x + p.n_step, step, r, size, to - from)
   return r, x
end

-- One slice after another.
function axis_chunks.slices(data, from, to)
   local p = cast(pointer_ct, data)
   local r, x = begin(p, from, to)
   local size, step, n_step = p.size, p.step, p.n_step
   for k = 2, p.n - 1 do take(p, r, size, x + k * n_step, step, r, size, to - from) end
end

-- One result after another.
function axis_chunks.runs(data, from, to)
   local p = cast(pointer_ct, data)
   local size, step, n_step, n = p.size, p.step, p.n_step, p.n
   for i = from, to - 1 do
      local r, x = p.to + i * size, p.from + i * step
      libc.t7_memmove(r, x, size)
      take(p, r, 0, x + n_step, n_step, r, 0, n - 1)
   end
end

-- By machine code.
local reduced, counts, strides = ffi.new 'char *[3]', ffi.new 'intptr_t[2]', ffi.new 'intptr_t[4]'

function axis_chunks.code(data, from, to)
   local p = cast(pointer_ct, data)
   reduced[0], reduced[1], reduced[2] = p.from + from * p.step, p.to + from * p.size, p.shifts + from * p.shift_step
   counts[0], counts[1] = to - from, p.n
   strides[0], strides[1], strides[2], strides[3] = p.step, p.size, p.n_step, p.shift_step
   cast(loop_type, p.fn)(reduced, counts, strides, nil)
end

-- One plane after another.
function axis_chunks.planes(data, from, to)
   local p = cast(pointer_ct, data)
   local inner = p.inner
   counts[0] = inner
   strides[0], strides[1], strides[2], strides[3] = p.step, p.size, p.n_step, p.shift_step
   for k = from, to - 1 do
      local first = k * inner
      reduced[0], reduced[1], reduced[2] = p.from + k * p.outer_step, p.to + first * p.size,
         p.shifts + first * p.shift_step
      counts[1] = min(p.n, p.whole - k * p.n)
      cast(loop_type, p.fn)(reduced, counts, strides, nil)
   end
end

-- Floats as doubles: contiguous rows four at a time; other results in blocks, four slices at a time if these are
-- contiguous. Within a result, elements are added in order.
local floats_source = [[
local function rows_in_turn(r, x, step, n, from, to)
   local i = from
   while i + 3 < to do
      local p = x + i * step
      local q, s, t = p + step, p + 2 * step, p + 3 * step
      local a, b, c, d = get(p, 0), get(q, 0), get(s, 0), get(t, 0)
      for k = 1, n - 1 do
         a, b, c, d = a $sign get(p, k), b $sign get(q, k), c $sign get(s, k), d $sign get(t, k)
      end
      r[i], r[i + 1], r[i + 2], r[i + 3] = a, b, c, d
      i = i + 4
   end
   return i
end

local function row_by_row(first, step, n, n_step, count)
   for i = 0, count - 1 do
      local total, row = scratch[i], first + i * step
      for k = 1, n - 1 do total = total $sign get(row, k * n_step) end
      scratch[i] = total
   end
end

local function neighbors(first, n, n_step, count)
   local k = 1
   while k + 3 < n do
      local p = first + k * n_step
      local q, s, t = p + n_step, p + 2 * n_step, p + 3 * n_step
      for i = 0, count - 1 do
         scratch[i] = scratch[i] $sign get(p, i) $sign get(q, i) $sign get(s, i) $sign get(t, i)
      end
      k = k + 4
   end
   while k < n do
      local slice = first + k * n_step
      for i = 0, count - 1 do scratch[i] = scratch[i] $sign get(slice, i) end
      k = k + 1
   end
end

local function slice_by_slice(first, step, n, n_step, count)
   for k = 1, n - 1 do
      local slice = first + k * n_step
      for i = 0, count - 1 do scratch[i] = scratch[i] $sign get(slice, i * step) end
   end
end

return function(r, x, n, n_step, step, from, to)
   if n_step == 1 then from = rows_in_turn(r, x, step, n, from, to) end
   for start = from, to - 1, BLOCK do
      local count = to - start
      if count > BLOCK then count = BLOCK end
      local first = x + start * step
      for i = 0, count - 1 do scratch[i] = get(first, i * step) end
      if step == 1 then
         neighbors(first, n, n_step, count)
      elseif count < n then
         row_by_row(first, step, n, n_step, count)
      else
         slice_by_slice(first, step, n, n_step, count)
      end
      for i = 0, count - 1 do r[start + i] = scratch[i] end
   end
end]]

local floats_chunk_source = [[
return function(data, from, to)
   local p = cast(pointer_ct, data)
   local run = p.plain == 1 and plain or checked
   run(cast(float_p, p.to), cast(float_p, p.from), p.n, p.n_step / 4, p.step / 4, from, to)
end]]

local rows = types.by_name
local function plainly(data, i) return data[i] end

for name, sign in pairs { sums = '+', products = '*' } do
   local function floats(get)
      return template.compile(name, floats_source, { sign = sign }, { get = get, scratch = ffi.new 'double[256]',
         BLOCK = 256 })
   end
   axis_chunks['float_' .. name] = template.compile(name, floats_chunk_source, nil, { cast = cast,
      pointer_ct = pointer_ct, float_p = ffi.typeof 'float *', plain = floats(plainly),
      checked = floats(element.getter(rows.Float)) })
end

return axis_chunks
