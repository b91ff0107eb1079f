-- x:cdata() and storage:cdata(): Torch7's C structs, for programs that call C functions by the FFI. A struct is a
-- snapshot of the tensor at the time of the call, and keeps it alive; its elements are those of the tensor.

local ffi = require 'ffi'
local buffers, types = require 'torch.memory.buffers', require 'torch.base.types'
local address_of, errors = require('torch.native.native').address_of, require 'torch.base.errors'
local anchor, cast = buffers.anchor, ffi.cast

local th_struct = {}

-- The object of each pointer to a struct that was given away.
th_struct.objects = setmetatable({}, { __mode = 'k' })

local storage_source = [[
typedef struct TH$nStorage {
   $c *data; ptrdiff_t size; int refcount; char flag; void *allocator, *allocatorContext; struct TH$nStorage *view;
} TH$nStorage;]]
-- `storage` is a field of the metatable, so that assignments can be intercepted.
local tensor_source = [[
typedef struct TH$nTensor {
   long *size, *stride; int nDimension; TH$nStorage *_storage; ptrdiff_t storageOffset; int refcount; char flag;
} TH$nTensor;]]
-- Programs declare and call these to count references. They do nothing: a harmless C function stands in for them.
local function_source = [[
void TH$nStorage_free(TH$nStorage *) __asm__("getppid"); void TH$nStorage_retain(TH$nStorage *) __asm__("getppid");
void TH$nTensor_free(TH$nTensor *) __asm__("getppid"); void TH$nTensor_retain(TH$nTensor *) __asm__("getppid");]]

local function no_field(name) errors.raise("a tensor's struct has no field '%s'", tostring(name)) end

local tensor_fields = {}

function tensor_fields.__index(struct, name)
   if name == 'storage' then return struct._storage end
   no_field(name)
end

-- `storage = nil` gives the memory to the owner of its number; assigning a pointer takes it: see threads/retained.lua.
function tensor_fields.__newindex(struct, name, value)
   if name ~= 'storage' then no_field(name) end
   local t = th_struct.objects[struct]
   if not t then errors.raise "cdata: the struct's storage cannot be set: it is that of no tensor" end
   if value == nil then return th_struct.give_storage(t) end
   local storage = th_struct.objects[value] or th_struct.taken_storage(address_of(value))
   if storage == nil then errors.raise 'cdata: no storage was given away at this address' end
   if types.of_storage(storage) ~= types.of_tensor(t) then
      errors.raise('cdata: %s expected as storage (got %s)', types.of_tensor(t).storage_name, errors.describe(storage))
   end
   t:set(storage, t:storageOffset(), t:size(), t:stride())
end

-- A program that loads torch late may have declared them itself.
local function declare(source, T) return (pcall(ffi.cdef, (string.gsub(source, '%$(%l)', { n = T.name, c = T.c })))) end

-- The name of the field, by the name of the element type: types of devices share it with those of the host.
local storage_field = {}

for _, T in ipairs(types.rows) do
   declare(storage_source, T)
   local is_ours = declare(tensor_source, T)
   declare(function_source, T)
   if is_ours then pcall(ffi.metatype, 'TH' .. T.name .. 'Tensor', tensor_fields) end
   storage_field[T.name] = is_ours and '_storage' or 'storage'
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
      struct[storage_field[T.name]] = storage
   end
   return give(cast('TH' .. T.name .. 'Tensor *', struct), t, struct, lists, storage, owner)
end

-- The implementation of x:retain(), x:free(), torch.pushudata(number) and x:cdata().storage, in
-- lua/packages/threads/retained.lua, which the first retained tensor loads.
function th_struct.retain(t)
   require 'threads'
   th_struct.retain(t)
end

function th_struct.free() end
function th_struct.give_storage(t) t:set() end
function th_struct.taken_storage() end

-- The object of a struct that was given away, by the address of the struct.
function th_struct.at(number)
   for pointer, object in next, th_struct.objects do
      if cast('intptr_t', pointer) == number then return object end
   end
end

return th_struct
