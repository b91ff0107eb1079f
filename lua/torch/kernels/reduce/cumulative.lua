-- Cumulative sums and products, and cross products.

local ffi = require 'ffi'
local broadcast, errors = require 'torch.tensor.broadcast', require 'torch.base.errors'
local element, elementwise = require 'torch.base.element', require 'torch.kernels.elementwise'
local geometry = require 'torch.base.geometry'
local ufunc_loops, buffers = require 'torch.parallel.ufunc_loops', require 'torch.memory.buffers'
local parallel_for, running_code = require 'torch.parallel.parallel_for', require 'torch.base.running_code'
local reduce_axis, template = require 'torch.kernels.reduce.reduce_axis', require 'torch.jit.template'
local finish_trace, shape = require('torch.jit.trace').finish, geometry.shape

local cumulative = {}

-- n slices of `inner` elements: each is the one before, combined with the operand's.
local slices_source = [[
local function more_slices(r, r_n, r_i, x, x_n, x_i, from, n, inner)
   for k = from, n - 1 do
      run(r + (k - 1) * r_n, r_i * size, x + k * x_n, x_i * size, r + k * r_n, r_i * size, inner)
   end
end

-- NumPy's own accumulation calls its loops like this: the result one element after the first operand.
local function rows(r, r_n, r_i, x, x_n, x_i, n, inner)
   for i = 0, inner - 1 do
      local to, from = r + i * r_i, x + i * x_i
      copy_bytes(to, from, size)
      run(to, r_n * size, from + x_n, x_n * size, to + r_n, r_n * size, n - 1)
   end
end

return function(r, r_n, r_i, x, x_n, x_i, n, inner)
   if inner < n and n > 8 and (x_i > 1 or inner < 16) then return rows(r, r_n, r_i, x, x_n, x_i, n, inner) end
   local r_step, x_step = r_i * size, x_i * size
   copy(x, x_step, r, r_step, inner)
   if n > 1 then run(r, r_step, x + x_n, x_step, r + r_n, r_step, inner) end
   if n > 2 then run(r + r_n, r_step, x + 2 * x_n, x_step, r + 2 * r_n, r_step, inner) end
   if n > 3 then run(r + 2 * r_n, r_step, x + 3 * x_n, x_step, r + 3 * r_n, r_step, inner) end
   if n > 4 then return more_slices(r, r_n, r_i, x, x_n, x_i, 4, n, inner) end
end]]

-- Long rows of integers, which wrap as those of C do.
local long_rows_source = [[
local function row(p, u, n)
   local a = get(p, 0)
   u[0] = a
   for k = 1, n - 1 do
      a = a $sign get(p, k)
      u[k] = a
   end
end

return function(r, r_n, r_i, x, x_n, x_i, n, inner)
   if not (n > 31 and x_n == 1 and r_n == 1) then return others(r, r_n, r_i, x, x_n, x_i, n, inner) end
   finish_trace()
   for i = 0, inner - 1 do row(x + i * x_i, r + i * r_i, n) end
end]]

-- By machine code, on all cores, where rows or columns are neighbors.
local code_source = [[
local function describe(fn, r, r_n, r_i, x, x_n, x_i, n)
   p.fn, p.args[0], p.args[1], p.columns = fn, cast(char_p, x), cast(char_p, r), n
   p.rows[0], p.rows[1], p.rows[2], p.rows[3] = x_i * $SIZE, r_i * $SIZE, x_n * $SIZE, r_n * $SIZE
end

return function(r, r_n, r_i, x, x_n, x_i, n, inner)
   if n > 31 and x_n == 1 and r_n == 1 then
      describe(rows, r, r_n, r_i, x, x_n, x_i, n)
      share(inner, $ROWS, $WORK * n * inner, p)
   elseif columns and x_i == 1 and r_i == 1 then
      describe(columns, r, r_n, r_i, x, x_n, x_i, n)
      share(inner, $COLUMNS, $WORK * n * inner, p)
   else
      others(r, r_n, r_i, x, x_n, x_i, n, inner)
   end
end]]

-- Rows and columns that are worked on at a time; nanoseconds for an element.
local ROWS, COLUMNS, WORK = 4, 32, 0.4

-- Accumulates Floats as doubles, a block of lines at a time.
local float_source = [[
return function(r, r_n, r_i, x, x_n, x_i, n, inner)
   for start = 0, inner - 1, BLOCK do
      local count = inner - start
      if count > BLOCK then count = BLOCK end
      local to, from = r + start * r_i, x + start * x_i
      for i = 0, count - 1 do scratch[i] = $identity end
      for k = 0, n - 1 do
         local p, q = to + k * r_n, from + k * x_n
         for i = 0, count - 1 do
            local value = scratch[i] $sign get(q, i * x_i)
            scratch[i] = value
            p[i * r_i] = value
         end
      end
   end
end]]

local int64 = ffi.typeof 'int64_t'
local function get_int64(data, i) return (int64(data[i])) end

local function lines(name, T, how)
   local others
   if T.name == 'Float' then
      others = template.compile(name, float_source, { sign = how.sign, identity = how.sign == '+' and 0 or 1 },
         { scratch = ffi.new 'double[256]', BLOCK = 256, get = element.getter(T) })
   else
      others = template.compile(name, slices_source, nil,
         { run = ufunc_loops.get(how.ufunc, T, T, T), copy = ufunc_loops.get('positive', T, T), size = T.size,
            copy_bytes = ffi.copy })
   end
   if T.integer then
      return template.compile(name, long_rows_source, { sign = how.sign },
         { others = others, get = get_int64, finish_trace = finish_trace })
   end
   local rows = running_code.rows(T, how.ufunc)
   if not rows then return others end
   local p = ffi.new 't7_program_rows'
   p.count = 4
   return template.compile(name, code_source, { SIZE = T.size, ROWS = ROWS, COLUMNS = COLUMNS, WORK = WORK },
      { p = p, rows = rows, columns = running_code.columns(T, how.ufunc) or false, others = others, cast = ffi.cast,
         char_p = ffi.typeof 'char *', share = parallel_for.kind('torch.parallel.memory_chunks', 'program_rows') })
end

local function outer_loop(run, r, r_n, r_i, x, x_n, x_i, n, inner, outer)
   for o = 0, outer - 1 do
      local at = o * n * inner
      run(r + at, r_n, r_i, x + at, x_n, x_i, n, inner)
   end
end

-- r = t accumulated along a dimension. how: { ufunc = name, sign = Lua's operator for it }.
function cumulative.along(name, T, how)
   local run = lines(name, T, how)
   return function(r, t, dim)
      if t._dim == 0 then errors.argument(name, 1, 'must have at least one dimension (got an empty tensor)') end
      local d = reduce_axis.dimension_of(name, t, dim)
      local work, given = reduce_axis.begin(T, r, t, t)
      local x, outer, _, n, x_n, inner, x_i = reduce_axis.three_loops(T, t, d)
      -- Results of three and more dimensions are contiguous; the stride of a dimension of size 1 means nothing.
      local r_n, r_i = work._stride[d], t._dim == 2 and work._stride[1 - d] or 1
      local to, from = work._memory._data + work._offset, x._memory._data + x._offset
      if outer == 1 then
         run(to, r_n, r_i, from, x_n, x_i, n, inner)
      else
         outer_loop(run, to, r_n, r_i, from, x_n, x_i, n, inner, outer)
      end
      buffers.alive(x, work)
      return T.result(given, work)
   end
end

-- r = a x b along a dimension of size 3: the first one, when none that could be a dimension is given.
function cumulative.cross(name, T)
   local multiply = elementwise.map(name, T, { 'z = multiply x y' }, '[r] t t')
   local subtract = elementwise.map(name, T, { 'a = multiply y w; z = subtract x a' }, '[r] t t t')
   return function(r, a, b, dim)
      if not geometry.same_size(a, b) then
         errors.raise('%s: inconsistent tensor sizes: [%s] and [%s]%s', name, shape(a), shape(b),
            broadcast.hint(nil, a, b))
      end
      local d
      if dim and dim > 0 then
         d = reduce_axis.dimension_of(name, a, dim)
         if a._size[d] ~= 3 then
            errors.raise('%s: dimension %.0f must have size 3 (got [%s])', name, dim, shape(a))
         end
      else
         for k = a._dim - 1, 0, -1 do
            if a._size[k] == 3 then d = k end
         end
         if not d then errors.raise('%s: no dimension of size 3 in [%s]', name, shape(a)) end
      end
      local work, given = reduce_axis.begin(T, r, a, a)
      if r and not given and T.shares(work, b) then work, given = T.new_like(a), r end
      for k = 0, 2 do
         local i, j = (k + 1) % 3, (k + 2) % 3
         local to = T.narrow_view(work, d, k, 1)
         multiply(to, T.narrow_view(a, d, i, 1), T.narrow_view(b, d, j, 1))
         subtract(to, to, T.narrow_view(a, d, j, 1), T.narrow_view(b, d, i, 1))
      end
      return T.result(given, work)
   end
end

return cumulative
