-- The Lua half of sharing memory with NumPy (t7shell/bridge/arrays.py): the memory of a tensor, and tensors on given
-- memory.

local torch = require 'torch'
local ffi = require 'ffi'
local buffers, dimension_names = require 'torch.memory.buffers', require 'torch.base.dimension_names'
local address_of, types = require('torch.native.native').address_of, require 'torch.base.types'
local cast, ipairs, pcall = ffi.cast, ipairs, pcall

local arrays = {}

local type_of_dtype = {}
for _, T in ipairs(types.rows) do type_of_dtype[T.dtype] = T end

-- Sizes and strides, alternating, from dimension d on.
local function layout_from(tensor, d, dims)
   if d > dims then return end
   return tensor:size(d), tensor:stride(d), layout_from(tensor, d + 1, dims)
end

-- Describes a tensor or a storage: its dtype in NumPy's terms, its address, the object that keeps the memory alive, the
-- names of its dimensions, nil if it has none, and alternating sizes and strides in elements; nil for other values. An
-- empty tensor has the single size 0 and no address.
function arrays.describe(object)
   local T = types.of_tensor(object)
   if T then
      local dims, pointer = object:dim(), object:data()
      if dims == 0 or pointer == nil then return T.dtype, 0, nil, nil, 0, 1 end
      return T.dtype, address_of(pointer), pointer, dimension_names.get(object) or nil,
         layout_from(object, 1, dims)
   end
   T = types.of_storage(object)
   if not T then return nil end
   local pointer = object:data()
   if pointer == nil then return T.dtype, 0, nil, nil, 0, 1 end
   return T.dtype, address_of(pointer), pointer, nil, object:size(), 1
end

-- Tells whether tensors have a type for NumPy's `dtype`.
function arrays.has_type(dtype)
   return type_of_dtype[dtype] ~= nil
end

-- A tensor on memory that `keeper` keeps alive, with `extent` elements from the address on; sizes and strides, in
-- elements, alternate: size, stride, size, stride, ...
function arrays.tensor(dtype, address, extent, keeper, ...)
   local T = type_of_dtype[dtype]
   local new_tensor, new_storage = torch[T.name .. 'Tensor'], torch[T.name .. 'Storage']
   if extent == 0 then return new_tensor() end
   new_storage()      -- Makes the functions of the type, if this is their first use.
   local data = cast(T.pointer_ct, cast('intptr_t', address))
   return new_tensor(T.wrap_storage(buffers.foreign(T, data, extent, keeper)), 1, ...)
end

-- Names the dimensions of a tensor, '_' for none; returns the message if the names are invalid.
function arrays.name(tensor, ...)
   local ok, why = pcall(tensor.setNames, tensor, ...)
   if not ok then return why end
end

return arrays
