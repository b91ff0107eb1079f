-- x:cdata() and storage:cdata(): Torch7's C structs, for programs that call C functions by the FFI. A struct is a
-- snapshot of the tensor at the time of the call, and keeps it alive; its elements are those of the tensor.

local ffi = require 'ffi'
local buffers, types = require 'torch.memory.buffers', require 'torch.base.types'
local anchor, cast = buffers.anchor, ffi.cast
local ipairs, pcall, setmetatable = ipairs, pcall, setmetatable

local th_struct = {}

-- The object of a pointer to a struct that was given away.
th_struct.objects = setmetatable({}, { __mode = 'k' })

local storage_source = [[
typedef struct TH$nStorage {
   $c *data; ptrdiff_t size; int refcount; char flag; void *allocator, *allocatorContext; struct TH$nStorage *view;
} TH$nStorage;]]
local tensor_source = [[
typedef struct TH$nTensor {
   long *size, *stride; int nDimension; TH$nStorage *storage; ptrdiff_t storageOffset; int refcount; char flag;
} TH$nTensor;]]

for _, T in ipairs(types.rows) do
   for _, source in ipairs { storage_source, tensor_source } do
      -- A program that loads torch late may have declared them itself.
      pcall(ffi.cdef, (source:gsub('%$(%l)', { n = T.name, c = T.c })))
   end
end

local function give(pointer, object, ...)
   anchor[pointer], th_struct.objects[pointer] = { ... }, object
   return pointer
end

local function storage_struct(T, header)
   local struct = ffi.new('TH' .. T.name .. 'Storage')
   buffers.expose(header)
   struct.data, struct.size, struct.refcount = header._data, header._size, 1
   return struct
end

function th_struct.of_storage(storage)
   local T = types.of_storage(storage)
   local struct = storage_struct(T, storage._memory)
   return give(cast('TH' .. T.name .. 'Storage *', struct), storage, struct)
end

function th_struct.of_tensor(t)
   local T = types.of_tensor(t)
   local dim = t._dim
   local struct, lists, storage = ffi.new('TH' .. T.name .. 'Tensor'), ffi.new('long[?]', 2 * dim), nil
   for d = 0, dim - 1 do lists[d], lists[dim + d] = t._size[d], t._stride[d] end
   struct.size, struct.stride, struct.nDimension = lists, lists + dim, dim
   struct.storageOffset, struct.refcount = t._offset, 1
   local owner
   if t._memory ~= nil then
      owner, storage = T.shared_owner(t), storage_struct(T, t._memory)
      struct.storage = storage
   end
   return give(cast('TH' .. T.name .. 'Tensor *', struct), t, struct, lists, storage, owner)
end

return th_struct
