-- Copies between layouts that are not contiguous.

local element, strided_iterator = require 'torch.loops.element', require 'torch.loops.strided_iterator'
local geometry, finish_trace = require 'torch.base.geometry', require('torch.jit.trace').finish
local keep_alive, parallel_copy = require('torch.memory.buffers').keep_alive, require 'torch.parallel.parallel_copy'
local tuning = require 'torch.loops.tuning'
local contiguous, numel = geometry.contiguous, geometry.numel
local are_distinct, overlap, same_size = geometry.are_distinct, geometry.overlap, geometry.same_size
local copy, copy_matrix, MIN_ELEMENTS = parallel_copy.elements, parallel_copy.matrix, parallel_copy.MIN_ELEMENTS
local copy_nest = parallel_copy.nest

local copy_strided = {}

local kept_plan = strided_iterator.new(2)

local function apart(T, t, S, source) return T ~= S or not T.shares(t, source) end

local function copy_vector(T, to, to_step, S, from, from_step, count)
   if count < 8 then
      copy_matrix(T, to, to_step, 0, S, from, from_step, 0, count, 1)
   else
      copy(T, to, to_step, S, from, from_step, count)
   end
end

-- `any_order` promises that no element is written before it is read.
local function copy_plane(T, to, to_step, to_row, S, from, from_step, from_row, count, rows, any_order)
   if to_row == count * to_step and from_row == count * from_step then
      copy_vector(T, to, to_step, S, from, from_step, count * rows)
   elseif any_order and rows < 8 and count > 7 and (to_step ~= 1 or from_step ~= 1) then
      -- Many short rows have a loop without inner ends; few long ones do not.
      copy_matrix(T, to, to_row, to_step, S, from, from_row, from_step, rows, count)
   else
      copy_matrix(T, to, to_step, to_row, S, from, from_step, from_row, count, rows)
   end
end

-- Copies the three dimensions from d on, plane by plane: the last two or, in any order, those contiguous on both
-- sides.
local function copy_cube(T, to, stride, S, from, from_stride, size, d, any_order)
   local a, b, c = d, d + 1, d + 2
   if any_order and stride[c] == 1 and from_stride[a] == 1 then a, b = b, a end
   for _ = 1, size[a] do
      copy_plane(T, to, stride[c], stride[b], S, from, from_stride[c], from_stride[b], size[c], size[b], any_order)
      to, from = to + stride[a], from + from_stride[a]
   end
end

local function copy_cubes(T, t, S, source)
   finish_trace()
   local to, from = t._memory._data + t._offset, source._memory._data + source._offset
   if T == S and apart(T, t, S, source) then
      strided_iterator.prepare_small(kept_plan, t, source)
      copy_nest(T, to, from, kept_plan)
      return keep_alive(source)
   end
   local size, stride, from_stride = t._size, t._stride, source._stride
   local any_order = apart(T, t, S, source)
   if t._dim == 3 then
      copy_cube(T, to, stride, S, from, from_stride, size, 0, any_order)
      return
   end
   for _ = 1, size[0] do
      copy_cube(T, to, stride, S, from, from_stride, size, 1, any_order)
      to, from = to + stride[0], from + from_stride[0]
   end
end

-- Fewest iterations of a loop that is worth being the inner one.
local SHORT = 8

-- Ranks loop d of a copy as an inner one: contiguous on both sides, then long and contiguous on one; otherwise by short
-- steps in the target.
local function inner_loop_rank(p, d)
   local n, to, from = p.size[d], p.step[1][d], p.step[2][d]
   if to == 1 and from == 1 then return 1e18 end
   if n < SHORT then return n end
   return to == 1 and 2 * SHORT + n + 0.5 or from == 1 and 2 * SHORT + n or SHORT + 1 / to
end

-- Moves the loop with the highest rank, from number `at` on, there.
local function choose(p, at)
   local best = at
   for d = at + 1, p.dim - 1 do
      if inner_loop_rank(p, d) > inner_loop_rank(p, best) then best = d end
   end
   strided_iterator.exchange(p, 2, at, best)
end

-- Whether there are many small planes: large ones are copied in strips, which use a cache line for several elements.
local PLANE = tuning.PLANE
local function is_nest(p) return p.dim > 2 and p.size[0] * p.size[1] < PLANE end

-- Copies after merging dimensions: fewer and longer runs, at a price for tiny tensors.
local function copy_merged(T, t, S, source)
   local p = kept_plan
   if not strided_iterator.prepare(p, 2, t, source) then
      source = S.clone(source)
      strided_iterator.prepare(p, 2, t, source)
   end
   local to, from = t._memory._data + t._offset, source._memory._data + source._offset
   local any_order = apart(T, t, S, source)
   if p.dim > 2 and any_order then
      choose(p, 0)
      choose(p, 1)
   end
   local to_step, from_step, size = p.step[1], p.step[2], p.size
   if p.dim == 1 then return copy(T, to, to_step[0], S, from, from_step[0], size[0]) end
   if is_nest(p) and T == S and any_order then
      copy_nest(T, to, from, p, contiguous(t))
      return keep_alive(source)
   end
   strided_iterator.start(p)
   repeat
      copy_plane(T, to + p.offset[1], to_step[0], to_step[1], S, from + p.offset[2], from_step[0], from_step[1],
         size[0], size[1], any_order)
   until not strided_iterator.next(p, 2, 2)
   keep_alive(source)
end

local readers = {}

local function reader(T)
   readers[T] = readers[T] or not T.integer and T.name ~= 'Half' and element.getter(T)
      or function(data, i) return data[i] end
   return readers[T]
end

-- Copies one element at a time, since source and target may overlap, or elements of the target share memory.
local function copy_sequential(T, t, S, source)
   local p = kept_plan
   finish_trace()
   source = S.tensor_methods.typeAs(source, t)
   if not strided_iterator.prepare(p, 2, t, source) then
      source = T.clone(source)
      strided_iterator.prepare(p, 2, t, source)
   end
   local to_step, from_step, count, read = p.step[1][0], p.step[2][0], p.size[0], reader(T)
   strided_iterator.start(p)
   repeat
      local to = t._memory._data + (t._offset + p.offset[1])
      local from = source._memory._data + (source._offset + p.offset[2])
      for i = 0, count - 1 do to[i * to_step] = read(from, i * from_step) end
   until not strided_iterator.next(p, 2)
   keep_alive(source)
end

-- Fewer elements are converted by loops in Lua.
local MIN_CONVERTED = 64

-- Converts elements to another type by a kernel; returns whether there is one.
local function convert(T, t, S, source)
   local done = parallel_copy.convert(T, t, S, source)
   if done == false then
      source = S.clone(source)
      done = parallel_copy.convert(T, t, S, source)
   end
   keep_alive(source)
   return done
end

-- Vectors, and small matrices that are not written column by column: element-wise copies are fast enough.
local function is_simple(t)
   local size = t._size
   return t._dim == 1 or t._dim == 2 and size[0] < 8 and size[1] < 8 and t._stride[0] ~= 1
end

-- Copies the elements of `source` (type S), at least one, to `t` (type T); in row-major order if they overlap, or if
-- elements of t share memory, whatever the number of threads: the last one stays.
function copy_strided.copy(T, t, S, source)
   if T ~= S and numel(t) >= MIN_CONVERTED and convert(T, t, S, source) then return end
   local dim = t._dim
   local same = same_size(t, source)
   if not are_distinct(t) or not (same and is_simple(t)) and not apart(T, t, S, source) and overlap(t, source) then
      copy_sequential(T, t, S, source)
   elseif same and dim < 3 then
      local to, from = t._memory._data + t._offset, source._memory._data + source._offset
      local size, stride, from_stride = t._size, t._stride, source._stride
      if dim == 2 then
         copy_plane(T, to, stride[1], stride[0], S, from, from_stride[1], from_stride[0], size[1], size[0],
            apart(T, t, S, source))
      else
         copy_vector(T, to, stride[0], S, from, from_stride[0], size[0])
      end
   elseif same and dim < 5 and numel(t) < MIN_ELEMENTS then
      copy_cubes(T, t, S, source)
   else
      copy_merged(T, t, S, source)
   end
end

return copy_strided
