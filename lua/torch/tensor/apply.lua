-- apply, map, map2: the function gets numbers and its results are stored; nil stores nothing. The function cannot free
-- the memory of the loop, whatever it does to the tensor. Specialised per type; the loops are in apply_loops.lua.

return function(T) return function(methods)

local type = type
local ffi = require 'ffi'
local broadcast, errors = require 'torch.tensor.broadcast', require 'torch.base.errors'
local geometry, buffers = require 'torch.base.geometry', require 'torch.memory.buffers'
local loader = require 'torch.jit.loader'
local strided_iterator = require 'torch.loops.strided_iterator'
local istype = ffi.istype
local tensor_ct, name, is_shared = T.tensor_ct, T.tensor_name, buffers.is_shared
local each = loader.specialise('torch.tensor.apply_loops', T)
local apply, map, map2 = each.apply, each.map, each.map2
local apply_in_order, map_in_order = each.contiguous[1], each.contiguous[2]
local check_self, clone = T.check_self, T.clone
local contiguous, numel, shape = geometry.contiguous, geometry.numel, geometry.shape

local function check_function(method, n, f)
   if type(f) == 'nil' then errors.argument(method, n, 'must be a function (got nil)') end
   if type(f) == 'function' then return end
   local metatable = type(f) ~= 'cdata' and debug.getmetatable(f)
   if not (metatable and metatable.__call) then errors.argument_error(method, n, 'a function', f) end
end

-- The owner of a tensor's memory, whose block stays while it lives; nil for an empty tensor.
local function retain(t)
   if t._dim == 0 then return nil end
   local owner = T.shared_owner(t)
   buffers.retain(t._memory)
   return owner
end

function methods.apply(t, f)
   check_self(t, 'apply')
   check_function('apply', 1, f)
   if t._dim == 0 then return t end
   local owner = retain(t)
   local data = t._memory._data + t._offset
   if contiguous(t) then
      apply_in_order(data, is_shared(t._memory), numel(t), f)
   else
      local p = strided_iterator.new(1)
      strided_iterator.prepare(p, 1, t)
      strided_iterator.start(p)
      repeat apply(data + p.offset[1], p.step[1][0], p.size[0], f) until not strided_iterator.next(p, 1)
   end
   buffers.keep_alive(owner)
   return t
end

local function check_operand(t, method, n, other)
   if not istype(tensor_ct, other) then errors.argument_error(method, n, 'a ' .. name, other) end
   if numel(other) ~= numel(t) then
      errors.raise('%s: size mismatch: tensor [%s] of %.0f elements and [%s] of %.0f%s', method, shape(t),
         numel(t), shape(other), numel(other), broadcast.hint(t, t, other))
   end
   return retain(other)
end

function methods.map(t, other, f)
   check_self(t, 'map')
   if t._dim == 0 and istype(tensor_ct, other) and other._dim == 0 then return t end
   local held = check_operand(t, 'map', 1, other)
   check_function('map', 2, f)
   local owner = retain(t)
   local x = t._memory._data + t._offset
   if contiguous(t) and contiguous(other) then
      map_in_order(x, other._memory._data + other._offset, is_shared(t._memory) or is_shared(other._memory),
         numel(t), f)
      buffers.keep_alive(owner, held)
      return t
   end
   local p = strided_iterator.new(2)
   if not strided_iterator.prepare(p, 2, t, other) then
      other = clone(other)
      strided_iterator.prepare(p, 2, t, other)
   end
   local y = other._memory._data + other._offset
   strided_iterator.start(p)
   repeat
      map(x + p.offset[1], p.step[1][0], y + p.offset[2], p.step[2][0], p.size[0], f)
   until not strided_iterator.next(p, 2)
   buffers.keep_alive(owner, held)
   return t
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
   local owner = retain(t)
   local in_order = contiguous(t) and contiguous(second) and contiguous(third)
   local p = strided_iterator.new(3)
   if not strided_iterator.prepare(p, 3, t, second, third) then
      second, third = clone(second), clone(third)
      strided_iterator.prepare(p, 3, t, second, third)
   end
   local x, y = t._memory._data + t._offset, second._memory._data + second._offset
   local z = third._memory._data + third._offset
   strided_iterator.start(p)
   repeat
      map2(x + p.offset[1], p.step[1][0], y + p.offset[2], p.step[2][0], z + p.offset[3], p.step[3][0],
         p.size[0], f, in_order)
   until not strided_iterator.next(p, 3)
   buffers.keep_alive(owner, second_owner, third_owner)
   return t
end

end end
