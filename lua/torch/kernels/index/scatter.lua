-- Kernels that pick elements along a dimension, an index for each of them.

local rawequal, require = rawequal, require
local ffi = require 'ffi'
local element, errors = require 'torch.base.element', require 'torch.base.errors'
local geometry, buffers = require 'torch.base.geometry', require 'torch.memory.buffers'
local index_loops, native = require 'torch.kernels.index.index_loops', require 'torch.native.native'
local reduce_axis, types = require 'torch.kernels.reduce.reduce_axis', require 'torch.base.types'
local index_chunks, parallel_for = require 'torch.parallel.index_chunks', require 'torch.parallel.parallel_for'
local index_code, template = require 'torch.base.index_code', require 'torch.jit.template'
local strided_iterator = require 'torch.base.strided_iterator'
local shape, CUBE, MATRIX, FEW = geometry.shape, geometry.CUBE, geometry.MATRIX, index_loops.FEW
local are_indices, check_indices = index_loops.are_indices, index_loops.check
local compile, gather_loop, short_loop = index_loops.compile, index_loops.gather_loop, index_loops.short_loop
local dimension_of, alive, others_write = reduce_axis.dimension_of, buffers.alive, buffers.others_write
local Long = types.by_name.Long

local scatter = {}

-- The elements at `rows` rows of indices, which are `row` elements apart in the result and the indices, from_row in the
-- source: as gather_loop for one row.
-- Products of whole numbers need no conversions.
local gather_planes = [[
return function(to, from, step, from_row, indices, row, stride, count, rows)
   finish_trace()
   to, from = bits(to), bits(from) - stride
   local span, move = int64(stride), int64(step)
   for j = 0, rows - 1 do
      local to, from, indices = to + j * row, from + j * from_row, indices + j * row
      for k = 0, count - 1 do to[k] = from[indices[k] * span + move * k] end
   end
   settle(to)
end]]

-- gather and scatter walk the indices together with a view of t whose dimension d has step 0, for the offset along d.
local index_plan = strided_iterator.new(2)

-- That view, and the plan of the walk. In the other dimensions the indices have t's sizes, or smaller if not `exact`.
local function prepare(name, T, t, d, list, exact)
   if list._dim ~= t._dim then
      errors.argument(name, 2, 'must be a LongTensor of %.0f dimensions for tensor [%s] (got [%s])', t._dim, shape(t),
         shape(list))
   end
   local start = T.alias(t)
   for k = 0, t._dim - 1 do
      if k ~= d and (list._size[k] > t._size[k] or exact and list._size[k] < t._size[k]) then
         errors.raise('%s: indices [%s] %s tensor [%s] in dimension %d', name, shape(list),
            exact and 'differ from' or 'reach beyond', shape(t), k + 1)
      end
      start._size[k] = list._size[k]
   end
   start._stride[d] = 0
   strided_iterator.prepare(index_plan, 2, list, start)
   return start, index_plan
end

-- The count of the second loop of a plan, and its steps in the indices and in t.
local function second_loop(p)
   if p.dim < 2 then return 1, 0, 0 end
   return p.size[1], p.step[1][1], p.step[2][1]
end

-- Whether t is a contiguous matrix and the indices, few and valid, are one for each row (d is 1) or column (d is 0).
local function is_line(t, d, list)
   return t._layout >= MATRIX and t._layout < CUBE and list._layout >= MATRIX and list._layout < CUBE
      and list._count <= FEW and list._size[1 - d] == t._size[1 - d] and list._size[d] == 1
      and not others_write(list._memory) and are_indices(list._memory._data + list._offset, list._count, t._size[d])
end

-- The same by machine code, and for scatter_planes. Rows with one target, to which several may write, are not shared
-- between cores.
local code_source = [[
return function($parameters, count, rows)
   local steps = p.steps
   p.args[0], p.args[1], p.args[2] = cast(char_p, $ordered), cast(char_p, $places - stride), cast(char_p, indices)
   steps[0], steps[1], steps[2] = row * $ordered_step * $SIZE, places_row * $SIZE, row * 8
   steps[3], steps[4], steps[5], steps[6] = step * $SIZE, stride * $SIZE, $ordered_step * $SIZE, count
   if $reads or places_row ~= 0 then share(rows, 1, rows * count * $WORK, p) else alone(p, 0, rows) end
end]]

-- Nanoseconds for an element.
local WORK = 1.5

local parameters = {
   gather = { parameters = 'to, from, step, places_row, indices, row, stride', ordered = 'to', places = 'from',
      ordered_step = 1, reads = 'true', WORK = WORK },
   scatter = { parameters = 'to, step, places_row, indices, row, stride, values, value_step', ordered = 'values',
      places = 'to', ordered_step = 'value_step', reads = 'false', WORK = WORK },
}

-- The function for rows.
local function planes_of(name, T, source)
   local fn = index_code[name](T)
   if not fn then return compile(name, source, T) end
   local p, values = ffi.new 't7_indexed', parameters[name]
   p.fn, values.SIZE = fn, T.size
   return template.compile(name, code_source, values, { p = p, cast = ffi.cast, char_p = ffi.typeof 'char *',
      alone = index_chunks.rows, share = parallel_for.kind('torch.parallel.index_chunks', 'rows') })
end

function scatter.gather(name, T)
   local run, run_planes = compile('gather', gather_loop, T), planes_of('gather', T, gather_planes)
   return function(r, t, dim, list)
      local d = dimension_of(name, t, dim)
      if not r and is_line(t, d, list) then
         r = T.new_matrix(list._size[0], list._size[1])
         run(r._memory._data, t._memory._data + t._offset, d == 1 and t._size[1] or 1,
            list._memory._data + list._offset, d == 1 and 1 or t._size[1], list._count)
         alive(list, t, r)
         return r
      end
      if r and not geometry.same_size(r, list) then
         errors.raise('%s: the result must have the sizes of the indices [%s] (got [%s])', name, shape(list), shape(r))
      end
      list = Long.steady(list, r)
      local start, p = prepare(name, T, t, d, list, true)
      check_indices(name, t, d, list)
      local result = r and geometry.contiguous(r) and not T.shares(r, t) and r or T.new_like(list)
      local stride = t._stride[d]
      local indices, from = list._memory._data + list._offset, start._memory._data + start._offset
      local to = result._memory._data + result._offset
      local rows, row, from_row = second_loop(p)
      strided_iterator.start(p)
      repeat
         run_planes(to + p.offset[1], from + p.offset[2], p.step[2][0], from_row, indices + p.offset[1], row, stride,
            p.size[0], rows)
      until not strided_iterator.next(p, 2, 2)
      alive(list, start)
      return rawequal(r, result) and r or T.result(r, result)
   end
end

local scatter_loop = short_loop('to, step, indices, stride, values, value_step',
   'to[k * step + (tonumber(indices[k]) - 1) * stride] = values[k * value_step]', 'values')

-- The same for rows, as for gather_planes.
local scatter_planes = [[
local function spread(to, step, to_row, indices, row, stride, value, count, rows)
   local span, move = int64(stride), int64(step)
   for j = 0, rows - 1 do
      local to, indices = to + j * to_row, indices + j * row
      for k = 0, count - 1 do to[indices[k] * span + move * k] = value end
   end
end

return function(to, step, to_row, indices, row, stride, values, value_step, count, rows)
   finish_trace()
   to, values = bits(to) - stride, bits(values)
   if value_step == 0 then
      spread(to, step, to_row, indices, row, stride, values[0], count, rows)
      return settle(to)
   end
   local span, move = int64(stride), int64(step)
   for j = 0, rows - 1 do
      local to, indices, values = to + j * to_row, indices + j * row, values + j * row
      for k = 0, count - 1 do to[indices[k] * span + move * k] = values[k] end
   end
   settle(to)
end]]

-- `values` has an element for each index in order, or one for all (value_step 0).
local function scatter_into(name, T, run, t, d, list, values, value_step)
   local start, p = prepare(name, T, t, d, list, value_step == 0)
   check_indices(name, t, d, list)
   local stride = t._stride[d]
   local indices, to = list._memory._data + list._offset, start._memory._data + start._offset
   local rows, row, to_row = second_loop(p)
   strided_iterator.start(p)
   repeat
      run(to + p.offset[2], p.step[2][0], to_row, indices + p.offset[1], row, stride, values + p.offset[1] * value_step,
         value_step, p.size[0], rows)
   until not strided_iterator.next(p, 2, 2)
   alive(list, start)
   return t
end

function scatter.scatter(name, T)
   local run = planes_of('scatter', T, scatter_planes)
   return function(t, dim, list, source)
      local d = dimension_of(name, t, dim)
      list = Long.steady(list, t)
      local part = T.alias(source)
      local fits = source._dim == list._dim
      for k = 0, list._dim - 1 do
         fits = fits and list._size[k] <= source._size[k]
         if fits then part._size[k] = list._size[k] end
      end
      if not fits or list._dim == 0 then
         errors.raise('%s: source [%s] is smaller than the indices [%s]', name, shape(source), shape(list))
      end
      local values = geometry.contiguous(part) and not T.shares(part, t) and part or T.clone(part)
      scatter_into(name, T, run, t, d, list, values._memory._data + values._offset, 1)
      alive(values)
      return t
   end
end

function scatter.scatter_value(name, T)
   local run, run_planes = compile('scatter', scatter_loop, T), planes_of('scatter', T, scatter_planes)
   local one, set = native.buffer(T.c, 1), element.setter(T)
   return function(t, dim, list, value)
      local d = dimension_of(name, t, dim)
      set(one, 0, value)
      if T ~= Long and is_line(t, d, list) then
         run(t._memory._data + t._offset, d == 1 and t._size[1] or 1, list._memory._data + list._offset,
            d == 1 and 1 or t._size[1], one, 0, list._count)
         alive(list, t)
         return t
      end
      return scatter_into(name, T, run_planes, t, d, Long.steady(list, t), one, 0)
   end
end

return scatter
