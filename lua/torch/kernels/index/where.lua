-- torch.where: each element from one of two tensors, chosen by a mask.

local require, select, type, unpack = require, select, type, unpack
local ffi = require 'ffi'
local broadcast, dialect = require 'torch.tensor.broadcast', require 'torch.base.dialect'
local element, errors = require 'torch.loops.element', require 'torch.base.errors'
local signatures, geometry = require 'torch.base.signatures', require 'torch.base.geometry'
local buffers = require 'torch.memory.buffers'
local kernels, types = require 'torch.native.kernels' 'index/index', require 'torch.base.types'
local numel, of_tensor = geometry.numel, types.of_tensor
local Byte = types.by_name.Byte

local where = {}

-- choose(r, mask, x, y) for x and y that are tensors of the type, or numbers: the step of these is 0.
local function make(name, T)
   local set = element.setter(T)

   -- A pointer to the elements in order, the step between them, and the object to keep alive.
   local function elements(value, mask)
      if type(value) == 'number' then
         local one = ffi.new(T.c .. '[1]')
         set(one, 0, value)
         return one, 0, one
      end
      if numel(value) ~= numel(mask) then
         errors.raise('%s: inconsistent tensor sizes: mask [%s] of %.0f elements and tensor [%s] of %.0f%s', name,
            geometry.shape(mask), numel(mask), geometry.shape(value), numel(value),
            broadcast.hint(nil, mask, value))
      end
      local ordered = T.contiguous(value)
      return ordered._memory ~= nil and ordered._memory._data + ordered._offset or nil, 1, ordered
   end

   return function(r, mask, x, y)
      local p, p_step, keep = elements(x, mask)
      local q, q_step, other = elements(y, mask)
      local like = of_tensor(x) and x or of_tensor(y) and y or mask
      local work, bytes, n = T.new_like(like), Byte.contiguous(mask), numel(mask)
      if n > 0 then
         kernels.t7_where(T.size, work._memory._data, bytes._memory._data + bytes._offset, p, p_step, q, q_step, n)
      end
      buffers.keep_alive(keep, other, work, bytes)
      return T.result(r, work)
   end
end

-- The mask and the tensors among x and y in the same sizes, as the dialect modern has them.
local function together(T, name, mask, x, y)
   if of_tensor(x) and of_tensor(y) then
      x, mask, y = broadcast.together(T, Byte, name, x, mask, y)
   elseif of_tensor(x) then
      x, mask = broadcast.together(T, Byte, name, x, mask)
   elseif of_tensor(y) then
      y, mask = broadcast.together(T, Byte, name, y, mask)
   end
   return mask, x, y
end

-- The indices of the elements that are not 0: a LongTensor for each dimension.
local function positions(t)
   local Long = types.by_name.Long
   local rows, list = of_tensor(t).functions.nonzero(t), {}
   for d = 1, t._dim do
      list[d] = rows._dim == 0 and Long.new_tensor() or Long.clone(Long.select_view(rows, 1, d - 1))
   end
   return unpack(list)
end

-- The arguments in the order r, mask, x, y: four begin with the result; the method is that of x or of the result.
local function in_order(call, count, a, b, c, d)
   if count == 4 then return a, b, c, d end
   if call == 'method' then return nil, b, a, c end
   return nil, a, b, c
end

-- where([r,] mask, x, y), x:where(mask, y), r:where(mask, x, y), mask:where(). The type is that of r, x or y.
function where.where(_, call, name)
   local made = {}
   return function(...)
      local count, first = select('#', ...), ...
      if count == 1 and of_tensor(first) then return positions(first) end
      local r, mask, x, y = in_order(call, count, ...)
      local T = of_tensor(r) or of_tensor(x) or of_tensor(y) or types.default
      local function fits(value) return type(value) == 'number' or of_tensor(value) == T end
      if not (count == 3 or count == 4) or of_tensor(mask) ~= Byte or not fits(x) or not fits(y)
         or count == 4 and not of_tensor(r) then
         errors.raise('%s: invalid arguments: %s; expected [tensor] ByteTensor and two tensors of one type or '
            .. 'numbers', name, signatures.given(count, ...))
      end
      if dialect.name == 'modern' then mask, x, y = together(T, name, mask, x, y) end
      made[T] = made[T] or make(name, T)
      return made[T](r, mask, x, y)
   end
end

return where
