-- Sizes and strides as arguments: numbers or LongStorages.

local select, tonumber, type = select, tonumber, type
local ffi = require 'ffi'
local errors = require 'torch.base.errors'
local buffers, types = require 'torch.memory.buffers', require 'torch.base.types'
local finish_trace = require('torch.jit.trace').finish
local istype, integer = ffi.istype, errors.integer
local sizes_ct, MAX_BYTES = types.by_name.Long.storage_ct, buffers.MAX_BYTES
local array_ct = ffi.typeof 'double[?]'

local sizes = {}

-- Tells whether the arguments are one to four sizes, the usual case.
function sizes.are_sizes(a, b, c, d, e)
   return type(a) == 'number' and a >= 1 and a < MAX_BYTES and a % 1 == 0
      and (type(b) == 'nil' or type(b) == 'number' and b >= 1 and b < MAX_BYTES and b % 1 == 0)
      and (type(c) == 'nil' or type(b) ~= 'nil' and type(c) == 'number' and c >= 1 and c < MAX_BYTES and c % 1 == 0)
      and (type(d) == 'nil' or type(c) ~= 'nil' and type(d) == 'number' and d >= 1 and d < MAX_BYTES and d % 1 == 0)
      and type(e) == 'nil'
end

function sizes.is_stride(p)
   return type(p) == 'nil' or type(p) == 'number' and p >= 0 and p < MAX_BYTES and p % 1 == 0
end

function sizes.is_storage(value) return istype(sizes_ct, value) end

-- The sizes in a LongStorage of one to four elements, if it is the only argument; nil otherwise.
function sizes.from_storage(storage, other)
   if not istype(sizes_ct, storage) or type(other) ~= 'nil' then return nil end
   local object = storage._memory
   local count = object._size
   if count < 1 or count > 4 then return nil end
   local data, b, c, d = object._data, nil, nil, nil
   if count > 1 then b = tonumber(data[1]) end
   if count > 2 then c = tonumber(data[2]) end
   if count > 3 then d = tonumber(data[3]) end
   return tonumber(data[0]), b, c, d
end

-- A size or an offset: an integer that memory could have.
local function size_argument(method, n, value)
   local size = integer(method, n, value)
   if size > MAX_BYTES then errors.argument(method, n, 'is beyond any memory (got %.0f)', size) end
   return size
end
sizes.argument = size_argument

local function given(...)
   local count = select('#', ...)
   while count > 0 and type((select(count, ...))) == 'nil' do count = count - 1 end
   return count
end

-- A list of sizes given as a LongStorage or as numbers, from argument n on.
function sizes.list(method, n, ...)
   finish_trace()
   local first, list = (...), {}
   if istype(sizes_ct, first) then
      for i = 1, #first do list[i] = first[i] end
      return list
   end
   local count = given(...)
   if count == 0 then errors.argument(method, n, 'must be sizes, numbers or a torch.LongStorage (got nil)') end
   for i = 1, count do list[i] = integer(method, n + i - 1, (select(i, ...))) end
   return list
end

-- A list of sizes where nothing may follow a LongStorage.
function sizes.sole_list(method, n, ...)
   local first, second = ...
   if istype(sizes_ct, first) and type(second) ~= 'nil' then
      errors.argument_error(method, n + 1, 'absent after a torch.LongStorage', second)
   end
   return sizes.list(method, n, ...)
end

-- Functions that Torch7 had in Lua rejected strings, which the others accept as numbers.
function sizes.reject_strings(method, n, ...)
   for i = 1, select('#', ...) do
      if type((select(i, ...))) == 'string' then
         errors.argument(method, n + i - 1, 'must be a number or torch.LongStorage (got a string)')
      end
   end
end

function sizes.of_tensor(t)
   local list = {}
   for d = 1, t._dim do list[d] = t._size[d - 1] end
   return list
end

-- Replaces a single -1 in a list of sizes by the size that n elements require, if that is an integer. Returns the
-- product of the sizes, except for a -1 that was not replaced; they must be positive.
function sizes.complete(method, list, n)
   local total, open = 1, nil
   for k = 1, #list do
      if list[k] == -1 then
         if open then errors.raise('%s: only one size can be -1', method) end
         open = k
      else
         if list[k] < 1 then errors.raise('%s: size %.0f is not allowed', method, list[k]) end
         total = total * list[k]
      end
   end
   if not open or n % total ~= 0 or n == 0 then return total end
   list[open] = n / total
   return n
end

-- Requested sizes and strides, until they are checked and set; a stride of -1 is computed.
local requested = { size = array_ct(8), stride = array_ct(8) }
local capacity = 8
sizes.requested = requested

local function reserve(dim)
   if dim > capacity then
      requested.size, requested.stride, capacity = array_ct(2 * dim), array_ct(2 * dim), 2 * dim
   end
end

-- Requests the sizes in a list of numbers; returns the number of dimensions.
function sizes.request(list)
   local dim = #list
   reserve(dim)
   for k = 1, dim do requested.size[k - 1], requested.stride[k - 1] = list[k], -1 end
   return dim
end

local function request_storage(storage)
   local object = storage._memory
   local dim = object._size
   reserve(dim)
   for d = 0, dim - 1 do requested.size[d], requested.stride[d] = tonumber(object._data[d]), -1 end
   return dim
end

local function request_strides(method, n, dim, storage)
   if not istype(sizes_ct, storage) then errors.argument_error(method, n, 'a torch.LongStorage', storage) end
   local object = storage._memory
   if object._size ~= dim then
      errors.raise('%s: sizes and strides must have one length (got %.0f and %.0f)', method, dim, object._size)
   end
   for d = 0, dim - 1 do requested.stride[d] = tonumber(object._data[d]) end
end

-- Requests the sizes in the arguments of `method` from n on: LongStorage [, LongStorage of strides], or numbers.
function sizes.request_arguments(method, n, ...)
   finish_trace()
   local first, second = ...
   if istype(sizes_ct, first) then
      local dim = request_storage(first)
      if type(second) ~= 'nil' then request_strides(method, n + 1, dim, second) end
      return dim
   end
   local dim = given(...)
   reserve(dim)
   for i = 1, dim do
      requested.size[i - 1], requested.stride[i - 1] = size_argument(method, n + i - 1, (select(i, ...))), -1
   end
   return dim
end

-- Requests size, stride, size, stride, ... in the arguments from n on; the last stride may be missing.
function sizes.request_pairs(method, n, ...)
   finish_trace()
   local count = given(...)
   local dim = (count + count % 2) / 2
   reserve(dim)
   for d = 0, dim - 1 do
      local size, stride = select(2 * d + 1, ...)
      requested.size[d] = size_argument(method, n + 2 * d, size)
      requested.stride[d] = type(stride) == 'nil' and -1 or size_argument(method, n + 2 * d + 1, stride)
   end
   return dim
end

return sizes
