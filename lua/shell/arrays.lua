-- The Lua half of sharing memory with NumPy (t7shell/core/arrays.py): where a tensor lies, and a tensor of
-- given memory.

local torch = require 'torch'
local ffi = require 'ffi'
local buffers, dimension_names = require 'torch.memory.buffers', require 'torch.base.dimension_names'
local types = require 'torch.base.types'
local cast, ipairs, pcall, tonumber = ffi.cast, ipairs, pcall, tonumber

local arrays = {}

local type_of_dtype = {}
for _, T in ipairs(types.rows) do type_of_dtype[T.dtype] = T end

-- Describes a tensor or a storage: its dtype in NumPy's words, address, sizes, strides in elements, `keeper`, which
-- keeps the memory alive, and the names of its dimensions, if it has any. Of anything else, nil. An empty one has one
-- size, 0, and no address.
function arrays.describe(object)
   local T = types.of_tensor(object) or types.of_storage(object)
   if not T then return nil end
   local pointer = object:data()
   local is_tensor = types.of_tensor(object) ~= nil
   if pointer == nil or is_tensor and object:dim() == 0 then
      return { dtype = T.dtype, address = 0, sizes = { 0 }, strides = { 1 } }
   end
   local sizes, strides = { object:size() }, { 1 }
   if is_tensor then
      for d = 1, object:dim() do sizes[d], strides[d] = object:size(d), object:stride(d) end
   end
   local address = tonumber(cast('intptr_t', pointer))
   return { dtype = T.dtype, address = address, sizes = sizes, strides = strides, keeper = pointer,
      names = is_tensor and dimension_names.get(object) or nil }
end

-- Tells whether tensors have a type for NumPy's `dtype`.
function arrays.has_type(dtype)
   return type_of_dtype[dtype] ~= nil
end

-- A tensor on memory that `keeper` keeps alive. `reach` elements lie there from the address on; sizes and strides, in
-- elements, come in turn: size, stride, size, stride, ...
function arrays.tensor(dtype, address, reach, keeper, ...)
   local T = type_of_dtype[dtype]
   local new_tensor, new_storage = torch[T.name .. 'Tensor'], torch[T.name .. 'Storage']
   if reach == 0 then return new_tensor() end
   new_storage()      -- Makes the functions of the type, if this is their first use.
   local data = cast(T.pointer_ct, cast('intptr_t', address))
   return new_tensor(T.wrap_storage(buffers.foreign(T, data, reach, keeper)), 1, ...)
end

-- Gives a tensor names, '_' for none; the message where that cannot be.
function arrays.name(tensor, ...)
   local fine, why = pcall(tensor.setNames, tensor, ...)
   if not fine then return why end
end

return arrays
