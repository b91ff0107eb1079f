-- Reductions. Along a dimension the result keeps it, with size 1.

local loadstring, require, tonumber = loadstring, require, tonumber
local ffi = require 'ffi'
local errors, geometry = require 'torch.errors', require 'torch.geometry'
local memory, native = require 'torch.memory', require 'torch.native'
local plan, types = require 'torch.plan', require 'torch.types'
local contiguous, count_of, shape = geometry.contiguous, geometry.count, geometry.shape

local reduce = {}

local one_plan = plan.new(1)

-- Calls run(pointer, step in elements, count) for each run of the elements of t.
local function each_run(t, run)
   local data = t._memory._data + t._offset
   if contiguous(t) then return run(data, 1, count_of(t)) end
   local p = one_plan
   plan.prepare(p, 1, t)
   plan.start(p)
   repeat run(data + p.offset[1], p.step[1][0], p.size[0]) until not plan.next(p, 1)
end

-- Sums in four parts hide the latency of additions and lose less than one after the other.
local sum_source = [[
local zero = ...
return function(data, step, count)
   local a, b, c, d = zero, zero, zero, zero
   local i = 0
   while i + 3 < count do
      a, b = a + data[i * step], b + data[(i + 1) * step]
      c, d = c + data[(i + 2) * step], d + data[(i + 3) * step]
      i = i + 4
   end
   while i < count do
      a = a + data[i * step]
      i = i + 1
   end
   return (a + b) + (c + d)
end]]

local product_source = [[
local one = ...
return function(data, step, count)
   local a = one
   for i = 0, count - 1 do a = a * data[i * step] end
   return a
end]]

local function int64(value) return ffi.new('int64_t', value) end

-- The sum of a run as a number; NumPy's loop adds doubles pairwise.
local function run_sum(T)
   if T.name == 'Double' then
      local add, total = native.loop('add', T, T, T), ffi.new 'double[1]'
      return function(data, step, count)
         total[0] = 0
         add(total, 0, data, step * 8, total, 0, count)
         return total[0]
      end
   end
   return loadstring(sum_source, '=t7 sum')(T.name == 'Long' and int64(0) or 0)
end

function reduce.sum_all(_, T)
   local sum = run_sum(T)
   local zero = T.name == 'Long' and int64(0) or 0
   return function(t)
      if t._dim == 0 then return 0 end
      local total
      if contiguous(t) then
         total = sum(t._memory._data + t._offset, 1, count_of(t))
      else
         total = zero
         each_run(t, function(data, step, count) total = total + sum(data, step, count) end)
      end
      return tonumber(total)
   end
end

function reduce.prod_all(_, T)
   local one = T.name == 'Long' and int64(1) or 1
   local product = loadstring(product_source, '=t7 prod')(one)
   return function(t)
      if t._dim == 0 then return 1 end
      local total = one
      each_run(t, function(data, step, count) total = total * product(data, step, count) end)
      return tonumber(total)
   end
end

local function check_not_empty(name, t)
   if t._dim == 0 then errors.raise("calling '%s' on bad self (tensor of at least one dimension expected, got an empty one)", name) end
end

function reduce.mean_all(name, T)
   local sum = reduce.sum_all(name, T)
   return function(t)
      check_not_empty(name, t)
      return sum(t) / count_of(t)
   end
end

-- The dimension to reduce, counted from 0.
local function dimension_of(name, t, dim)
   if dim % 1 ~= 0 then dim = errors.integer(name, 2, dim) end
   if not (dim >= 1 and dim <= t._dim) then
      errors.argument(name, 2, 'dimension %.0f out of range of %.0fD tensor [%s]', dim, t._dim, shape(t))
   end
   return dim - 1
end
reduce.dimension_of = dimension_of

-- A result of type R for the reduction of t along dimension d; `r` when it is given. When the result shares
-- memory with t, t is copied first.
local function result_for(r, R, T, t, d)
   if r and r._dim > 0 and t._memory == ffi.cast(ffi.typeof(t._memory), r._memory) then t = T.clone(t) end
   local like = T.alias(t)
   like._size[d] = 1
   if r then R.resize_as(r, like) else r = R.new_like(like) end
   return r, t
end

local walk_plan = plan.new(2)

-- Calls visit(i, j) for each element of the result: offsets in elements of the result and of the start of
-- its run in t.
local function each_result(T, R, r, t, d, visit)
   local start = T.alias(t)
   start._size[d] = 1
   local p = walk_plan
   plan.prepare(p, 2, r, start)
   local from, to = t._memory._data + t._offset, r._memory._data + r._offset
   local r_step, t_step, count = p.step[1][0], p.step[2][0], p.size[0]
   plan.start(p)
   repeat
      local i, j = p.offset[1], p.offset[2]
      for _ = 1, count do
         visit(to + i, from + j)
         i, j = i + r_step, j + t_step
      end
   until not plan.next(p, 2)
   memory.alive(t, r)
end

-- r = t reduced by a ufunc along d.
local function along(name, T, how)
   local run = native.loop(how.ufunc, T, T, T)
   local size_of = T.size
   local slices = plan.new(2)
   return function(r, t, dim)
      local d = dimension_of(name, t, dim)
      r, t = result_for(r, T, T, t, d)
      local count, stride = t._size[d], t._stride[d]
      T.copy_from(r, T, T.narrow_view(t, d, 0, 1))
      if count == 1 then return r end
      if stride == 1 or count_of(r) == 1 then
         -- Each result is the reduction of a run: memory is read in order.
         each_result(T, T, r, t, d, function(to, from)
            run(to, 0, from + stride, stride * size_of, to, 0, count - 1)
         end)
      else
         -- Slice after slice is taken into the whole result.
         local p = slices
         local slice = T.narrow_view(t, d, 0, 1)
         plan.prepare(p, 2, r, slice)
         local to, from = r._memory._data + r._offset, t._memory._data + t._offset
         local r_step, t_step, n = p.step[1][0] * size_of, p.step[2][0] * size_of, p.size[0]
         plan.start(p)
         repeat
            local x, y = to + p.offset[1], from + p.offset[2]
            for k = 1, count - 1 do run(x, r_step, y + k * stride, t_step, x, r_step, n) end
         until not plan.next(p, 2)
      end
      return r
   end
end
reduce.along = along

function reduce.mean_along(name, T, how)
   local sum = along(name, T, how)
   return function(r, t, dim)
      r = sum(r, t, dim)
      return T.tensor_methods.div(r, t._size[dim - 1])
   end
end

-- The best of a run and its position; the first of equals, and nan beats all.
local extreme_source = [[
return function(data, step, count)
   local best, at = data[0], 0
   if best ~= best then return best, at end
   for i = 1, count - 1 do
      local v = data[i * step]
      if not ($beaten) then
         best, at = v, i
         if v ~= v then break end
      end
   end
   return best, at
end]]

local function extreme_run(name, how)
   return loadstring((extreme_source:gsub('%$beaten', how.beaten)), '=t7 ' .. name)()
end

function reduce.extreme_all(name, T, how)
   local run, pair = extreme_run(name, how), ffi.new(T.c .. '[2]')
   return function(t)
      check_not_empty(name, t)
      if contiguous(t) then return tonumber((run(t._memory._data + t._offset, 1, count_of(t)))) end
      local filled = false
      each_run(t, function(data, step, count)
         pair[1] = run(data, step, count)
         if filled then pair[0] = run(pair, 1, 2) else pair[0], filled = pair[1], true end
      end)
      return tonumber(pair[0])
   end
end

function reduce.extreme_along(name, T, how)
   local run = extreme_run(name, how)
   local Long = types.by_name.Long
   return function(r, index, t, dim)
      local d = dimension_of(name, t, dim)
      local count, stride = t._size[d], t._stride[d]
      r, t = result_for(r, T, T, t, d)
      stride = t._stride[d]
      if index then Long.resize_as(index, r) else index = Long.new_like(r) end
      local positions = Long.tensor_methods.contiguous(index)
      local place = positions._memory._data + positions._offset
      local ordered = T.contiguous(r)
      each_result(T, T, ordered, t, d, function(to, from)
         local best, at = run(from, stride, count)
         to[0] = best
         place[0] = at + 1
         place = place + 1
      end)
      if ordered ~= r then T.copy_from(r, T, ordered) end
      if positions ~= index then Long.copy_from(index, Long, positions) end
      return r, index
   end
end

function reduce.equal(_, T)
   return function(t, u)
      if not geometry.same_size(t, u) then return false end
      return t._dim == 0 or T.tensor_methods.ne(t, u):max() == 0
   end
end

return reduce
