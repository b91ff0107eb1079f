-- Tensors of one element type: constructors, `set`, aliasing, the metatable; specialised per type from these parts.

return function(T)

local ipairs, rawequal, type = ipairs, rawequal, type
local ffi = require 'ffi'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local buffers, type_fields = require 'torch.memory.buffers', require 'torch.tensor.type_fields'
local sizes, types = require 'torch.tensor.sizes', require 'torch.base.types'
local are_sizes, from_storage = sizes.are_sizes, sizes.from_storage
local is_storage, is_stride = sizes.is_storage, sizes.is_stride
local request_arguments, request_pairs, requested = sizes.request_arguments, sizes.request_pairs, sizes.requested
local anchor, anchor_tensor, columns = buffers.anchor, buffers.anchor_tensor, geometry.columns
local set_dim = geometry.set_dim
local describe, istype = errors.describe, ffi.istype
local is_shared = buffers.is_shared
local name, size_of, tensor_ct, storage_ct = T.tensor_name, T.size, T.tensor_ct, T.storage_ct

local tensor_methods = {}

for _, part in ipairs { 'make', 'resize' } do type_fields.make(part, T) end
local new, shared_owner = T.new_tensor, T.shared_owner
local resize_as, set_four, set_sizes = T.resize_as, T.set_four, T.set_sizes

local function check_self(t, method)
   if not istype(tensor_ct, t) then
      errors.argument(method, 0, 'must be a %s (got %s); methods are called as x:%s(...)', name, describe(t), method)
   end
end
T.check_self = check_self

-- Tells whether two tensors share memory, or would if they had elements. Views of storages, Python's arrays and mapped
-- files have separate headers for bytes that others may share.
local FIXED = buffers.FIXED
function T.shares(t, other)
   local a, b = t._memory, other._memory
   if a == b then return a ~= nil end
   return a ~= nil and b ~= nil and (a._flags == FIXED or b._flags == FIXED)
      and buffers.overlap(a, size_of, b, types.of_tensor(other).size)
end

-- t contiguous, safe to read while `target`, of any type, is written, and to check before reading. A file may be mapped
-- twice, at addresses that do not reveal it.
function T.snapshot(t, target)
   if t._memory ~= nil and is_shared(t._memory) or target and T.shares(t, target) then return T.clone(t) end
   return T.contiguous(t)
end

-- Uses the memory of `owner` with this header. A tensor that owns its memory has no anchor, which would be a cycle.
local function look_at(t, owner, header)
   set_dim(t, 0)
   t._memory = nil
   anchor_tensor(t, not rawequal(owner, t) and owner or nil)
   t._memory = header
end

-- storage, offset, then LongStorages of sizes and strides, or numbers size, stride, size, stride, ...
local function set_storage(t, method, storage, offset, first, ...)
   local owner = anchor[storage]
   local dim = 0
   -- A vector or a matrix, as most programs ask for them, without a loop.
   local p, b, q, e = ...
   if type(first) ~= 'nil' and are_sizes(offset, first, b, nil, e) and is_stride(p) and is_stride(q)
      and (type(b) ~= 'nil' or type(q) == 'nil') and not columns then
      look_at(t, owner, storage._memory)
      t._offset = offset - 1
      return set_four(t, first, b or 0, 0, 0, p or -1, q or -1, -1, -1)
   end
   if type(offset) == 'nil' then
      if type(first) ~= 'nil' then errors.argument(method, 2, 'must be a number (got nil)') end
      offset, dim = 1, 1
      requested.size[0], requested.stride[0] = storage._memory._size, -1
   else
      offset = sizes.argument(method, 2, offset)
      if offset < 1 then errors.argument(method, 2, 'must be a storage offset of at least 1 (got %.0f)', offset) end
      if is_storage(first) then
         dim = request_arguments(method, 3, first, ...)
      elseif type(first) ~= 'nil' then
         dim = request_pairs(method, 3, first, ...)
      end
   end
   look_at(t, owner, storage._memory)
   t._offset = offset - 1
   return set_sizes(t, dim)
end

local function set_nothing(t)
   set_dim(t, 0)
   t._memory, t._offset = nil, 0
   anchor_tensor(t, nil)
   return t
end

local function set_tensor(t, source)
   if rawequal(t, source) then return t end
   if source._memory == nil then return set_nothing(t) end
   local owner = shared_owner(source)
   look_at(t, owner, source._memory)
   t._offset = source._offset
   geometry.copy(t, source)
   t._layout, t._count = source._layout, source._count
   return t
end
T.set_tensor = set_tensor

local from_table = type_fields.make('from_table', T)

-- The constructor torch.DoubleTensor(...): from nothing; sizes; a LongStorage of sizes, with one of strides;
-- a storage with offset, sizes and strides; another tensor of the type; nested tables.
function tensor_methods.new(first, second, third, fourth, fifth, ...)
   local kind = type(first)
   if kind == 'number' then
      if are_sizes(first, second, third, fourth, fifth) then return (T.resized(nil, first, second, third, fourth)) end
      return set_sizes(new(), request_arguments(name, 1, first, second, third, fourth, fifth, ...))
   elseif kind == 'nil' then
      if type(second) ~= 'nil' then errors.argument(name, 1, 'must be a number (got nil)') end
      return new()
   elseif kind == 'table' then
      return from_table(first)
   elseif istype(tensor_ct, first) then
      return set_tensor(new(), first)
   elseif istype(storage_ct, first) then
      return set_storage(new(), name, first, second, third, fourth, fifth, ...)
   end
   local a, b, c, d = from_storage(first, second)
   if are_sizes(a, b, c, d) then return (T.resized(nil, a, b, c, d)) end
   if is_storage(first) then
      return set_sizes(new(), request_arguments(name, 1, first, second, third, fourth, fifth, ...))
   end
   local storage = T.storage_name == 'torch.LongStorage' and '' or ', ' .. T.storage_name
   errors.argument(name, 1, 'must be a number, table, %s%s or torch.LongStorage (got %s)', name, storage,
      describe(first))
end

-- Views another tensor, a storage, new memory of given sizes, or nothing.
function tensor_methods.set(t, ...)
   check_self(t, 'set')
   local first = ...
   if istype(tensor_ct, first) then return set_tensor(t, first) end
   errors.reject_nil('set', ...)
   local kind = type(first)
   if kind == 'nil' then return set_nothing(t) end
   if istype(storage_ct, first) then return set_storage(t, 'set', ...) end
   if kind == 'number' or is_storage(first) then
      local dim = request_arguments('set', 1, ...)
      return set_sizes(set_nothing(t), dim)
   end
   errors.argument_error('set', 1, 'a number, ' .. name .. ' or ' .. T.storage_name, first)
end

function tensor_methods.resize(t, ...)
   check_self(t, 'resize')
   errors.reject_nil('resize', ...)
   local first, second, third, fourth, fifth = ...
   if are_sizes(first, second, third, fourth, fifth) then return T.resized(t, first, second, third, fourth) end
   return set_sizes(t, request_arguments('resize', 1, ...))
end

function tensor_methods.resizeAs(t, like)
   check_self(t, 'resizeAs')
   if not istype(tensor_ct, like) then errors.argument_error('resizeAs', 1, 'a ' .. name, like) end
   return resize_as(t, like)
end

local metatable = {
   __len = function(t) return T.tensor_methods.__len__(t) end,
   __tostring = function(t) return T.tensor_methods.__tostring__(t) end,
   -- Tensors are equal when they are the same object; `equal` compares elements.
   __eq = function(a, b) return (rawequal(a, b)) end,
}

for _, part in ipairs { 'properties', 'view', 'copy', 'shape', 'reshape', 'apply' } do
   type_fields.make(part, T, tensor_methods, metatable)
end

-- dispatch/constructors.lua adds the operators.
T.tensor_operators = types.metatype(tensor_ct, metatable)

return tensor_methods

end
