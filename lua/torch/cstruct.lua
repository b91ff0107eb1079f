-- x:cdata() and storage:cdata(): Torch7's C structs, for programs that call C functions by the FFI. A struct shows what
-- the tensor is at the time of the call, and keeps it alive; its elements are those of the tensor.

local ffi = require 'ffi'
local memory, types = require 'torch.memory', require 'torch.types'
local anchor, cast = memory.anchor, ffi.cast

local declarations = [[
typedef struct TH$nStorage {
   $c *data; ptrdiff_t size; int refcount; char flag; void *allocator, *allocatorContext; struct TH$nStorage *view;
} TH$nStorage;
typedef struct TH$nTensor {
   long *size, *stride; int nDimension; TH$nStorage *storage; ptrdiff_t storageOffset; int refcount; char flag;
} TH$nTensor;]]

local declared = {}

local function declare(T)
   if declared[T] then return end
   declared[T] = true
   -- A program may have declared them itself.
   pcall(ffi.cdef, (declarations:gsub('%$(%l)', { n = T.name, c = T.c })))
end

local function fill_storage(struct, header)
   struct.data, struct.size, struct.refcount = header._data, header._size, 1
end

local cstruct = {}

-- A pointer to the struct of a storage.
function cstruct.of_storage(storage)
   local T = types.of_storage(storage)
   declare(T)
   local struct = ffi.new('TH' .. T.name .. 'Storage')
   memory.expose(storage._memory)
   fill_storage(struct, storage._memory)
   local pointer = cast('TH' .. T.name .. 'Storage *', struct)
   anchor[pointer] = { struct, anchor[storage] }
   return pointer
end

-- A pointer to the struct of a tensor.
function cstruct.of_tensor(t)
   local T = types.of_tensor(t)
   declare(T)
   local dim = t._dim
   local struct, lists = ffi.new('TH' .. T.name .. 'Tensor'), ffi.new('long[?]', 2 * dim)
   for d = 0, dim - 1 do lists[d], lists[dim + d] = t._size[d], t._stride[d] end
   struct.size, struct.stride, struct.nDimension = lists, lists + dim, dim
   struct.storageOffset, struct.refcount = t._offset, 1
   local kept = { struct, lists }
   if t._memory ~= nil then
      kept[3], kept[4] = T.shared_owner(t), ffi.new('TH' .. T.name .. 'Storage')
      memory.expose(t._memory)
      fill_storage(kept[4], t._memory)
      struct.storage = kept[4]
   end
   local pointer = cast('TH' .. T.name .. 'Tensor *', struct)
   anchor[pointer] = kept
   return pointer
end

return cstruct
