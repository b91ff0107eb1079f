-- copy between any types and layouts, fill, clones, conversions and tables. Specialised per type.

return function(T) return function(methods)

local type = type
local min = math.min
local ffi = require 'ffi'
local broadcast, element = require 'torch.tensor.broadcast', require 'torch.loops.element'
local errors, geometry = require 'torch.base.errors', require 'torch.base.geometry'
local types = require 'torch.base.types'
local parallel_copy, copy_strided = require 'torch.parallel.parallel_copy', require 'torch.tensor.copy_strided'
local read_on_host = require('torch.memory.device_buffers').read_on_host
local finish_trace = require('torch.jit.trace').finish
local libc, native = require 'torch.native.libc', require 'torch.native.native'
local tuning = require 'torch.loops.tuning'
local is_shared = require('torch.memory.buffers').is_shared
local istype, cast, byte_p = ffi.istype, ffi.cast, ffi.typeof 'char *'
local tensor_ct = T.tensor_ct
local name, size_of = T.tensor_name, T.size
local get, set, convert = element.getter(T), element.setter(T), element.convert
local check_self, new_like, new_small, SMALL = T.check_self, T.new_like, T.new_small, T.SMALL
local contiguous, numel, shape = geometry.contiguous, geometry.numel, geometry.shape
local describe, raise = errors.describe, errors.raise
local copy_elements = parallel_copy.elements

-- Copies the elements of `source`, a tensor of type S with the same number of elements, into `t`.
local function copy_from(t, S, source)
   if contiguous(t) and contiguous(source) then
      copy_elements(T, t._memory._data + t._offset, 1, S, source._memory._data + source._offset, 1, numel(t),
         not is_shared(source._memory))
   else
      copy_strided.copy(T, t, S, source)
   end
end

function T.result(r, made)
   if not r then return made end
   T.resize_as(r, made)
   if made._dim > 0 then copy_from(r, T, made) end
   return r
end

-- x:copy(y): y of any type and shape with the same number of elements.
function methods.copy(t, source)
   check_self(t, 'copy')
   if istype(tensor_ct, source) and t._layout > 0 and t._layout == source._layout and t._count <= SMALL then
      libc.t7_memmove(t._memory._data + t._offset, source._memory._data + source._offset, t._count * size_of)
      return t
   end
   local S = istype(tensor_ct, source) and T or types.of_tensor(source)
   if not S then errors.argument_error('copy', 1, 'a torch.*Tensor', source) end
   if S.base then read_on_host(source) end
   local n = numel(t)
   if n ~= numel(source) then
      raise('copy: inconsistent tensor sizes: [%s] of %.0f elements and source [%s] of %.0f%s', shape(t), n,
         shape(source), numel(source), broadcast.hint(t, t, source))
   end
   if n > 0 then copy_from(t, S, source) end
   return t
end

local function clone(t)
   local layout = t._layout
   if layout > 0 and t._count <= SMALL then
      local r = new_small(t, layout)
      libc.t7_memmove(r._memory._data, t._memory._data + t._offset, t._count * size_of)
      return r
   end
   local r = new_like(t)
   if t._dim > 0 then copy_from(r, T, t) end
   return r
end

function methods.clone(t)
   check_self(t, 'clone')
   return (clone(t))
end

-- x itself if its elements are contiguous, otherwise a contiguous copy.
function methods.contiguous(t)
   check_self(t, 'contiguous')
   if contiguous(t) then return t end
   return (clone(t))
end
T.contiguous = methods.contiguous

local CHUNK = tuning.FILL_CHUNK

-- Copies the first `filled` of n elements repeatedly over the rest.
local function double(data, filled, n)
   libc.t7_memmove(data + filled, data, min(filled, n - filled) * size_of)
end

-- Fills up to CHUNK elements; a loop would keep the code around it from being compiled as one trace.
local function fill_chunk(data, n, value)
   set(data, 0, value)
   if n > 1 then set(data, 1, value) end
   if n > 2 then set(data, 2, value) end
   if n > 3 then set(data, 3, value) end
   if n > 4 then double(data, 4, n) end
   if n > 8 then double(data, 8, n) end
   if n > 16 then double(data, 16, n) end
   if n > 32 then double(data, 32, n) end
   if n > 64 then double(data, 64, n) end
   if n > 128 then double(data, 128, n) end
   if n > 256 then double(data, 256, n) end
end

-- Fills contiguous elements, at least one.
local function fill_contiguous(data, n, value)
   fill_chunk(data, min(n, CHUNK), value)
   if n > CHUNK then parallel_copy.fill(cast(byte_p, data), n * size_of) end
end

local value_buffer = native.buffer(T.c, 1)

local function fill(t, value)
   local n = numel(t)
   if n == 0 then return t end
   local data = t._memory._data + t._offset
   if contiguous(t) then
      local bytes = n * size_of
      -- The bytes of -0 are not 0.
      if value == 0 and 1 / value > 0 and bytes < parallel_copy.MIN_BYTES then
         ffi.fill(data, bytes)
      else
         fill_contiguous(data, n, value)
      end
   else
      set(value_buffer, 0, value)
      parallel_copy.fill_strided(T, t, value_buffer)
   end
   return t
end

function methods.fill(t, value, more)
   check_self(t, 'fill')
   if type(more) ~= 'nil' then errors.argument('fill', 2, 'must be left out (got %s)', describe(more)) end
   local number = convert(value)
   if number == nil then errors.argument_error('fill', 1, 'a number', value) end
   return (fill(t, number))
end

function methods.zero(t, more)
   check_self(t, 'zero')
   if type(more) ~= 'nil' then errors.argument_error('zero', 1, 'left out', more) end
   return (fill(t, 0))
end

-- The type's name, or the tensor as another type; the same tensor if it already has the type.
local function as_type(t, S)
   if S == T then return t end
   return S.tensor_methods.copy(S.new_like(t), t)
end

function methods.type(t, type_name)
   check_self(t, 'type')
   if type(type_name) == 'nil' then return name end
   local S = type_name == 'torch.Tensor' and types.default or types.by_typename[type_name]
   if not S or S.storage_name == type_name then
      errors.argument_error('type', 1, "the name of a tensor type such as 'torch.FloatTensor'", type_name)
   end
   return as_type(t, S)
end

function methods.typeAs(t, other)
   check_self(t, 'typeAs')
   local S = types.of_tensor(other)
   if not S then errors.argument_error('typeAs', 1, 'a tensor', other) end
   return as_type(t, S)
end

for i = 1, #types.rows do
   local S = types.rows[i]
   methods[string.lower(S.name)] = function(t)
      check_self(t, string.lower(S.name))
      return as_type(t, S)
   end
end

function methods.real(t)
   check_self(t, 'real')
   return as_type(t, types.default)
end

-- Nested Lua tables of the elements.
function methods.totable(t)
   check_self(t, 'totable')
   local dim = t._dim
   if dim == 0 then return {} end
   finish_trace()
   local data = t._memory._data
   local function level(d, offset)
      local list, step = {}, t._stride[d]
      if d == dim - 1 then
         for i = 0, t._size[d] - 1 do list[i + 1] = get(data, offset + i * step) end
      else
         for i = 0, t._size[d] - 1 do list[i + 1] = level(d + 1, offset + i * step) end
      end
      return list
   end
   return level(0, t._offset)
end

T.clone, T.fill, T.copy_from = clone, fill, copy_from

end end
