-- Making tensors of one element type, and tensors that alias others. Specialised per type.

return function(T)

local ffi = require 'ffi'
local geometry, buffers = require 'torch.base.geometry', require 'torch.memory.buffers'
local anchor_view, HEADER_BYTES, INLINE_BYTES = buffers.anchor_view, buffers.HEADER_BYTES, buffers.INLINE_BYTES
local cast, floor, min = ffi.cast, math.floor, math.min
local header_ct, pointer_ct, size_of, tensor_ct = T.header_ct, T.pointer_ct, T.size, T.tensor_ct
local numel, set_contiguous, set_dim = geometry.numel, geometry.set_contiguous, geometry.set_dim
local vector_layout, MATRIX, RANK3 = geometry.vector_layout, geometry.MATRIX, geometry.RANK3
local placement = require 'torch.memory.placement'
local is_of_device = T.base ~= nil

local function new()
   local t = tensor_ct(0)
   t._size, t._stride = t._inline, t._inline + 4
   return t
end
T.new_tensor = new

-- A tensor without dimensions that owns memory for `count` elements.
local function new_owner(count)
   if count * size_of <= INLINE_BYTES then
      local t = tensor_ct(HEADER_BYTES + count * size_of)
      t._size, t._stride = t._inline, t._inline + 4
      local header = cast(header_ct, t._own)
      header._data, header._size, header._capacity = cast(pointer_ct, t._own + HEADER_BYTES), count, count
      t._memory = header
      if is_of_device and placement.current ~= placement.first then placement.record(t) end
      return t
   end
   local t = buffers.new_alone(T, count)
   t._size, t._stride = t._inline, t._inline + 4
   if is_of_device and placement.current ~= placement.first then placement.record(buffers.shared_owner(t, T)) end
   return t
end

T.new_owner = new_owner

local function shared_owner(t)
   return buffers.shared_owner(t, T)
end
T.shared_owner = shared_owner

-- A view of `t`; the caller may change its sizes, strides and offset.
local function alias(t)
   local v = tensor_ct(0)
   v._size, v._stride = v._inline, v._inline + 4
   anchor_view(v, shared_owner(t))
   v._memory, v._offset = t._memory, t._offset
   geometry.copy(v, t)
   return v
end
T.alias = alias

-- Gives r the sizes of t and the layout, which is passed.
local function take_layout(r, t, layout)
   r._layout, r._count = layout, t._count
   local to, from = r._inline, t._size
   if layout < MATRIX then
      r._dim, to[0], to[4] = 1, from[0], 1
   elseif layout < RANK3 then
      r._dim, to[0], to[1], to[4], to[5] = 2, from[0], from[1], from[1], 1
   else
      r._dim, to[0], to[1], to[2], to[3] = t._dim, from[0], from[1], from[2], from[3]
      from = t._stride
      to[4], to[5], to[6], to[7] = from[0], from[1], from[2], from[3]
   end
end

-- A new zeroed tensor with the sizes of t, of any type and at most SMALL elements; its layout is passed. Values that
-- are reloaded after the call that makes the tensor need not stay in registers across it, of which a trace has few.
T.SMALL = floor(min(INLINE_BYTES / size_of, 512))

function T.new_small(t, layout)
   local r = tensor_ct(HEADER_BYTES + t._count * size_of)
   r._size, r._stride = r._inline, r._inline + 4
   local header = cast(header_ct, r._own)
   header._data, header._size, header._capacity = cast(pointer_ct, r._own + HEADER_BYTES), t._count, t._count
   r._memory = header
   take_layout(r, t, layout)
   if is_of_device and placement.current ~= placement.first then placement.record(r) end
   return r
end

-- A new contiguous tensor with the sizes of `t`, a tensor of any type. Its elements are uninitialized.
local function new_like(t)
   local layout = t._layout
   if layout > 0 then
      if t._count <= T.SMALL then return (T.new_small(t, layout)) end
      local r = new_owner(t._count)
      take_layout(r, t, layout)
      return r
   end
   local n = numel(t)
   if n == 0 then return new() end
   local r = new_owner(n)
   geometry.copy(r, t)
   set_contiguous(r)
   return r
end
T.new_like = new_like

-- A new contiguous tensor with a list of sizes, empty if one of them is 0. Its elements are uninitialized.
function T.new_contiguous(list)
   local count = 1
   for d = 1, #list do count = count * list[d] end
   if count == 0 then return new() end
   local r = new_owner(count)
   set_dim(r, #list)
   for d = 1, #list do r._size[d - 1] = list[d] end
   set_contiguous(r)
   return r
end

-- A new uninitialized tensor of one dimension. `spare` more elements may be written after its end.
function T.new_vector(count, spare)
   if not spare and count <= T.SMALL and count > 0 then
      local r = new_owner(count)
      r._dim, r._layout, r._count, r._inline[0], r._inline[4] = 1, count, count, count, 1
      return r
   end
   if count == 0 then return new() end
   local r = new_owner(count + (spare or 0))
   r._memory._size = count
   r._dim, r._size[0], r._stride[0] = 1, count, 1
   r._layout, r._count = vector_layout(count), count
   return r
end

end
