-- apply, map, map2: the function sees numbers and its results are stored; nil stores nothing. What it does to the
-- tensor meanwhile cannot free the memory under the walk. Specialised per type.

return function(T) return function(methods)

local tonumber, type = tonumber, type
local ffi = require 'ffi'
local element, errors, geometry = require 'torch.element', require 'torch.errors', require 'torch.geometry'
local memory, plan = require 'torch.memory', require 'torch.plan'
local istype = ffi.istype
local tensor_ct, name = T.tensor_ct, T.tensor_name
local get, set = element.getter(T), element.setter(T)
local check_self, clone = T.check_self, T.clone
local contiguous, count_of, shape = geometry.contiguous, geometry.count, geometry.shape
local argument, describe, raise = errors.argument, errors.describe, errors.raise

local function check_function(method, n, f)
   if type(f) == 'nil' then argument(method, n, 'function expected, got no value') end
   if type(f) == 'function' then return end
   local metatable = type(f) ~= 'cdata' and debug.getmetatable(f)
   if not (metatable and metatable.__call) then argument(method, n, 'function expected, got %s', describe(f)) end
end

-- The owner of a tensor's memory, whose block now stays while it lives, whatever the function does to the tensor. An
-- empty tensor has no memory.
local function hold(t)
   if t._dim == 0 then return nil end
   local owner = T.shared_owner(t)
   memory.expose(t._memory)
   return owner
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

-- The loops over contiguous tensors have no steps: a multiplication per element would double their time. They take two
-- elements at a time: a loop of few instructions goes round at half its speed where its code lies badly in memory.
-- Few elements have loops of their own: a loop that is unrolled into other traces for its few turns is now and then
-- given up by the compiler for good.
local FEW = 32

local function apply_at(x, i, f)
   local value = f(get(x, i))
   if type(value) == 'number' then set(x, i, value)
   else store('apply', x, i, value, true) end
end

local function run_few(x, count, f)
   for i = 0, count - 1 do apply_at(x, i, f) end
end

local function run_contiguous(x, count, f)
   if count < FEW then return run_few(x, count, f) end
   for i = 0, count - 2, 2 do
      apply_at(x, i, f)
      apply_at(x, i + 1, f)
   end
   if count % 2 == 1 then apply_at(x, count - 1, f) end
end

local function run(x, step, count, f)
   for i = 0, count - 1 do
      local value = f(get(x, i * step))
      if type(value) == 'number' then set(x, i * step, value)
      else store('apply', x, i * step, value, false) end
   end
end

function methods.apply(t, f)
   check_self(t, 'apply')
   check_function('apply', 1, f)
   if t._dim == 0 then return t end
   local owner = hold(t)
   local data = t._memory._data + t._offset
   if contiguous(t) then
      run_contiguous(data, count_of(t), f)
   else
      local p = plan.new(1)
      plan.prepare(p, 1, t)
      plan.start(p)
      repeat run(data + p.offset[1], p.step[1][0], p.size[0], f) until not plan.next(p, 1)
   end
   memory.alive(owner)
   return t
end

local function check_operand(t, method, n, other)
   if not istype(tensor_ct, other) then argument(method, n, '%s expected, got %s', name, describe(other)) end
   if count_of(other) ~= count_of(t) then
      argument(method, n, 'size mismatch: tensor [%s] of %.0f elements, got [%s] of %.0f', shape(t), count_of(t),
         shape(other), count_of(other))
   end
   return hold(other)
end

local function map_at(x, y, i, f)
   local value = f(get(x, i), get(y, i))
   if type(value) == 'number' then set(x, i, value)
   else store('map', x, i, value, true) end
end

local function run_map_few(x, y, count, f)
   for i = 0, count - 1 do map_at(x, y, i, f) end
end

local function run_map_contiguous(x, y, count, f)
   if count < FEW then return run_map_few(x, y, count, f) end
   for i = 0, count - 2, 2 do
      map_at(x, y, i, f)
      map_at(x, y, i + 1, f)
   end
   if count % 2 == 1 then map_at(x, y, count - 1, f) end
end

local function run_map(x, x_step, y, y_step, count, f)
   for i = 0, count - 1 do
      local value = f(get(x, i * x_step), get(y, i * y_step))
      if type(value) == 'number' then set(x, i * x_step, value)
      else store('map', x, i * x_step, value, false) end
   end
end

function methods.map(t, other, f)
   check_self(t, 'map')
   if t._dim == 0 and istype(tensor_ct, other) and other._dim == 0 then return t end
   local held = check_operand(t, 'map', 1, other)
   check_function('map', 2, f)
   local owner = hold(t)
   local x = t._memory._data + t._offset
   if contiguous(t) and contiguous(other) then
      run_map_contiguous(x, other._memory._data + other._offset, count_of(t), f)
      memory.alive(owner, held)
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
      run_map(x + p.offset[1], p.step[1][0], y + p.offset[2], p.step[2][0], p.size[0], f)
   until not plan.next(p, 2)
   memory.alive(owner, held)
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
   local second_owner = check_operand(t, 'map2', 1, second)
   local third_owner = check_operand(t, 'map2', 2, third)
   check_function('map2', 3, f)
   local owner = hold(t)
   local in_order = contiguous(t) and contiguous(second) and contiguous(third)
   local p = plan.new(3)
   if not plan.prepare(p, 3, t, second, third) then
      second, third = clone(second), clone(third)
      plan.prepare(p, 3, t, second, third)
   end
   local x, y = t._memory._data + t._offset, second._memory._data + second._offset
   local z = third._memory._data + third._offset
   plan.start(p)
   repeat
      run_map2(x + p.offset[1], p.step[1][0], y + p.offset[2], p.step[2][0], z + p.offset[3], p.step[3][0],
         p.size[0], f, in_order)
   until not plan.next(p, 3)
   memory.alive(owner, second_owner, third_owner)
   return t
end

end end
