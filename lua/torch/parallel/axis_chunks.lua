-- Chunks of reductions along an axis: `count` results, each of n slices. See parallel_for.lua.

local ffi = require 'ffi'
local libc, element, types = require 'torch.native.libc', require 'torch.base.element', require 'torch.base.types'
local template = require 'torch.jit.template'
local cast = ffi.cast

-- Results are contiguous. `step` bytes lie between the operands of two results, n_step between the n elements of one.
-- A loop of NumPy combines two elements.
ffi.cdef [[
typedef struct { void *fn, *data; char *to, *from; double size, step, n, n_step; } t7_slices;
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

-- Slice after slice.
function axis_chunks.slices(data, from, to)
   local p = cast(pointer_ct, data)
   local r, x = begin(p, from, to)
   local size, step, n_step = p.size, p.step, p.n_step
   for k = 2, p.n - 1 do take(p, r, size, x + k * n_step, step, r, size, to - from) end
end

-- Result after result.
function axis_chunks.runs(data, from, to)
   local p = cast(pointer_ct, data)
   local size, step, n_step, n = p.size, p.step, p.n_step, p.n
   for i = from, to - 1 do
      local r, x = p.to + i * size, p.from + i * step
      libc.t7_memmove(r, x, size)
      take(p, r, 0, x + n_step, n_step, r, 0, n - 1)
   end
end

-- Rows of doubles, eight at a time, each element after the other as slice after slice would take them: memory is read
-- in order, and the processor has eight results to work on.
local in_turn_source = [[
return function(data, from, to)
   local p = cast(pointer_ct, data)
   local r, x = begin(p, from, to)
   r, x = cast(double_p, r), cast(double_p, x) + 2
   local step, n, count, i = p.step / 8, p.n - 2, to - from, 0
   while i + 7 < count do
      local p = x + i * step
      local q, s, t = p + step, p + 2 * step, p + 3 * step
      local u, v, w, z = p + 4 * step, p + 5 * step, p + 6 * step, p + 7 * step
      local a, b, c, d, e, f, g, h = get(r, i), get(r, i + 1), get(r, i + 2), get(r, i + 3),
         get(r, i + 4), get(r, i + 5), get(r, i + 6), get(r, i + 7)
      for k = 0, n - 1 do
         a, b, c, d = a $sign get(p, k), b $sign get(q, k), c $sign get(s, k), d $sign get(t, k)
         e, f, g, h = e $sign get(u, k), f $sign get(v, k), g $sign get(w, k), h $sign get(z, k)
      end
      r[i], r[i + 1], r[i + 2], r[i + 3], r[i + 4], r[i + 5], r[i + 6], r[i + 7] = a, b, c, d, e, f, g, h
      i = i + 8
   end
   while i < count do
      local p, a = x + i * step, get(r, i)
      for k = 0, n - 1 do a = a $sign get(p, k) end
      r[i] = a
      i = i + 1
   end
end]]

-- Floats as doubles, a block of results at a time.
local floats_source = [[
return function(data, from, to)
   local p = cast(pointer_ct, data)
   local r, x, n, n_step, step = cast(float_p, p.to), cast(float_p, p.from), p.n, p.n_step / 4, p.step / 4
   for start = from, to - 1, BLOCK do
      local count = to - start
      if count > BLOCK then count = BLOCK end
      local first = x + start * step
      for i = 0, count - 1 do scratch[i] = get_float(first, i * step) end
      if count < n then
         for i = 0, count - 1 do
            local total, row = scratch[i], first + i * step
            for k = 1, n - 1 do total = total $sign get_float(row, k * n_step) end
            scratch[i] = total
         end
      else
         for k = 1, n - 1 do
            local slice = first + k * n_step
            for i = 0, count - 1 do scratch[i] = scratch[i] $sign get_float(slice, i * step) end
         end
      end
      for i = 0, count - 1 do r[start + i] = scratch[i] end
   end
end]]

local rows = types.by_name
local values = { get = element.getter(rows.Double), get_float = element.getter(rows.Float), cast = cast,
   pointer_ct = pointer_ct, begin = begin, double_p = ffi.typeof 'double *',
   float_p = ffi.typeof 'float *', scratch = ffi.new 'double[256]', BLOCK = 256 }

for name, sign in pairs { sums = '+', products = '*' } do
   axis_chunks[name .. '_in_turn'] = template.compile(name, in_turn_source, { sign = sign }, values)
   axis_chunks['float_' .. name] = template.compile(name, floats_source, { sign = sign }, values)
end

return axis_chunks
