-- The dialect torch5: column-major tensors, and torch.Tensor as the type of doubles. geometry.lua makes column-major
-- strides, and iteration takes any. Kernels make row-major results, whose layout is changed here.

local geometry, layers = require 'torch.base.geometry', require 'torch.dispatch.layers'
local types = require 'torch.base.types'

local torch5 = {}

local function by_columns(T, t) return T.result(T.new_tensor(), t) end

local function belongs(memory, ...)
   for i = 1, select('#', ...) do
      local object = select(i, ...)
      if (types.of_tensor(object) or types.of_storage(object)) and object._memory == memory then return true end
   end
   return false
end

-- A result created by the call, in column-major order; views, given results and other values unchanged.
local function column_major(result, ...)
   local T = types.of_tensor(result)
   if T and result._dim > 1 and geometry.contiguous(result) and not geometry.is_contiguous(result)
      and not belongs(result._memory, ...) then
      return by_columns(T, result)
   end
   return result
end

local function counted(...) return select('#', ...), { ... } end

local function by_columns_of(f)
   return function(...)
      local count, results = counted(f(...))
      for i = 1, count do results[i] = column_major(results[i], ...) end
      return unpack(results, 1, count)
   end
end

local function plain_name(name)
   return name == 'torch.DoubleTensor' and 'torch.Tensor' or name
end

-- The layer of this dialect, see layers.lua.
local layer = { order = 3, entry = by_columns_of }

function layer.method(f, T, name)
   if name == 'contiguous' then
      return function(t)
         T.check_self(t, 'contiguous')
         if geometry.is_contiguous(t) then return t end
         return by_columns(T, t)
      end
   end
   local laid = by_columns_of(f)
   if name ~= 'type' then return laid end
   return function(t, wanted) return plain_name(laid(t, wanted)) end
end

function torch5.install(torch)
   layers.add(layer)
   for _, name in pairs { 'type', 'typename' } do
      local asked = torch[name]
      torch[name] = function(object)
         local found = asked(object)
         if found then return plain_name(found) end
      end
   end
end

return torch5
