-- Moving and setting elements: copy between any types and layouts, fill, clones, conversions, tables, and
-- functions applied to every element. Specialised per type.

return function(T) return function(methods)

local tonumber, type = tonumber, type
local concat, min = table.concat, math.min
local ffi = require 'ffi'
local element, errors, geometry = require 'torch.element', require 'torch.errors', require 'torch.geometry'
local memory, plan, types = require 'torch.memory', require 'torch.plan', require 'torch.types'
local strided = require 'torch.strided'
local istype, fill_bytes = ffi.istype, ffi.fill
local tensor_ct = T.tensor_ct
local name = T.tensor_name
local get, set, convert = element.getter(T), element.setter(T), element.converter(T)
local check_self, new_like = T.check_self, T.new_like
local contiguous, count_of, shape = geometry.contiguous, geometry.count, geometry.shape
local argument, describe, raise = errors.argument, errors.describe, errors.raise
local copy_elements = element.copy

-- Copies the elements of `source`, a tensor of type S with as many elements, into `t`.
local function copy_from(t, S, source)
   if contiguous(t) and contiguous(source) then
      copy_elements(T, t._memory._data + t._offset, 1, S, source._memory._data + source._offset, 1, count_of(t))
   else
      strided.copy(T, t, S, source)
   end
end

-- x:copy(y): y of any type and shape with as many elements.
function methods.copy(t, source)
   check_self(t, 'copy')
   local S = istype(tensor_ct, source) and T or types.of_tensor(source)
   if not S then argument('copy', 1, 'torch.*Tensor expected, got %s', describe(source)) end
   local n = count_of(t)
   if n ~= count_of(source) then
      raise('inconsistent tensor sizes: copy expects as many elements in tensor [%s] and source [%s], got %.0f and %.0f',
         shape(t), shape(source), n, count_of(source))
   end
   if n > 0 then copy_from(t, S, source) end
   return t
end

local function clone(t)
   local r = new_like(t)
   if t._dim > 0 then copy_from(r, T, t) end
   return r
end

function methods.clone(t)
   check_self(t, 'clone')
   return clone(t)
end

-- x itself when its elements follow each other in memory, else a copy where they do.
function methods.contiguous(t)
   check_self(t, 'contiguous')
   if contiguous(t) then return t end
   return clone(t)
end
T.contiguous = methods.contiguous

local fill_plan = plan.new(1)
-- Elements written one by one; longer runs are copies of the first ones, at the speed of memory.
local CHUNK = 512

local function fill_run(data, first, step, count, value)
   for i = 0, count - 1 do set(data, first + i * step, value) end
end

local function fill(t, value)
   local n = count_of(t)
   if n == 0 then return t end
   local data = t._memory._data + t._offset
   if contiguous(t) then
      if value == 0 and 1 / value > 0 then fill_bytes(data, n * T.size)
      else
         fill_run(data, 0, 1, min(n, CHUNK), value)
         strided.spread(data, CHUNK * T.size, n * T.size)
      end
   else
      local p = fill_plan
      plan.prepare(p, 1, t)
      plan.start(p)
      repeat fill_run(data, p.offset[1], p.step[1][0], p.size[0], value) until not plan.next(p, 1)
   end
   return t
end

function methods.fill(t, value)
   check_self(t, 'fill')
   local number = convert(value)
   if number == nil then
      argument('fill', 1, 'number expected, got %s', type(value) == 'nil' and 'no value' or describe(value))
   end
   return fill(t, number)
end

if T.arithmetic then
   function methods.zero(t)
      check_self(t, 'zero')
      return fill(t, 0)
   end
end

-- The type's name, or the tensor as another type; the same tensor when it is of that type already.
local function as_type(t, S)
   if S == T then return t end
   return S.tensor_methods.copy(S.new_like(t), t)
end

function methods.type(t, wanted)
   check_self(t, 'type')
   if type(wanted) == 'nil' then return name end
   local S = type(wanted) == 'string' and types.by_typename[wanted:match('^torch%.Tensor$') and types.default.tensor_name or wanted]
   if not S or S.storage_name == wanted then
      argument('type', 1, "name of a tensor type such as 'torch.FloatTensor' expected, got %s",
         type(wanted) == 'string' and "'" .. wanted .. "'" or describe(wanted))
   end
   return as_type(t, S)
end

function methods.typeAs(t, other)
   check_self(t, 'typeAs')
   local S = types.of_tensor(other)
   if not S then argument('typeAs', 1, 'tensor expected, got %s', describe(other)) end
   return as_type(t, S)
end

for i = 1, #types.rows do
   local S = types.rows[i]
   methods[S.name:lower()] = function(t)
      check_self(t, S.name:lower())
      return as_type(t, S)
   end
end

-- x:real(): as the default tensor type.
function methods.real(t)
   check_self(t, 'real')
   return as_type(t, types.default)
end

-- Nested Lua tables of the elements.
function methods.totable(t)
   check_self(t, 'totable')
   local dim = t._dim
   if dim == 0 then return {} end
   local data = t._memory._data
   local function level(d, offset)
      local list, step = {}, t._stride[d]
      if d == dim - 1 then
         for i = 0, t._size[d] - 1 do list[i + 1] = get(data, offset + i * step) end
      else
         for i = 0, t._size[d] - 1 do list[i + 1] = level(d + 1, offset + i * step) end
      end
      return list
   end
   return level(0, t._offset)
end

-- r:repeatTensor(x, n1, n2, ...): x laid out n1 x n2 x ... times in memory of its own.
local function repeat_into(r, t, times)
   local extra = #times - t._dim
   if t._dim == 0 then raise('repeatTensor: cannot repeat an empty tensor') end
   if extra < 0 then
      raise('repeatTensor: at least as many repeats as dimensions expected: tensor [%s] has %.0f, got %d', shape(t),
         t._dim, #times)
   end
   -- Seen as (times, size) pairs of dimensions, both sides have the same number of elements.
   local sizes, pairs_of = {}, {}
   for k = 1, #times do
      if times[k] < 1 then raise('repeatTensor: repeat %d must be at least 1, got %.0f', k, times[k]) end
      local size = k > extra and t._size[k - extra - 1] or 1
      sizes[k] = times[k] * size
      pairs_of[2 * k - 1], pairs_of[2 * k] = times[k], size
   end
   local source = t
   if r and T.shares(r, t) then source = clone(t) end
   r = r or T.new_tensor()
   T.resize_to(r, sizes)
   local from, to = T.alias(source), T.alias(r)
   geometry.set_dim(from, 2 * #times)
   geometry.set_dim(to, 2 * #times)
   for k = 1, #times do
      local d = k - extra - 1
      local stride = d >= 0 and source._stride[d] or 0
      from._size[2 * k - 2], from._stride[2 * k - 2] = times[k], 0
      from._size[2 * k - 1], from._stride[2 * k - 1] = pairs_of[2 * k], stride
      to._size[2 * k - 2], to._stride[2 * k - 2] = times[k], pairs_of[2 * k] * r._stride[k - 1]
      to._size[2 * k - 1], to._stride[2 * k - 1] = pairs_of[2 * k], r._stride[k - 1]
   end
   copy_from(to, T, from)
   return r
end

function methods.repeatTensor(first, second, ...)
   check_self(first, 'repeatTensor')
   if istype(tensor_ct, second) then return repeat_into(first, second, T.sizes_of('repeatTensor', 2, ...)) end
   return repeat_into(nil, first, T.sizes_of('repeatTensor', 1, second, ...))
end

-- x:reshape(sizes), r:reshape(x, sizes): a copy of the elements in other sizes, row by row.
function methods.reshape(first, second, ...)
   check_self(first, 'reshape')
   local r, t, sizes
   if istype(tensor_ct, second) then r, t, sizes = first, second, T.sizes_of('reshape', 2, ...)
   else t, sizes = first, T.sizes_of('reshape', 1, second, ...) end
   local total, n = 1, count_of(t)
   for k = 1, #sizes do total = total * sizes[k] end
   if total ~= n then
      raise('reshape: wrong size: tensor [%s] of %.0f elements as [%s]', shape(t), n, concat(sizes, 'x'))
   end
   if r and T.shares(r, t) then t = clone(t) end
   r = r or T.new_tensor()
   T.resize_to(r, sizes)
   if n > 0 then copy_from(r, T, t) end
   return r
end

-- apply, map, map2: the function sees numbers and its results are stored; nil stores nothing. What it does to
-- the tensor meanwhile cannot free the memory under the walk.
if T.arithmetic then

   local function check_function(method, n, f)
      if type(f) == 'nil' then argument(method, n, 'function expected, got no value') end
      if type(f) == 'function' then return end
      local metatable = type(f) ~= 'cdata' and debug.getmetatable(f)
      if not (metatable and metatable.__call) then argument(method, n, 'function expected, got %s', describe(f)) end
   end

   -- Stores what is no number. Torch7 walked contiguous tensors in Lua, where false is nothing and a string is
   -- wrong, and others in C, where it is the other way round; scripts see the same here.
   local function store(method, data, at, value, in_order)
      if type(value) == 'nil' or in_order and value == false then return end
      local number = not in_order and type(value) == 'string' and tonumber(value)
      if not number then
         raise('%s: the function returned %s where a number or nothing was expected', method, describe(value))
      end
      set(data, at, number)
   end

   local function run(x, step, count, f, in_order)
      for i = 0, count - 1 do
         local value = f(get(x, i * step))
         if type(value) == 'number' then set(x, i * step, value)
         else store('apply', x, i * step, value, in_order) end
      end
   end

   function methods.apply(t, f)
      check_self(t, 'apply')
      check_function('apply', 1, f)
      if t._dim == 0 then return t end
      memory.expose(t._memory)
      local data = t._memory._data + t._offset
      if contiguous(t) then
         run(data, 1, count_of(t), f, true)
      else
         local p = plan.new(1)
         plan.prepare(p, 1, t)
         plan.start(p)
         repeat run(data + p.offset[1], p.step[1][0], p.size[0], f, false) until not plan.next(p, 1)
      end
      return t
   end

   local function check_operand(t, method, n, other)
      if not istype(tensor_ct, other) then argument(method, n, '%s expected, got %s', name, describe(other)) end
      if count_of(other) ~= count_of(t) then
         argument(method, n, 'size mismatch: tensor [%s] of %.0f elements, got [%s] of %.0f', shape(t), count_of(t),
            shape(other), count_of(other))
      end
      memory.expose(other._memory)
   end

   local function run_map(x, x_step, y, y_step, count, f, in_order)
      for i = 0, count - 1 do
         local value = f(get(x, i * x_step), get(y, i * y_step))
         if type(value) == 'number' then set(x, i * x_step, value)
         else store('map', x, i * x_step, value, in_order) end
      end
   end

   function methods.map(t, other, f)
      check_self(t, 'map')
      if t._dim == 0 and istype(tensor_ct, other) and other._dim == 0 then return t end
      check_operand(t, 'map', 1, other)
      check_function('map', 2, f)
      memory.expose(t._memory)
      local x = t._memory._data + t._offset
      if contiguous(t) and contiguous(other) then
         run_map(x, 1, other._memory._data + other._offset, 1, count_of(t), f, true)
         memory.alive(other)
         return t
      end
      local p = plan.new(2)
      if not plan.prepare(p, 2, t, other) then
         other = clone(other)
         plan.prepare(p, 2, t, other)
      end
      local y = other._memory._data + other._offset
      plan.start(p)
      repeat
         run_map(x + p.offset[1], p.step[1][0], y + p.offset[2], p.step[2][0], p.size[0], f, false)
      until not plan.next(p, 2)
      memory.alive(other)
      return t
   end

   local function run_map2(x, x_step, y, y_step, z, z_step, count, f, in_order)
      for i = 0, count - 1 do
         local value = f(get(x, i * x_step), get(y, i * y_step), get(z, i * z_step))
         if type(value) == 'number' then set(x, i * x_step, value)
         else store('map2', x, i * x_step, value, in_order) end
      end
   end

   function methods.map2(t, second, third, f)
      check_self(t, 'map2')
      if t._dim == 0 and istype(tensor_ct, second) and second._dim == 0 and istype(tensor_ct, third)
         and third._dim == 0 then
         return t
      end
      check_operand(t, 'map2', 1, second)
      check_operand(t, 'map2', 2, third)
      check_function('map2', 3, f)
      memory.expose(t._memory)
      local in_order = contiguous(t) and contiguous(second) and contiguous(third)
      local p = plan.new(3)
      if not plan.prepare(p, 3, t, second, third) then
         second, third = clone(second), clone(third)
         plan.prepare(p, 3, t, second, third)
      end
      local x, y, z = t._memory._data + t._offset, second._memory._data + second._offset, third._memory._data + third._offset
      plan.start(p)
      repeat
         run_map2(x + p.offset[1], p.step[1][0], y + p.offset[2], p.step[2][0], z + p.offset[3], p.step[3][0],
            p.size[0], f, in_order)
      until not plan.next(p, 3)
      memory.alive(second, third)
      return t
   end

end

T.clone, T.fill, T.copy_from = clone, fill, copy_from

end end
