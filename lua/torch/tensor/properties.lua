-- Properties of tensors: sizes, strides, counts, comparisons of layout, pointers. Specialised per type.

return function(T) return function(methods)

local type = type
local ffi = require 'ffi'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local buffers, tensor_text = require 'torch.memory.buffers', require 'torch.tensor.tensor_text'
local types = require 'torch.base.types'
local th_struct, finish_trace = require 'torch.tensor.th_struct', require('torch.jit.trace').finish
local anchor = buffers.anchor
local istype, cast = ffi.istype, ffi.cast
local tensor_ct, pointer_ct, name = T.tensor_ct, T.pointer_ct, T.tensor_name
local is_contiguous, numel = geometry.is_contiguous, geometry.numel
local same_size, shape = geometry.same_size, geometry.shape
local integer = errors.integer
local check_self = T.check_self
local Long = types.by_name.Long
local sizes_ct = Long.storage_ct

function methods.dim(t)
   check_self(t, 'dim')
   return t._dim
end
methods.nDimension = methods.dim

function methods.nElement(t)
   check_self(t, 'nElement')
   return numel(t)
end

function methods.numel(t, more)
   check_self(t, 'numel')
   if type(more) ~= 'nil' then errors.argument_error('numel', 1, 'left out', more) end
   return numel(t)
end

-- The dimension that argument n of `method` names, counted from 0.
local function dimension(t, method, d, n)
   if type(d) ~= 'number' or d % 1 ~= 0 then d = integer(method, n or 1, d) end
   if not (d >= 1 and d <= t._dim) then
      d = geometry.from_last(d, t._dim)
         or errors.raise('%s: dimension %.0f out of range of %.0fD tensor [%s]', method, d, t._dim, shape(t))
   end
   return d - 1
end
T.dimension = dimension

local function to_storage(dim, values)
   local storage = Long.storage_methods.new(dim)
   local data = storage._memory._data
   if dim > 0 then data[0] = values[0] end
   if dim > 1 then data[1] = values[1] end
   if dim > 2 then data[2] = values[2] end
   if dim > 3 then data[3] = values[3] end
   if dim > 4 then
      finish_trace()
      for d = 4, dim - 1 do data[d] = values[d] end
   end
   return storage
end

-- The size of a dimension, or a LongStorage of all.
function methods.size(t, d)
   check_self(t, 'size')
   if type(d) == 'nil' then return to_storage(t._dim, t._size) end
   return t._size[dimension(t, 'size', d)]
end

function methods.stride(t, d)
   check_self(t, 'stride')
   if type(d) == 'nil' then return to_storage(t._dim, t._stride) end
   return t._stride[dimension(t, 'stride', d)]
end

function methods.storage(t)
   check_self(t, 'storage')
   if t._memory == nil then return nil end
   local owner = T.shared_owner(t)
   return T.wrap_storage(owner, t._memory)
end

function methods.storageOffset(t)
   check_self(t, 'storageOffset')
   return t._offset + 1
end

function methods.elementSize() return T.size end

function methods.isContiguous(t)
   check_self(t, 'isContiguous')
   return is_contiguous(t)
end

function methods.isSameSizeAs(t, other)
   check_self(t, 'isSameSizeAs')
   if not istype(tensor_ct, other) then errors.argument_error('isSameSizeAs', 1, 'a ' .. name, other) end
   return same_size(t, other)
end

function methods.isSize(t, sizes)
   check_self(t, 'isSize')
   if not istype(sizes_ct, sizes) then errors.argument_error('isSize', 1, 'a torch.LongStorage', sizes) end
   if #sizes ~= t._dim then return false end
   for d = 1, t._dim do
      if sizes[d] ~= t._size[d - 1] then return false end
   end
   return true
end

-- Tells whether both have the same memory, offset, sizes and strides; false for tensors without memory.
function methods.isSetTo(t, other)
   check_self(t, 'isSetTo')
   if not istype(tensor_ct, other) then errors.argument_error('isSetTo', 1, 'a ' .. name, other) end
   return t._memory ~= nil and geometry.same_view(t, other)
end

function methods.isTensor() return true end

-- A raw pointer to the first element, for the FFI, or its address as a number; nil without memory.
function methods.data(t, as_number)
   check_self(t, 'data')
   if t._memory == nil then return nil end
   local owner = T.shared_owner(t)
   buffers.expose(t._memory)
   local pointer = cast(pointer_ct, t._memory._data + t._offset)
   if as_number then return (cast('intptr_t', pointer)) end
   anchor[pointer] = owner
   return pointer
end

-- Torch7's C struct of the tensor.
function methods.cdata(t)
   check_self(t, 'cdata')
   return th_struct.of_tensor(t)
end

-- Lua's collector manages references; counts that scripts keep by hand are for other threads.
function methods.retain(t)
   check_self(t, 'retain')
   th_struct.retain(t)
end

function methods.free(t)
   check_self(t, 'free')
   th_struct.free(t)
end

function methods.__tostring__(t)
   check_self(t, '__tostring__')
   return tensor_text.tensor(t)
end

function methods.__len__(t)
   check_self(t, '__len__')
   return to_storage(t._dim, t._size)
end

end end
