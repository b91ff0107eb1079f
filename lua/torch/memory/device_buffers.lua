-- Memory of tensors on a device of PyTorch. A tensor of a device type has a block on the host and, after the first
-- operation on the device, a buffer there. Which one is current is a property of the memory, not of a view: code that
-- accesses elements on the host calls on_host(t) or read_on_host(t), operations on the device use view(t) and
-- result(t). See docs/decisions/0026-device-memory.md. Memory to which a program has a pointer, or which an array or a
-- file shares, is made current on the host after each operation, since writes to it go unnoticed.

local collector = require 'torch.memory.collector'
local buffers, host = require 'torch.memory.buffers', require('torch.native.host').of 'cutorch'
local errors, placement = require 'torch.base.errors', require 'torch.memory.placement'
local geometry, types = require 'torch.base.geometry', require 'torch.base.types'
local address_of = require('torch.native.native').address_of
local same_size = geometry.same_size
local anchor, shared_owner = buffers.anchor, buffers.shared_owner

-- `active`: whether device types compute on a device; `stream`: the number of the stream they compute on.
local device_buffers = { active = false, stream = 0 }

-- records[owner] = { buffer, count = elements in it, on_host, on_device = whether each is current, layout = that of the
-- buffer as a view of all its elements or 0, views = others by their sizes, strides and offset, view_count }
local records = setmetatable({}, { __mode = 'k' })

local programs = {}

local MAX_VIEWS = 32

local function owner_of(object, T)
   if types.of_storage(object) then return anchor[object] end
   return shared_owner(object, T)
end

local function download(record, T, header)
   if record.on_host then return end
   host.download(record.buffer, address_of(header._data), record.count, T.dtype)
   record.on_host = true
end

-- The record of the memory of a tensor or a storage of a device; nil if it was never on the device.
local function record_of(object)
   if not device_buffers.active or object._memory == nil then return nil end
   local T = types.of_tensor(object) or types.of_storage(object)
   if not T or not T.base then return nil end
   return records[owner_of(object, T)], T
end

-- The number of the device that holds the memory of a tensor or storage.
function device_buffers.number_of(object)
   return placement.of(owner_of(object, types.of_tensor(object) or types.of_storage(object)))
end

-- Raises unless an object of a device type is on the current device.
function device_buffers.check_current_device(name, position, object)
   if object._memory == nil then return end
   local number = device_buffers.number_of(object)
   if number == placement.current or placement.peers and placement.peers(placement.current, number) then return end
   errors.raise('%s: argument %d is on device %d and device %d is chosen; copy() and cutorch.withDevice change that',
      name, position, number, placement.current)
end

-- Makes the elements current on the host, before they are read.
function device_buffers.read_on_host(object)
   local record, T = record_of(object)
   if record then download(record, T, object._memory) end
end

-- The same before they may be written.
function device_buffers.on_host(object)
   local record, T = record_of(object)
   if not record then return end
   download(record, T, object._memory)
   record.on_device = false
end

-- The sizes of t as arguments, without a table for up to four of them.
local function sizes_of(t)
   local dim, size = t._dim, t._size
   if dim == 1 then return size[0] end
   if dim == 2 then return size[0], size[1] end
   if dim == 3 then return size[0], size[1], size[2] end
   if dim == 4 then return size[0], size[1], size[2], size[3] end
   local list = {}
   for d = 0, dim - 1 do list[d + 1] = size[d] end
   return unpack(list, 1, dim)
end

-- Calls a host function and, if it returns a message because the device is out of memory, collects garbage and calls it
-- again.
local function with_memory(name, f, ...)
   local first, second, third, fourth = f(...)
   if type(first) == 'string' then
      collector.free_memory()
      host.release_unused()
      first, second, third, fourth = f(...)
      if type(first) == 'string' then errors.raise('%s: %s', name, first) end
   end
   return first, second, third, fourth
end
device_buffers.with_memory = with_memory

-- Allocates a buffer for the `count` elements of an owner's memory. Its first view is t, if that covers them all.
local function allocate(record, T, owner, count, t)
   local layout, number = t._layout, placement.of(owner)
   local is_complete = layout > 0 and t._offset == 0 and t._count == count
   local buffer
   if is_complete then
      buffer = with_memory(T.tensor_name, host.buffer, T.dtype, number, sizes_of(t))
   else
      buffer = with_memory(T.tensor_name, host.buffer, T.dtype, number, count)
   end
   if not buffer then return false end
   record.buffer, record.count, record.views, record.view_count = buffer, count, false, 0
   record.layout, record.on_device = is_complete and layout or 0, false
   return true
end

-- The record of a tensor with a buffer for all its memory; nil for unsupported types and column-major layouts.
local function prepared(t, T)
   if geometry.columns then return nil end
   local owner, header = shared_owner(t, T), t._memory
   local record = records[owner]
   if not record then
      record = { on_host = true, on_device = false }
      if not allocate(record, T, owner, header._size, t) then return nil end
      record.stream = device_buffers.stream
      records[owner] = record
   elseif record.count < header._size then
      download(record, T, header)
      if not allocate(record, T, owner, header._size, t) then return nil end
   end
   if record.stream ~= device_buffers.stream then
      -- PyTorch must not reuse the memory before that stream is done with it.
      host.use_on_stream(record.buffer)
      record.stream = device_buffers.stream
   end
   return record
end

local function key_of(t)
   local layout, offset = t._layout, t._offset
   if layout > 0 and offset == 0 then return layout end
   if layout > 0 then return layout .. ' ' .. offset end
   local parts, dim = { offset }, t._dim
   for d = 0, dim - 1 do parts[d + 2], parts[d + 2 + dim] = t._size[d], t._stride[d] end
   return table.concat(parts, ' ')
end

-- Tells whether no two indices of a tensor refer to the same element, as they do in expanded ones: PyTorch writes to no
-- others.
function device_buffers.no_overlap(t)
   if t._layout > 0 then return true end
   for d = 0, t._dim - 1 do
      if t._stride[d] == 0 and t._size[d] > 1 then return false end
   end
   return true
end

local function new_view(record, t)
   local dim, numbers = t._dim, {}
   for d = 0, dim - 1 do numbers[d + 1], numbers[d + 1 + dim] = t._size[d], t._stride[d] end
   return host.view(record.buffer, t._offset, dim, unpack(numbers, 1, 2 * dim))
end

local function view_of(record, t)
   local layout = t._layout
   if layout > 0 and layout == record.layout and t._offset == 0 then return record.buffer end
   local key = key_of(t)
   local view = record.views and record.views[key]
   if view then return view end
   if not record.views or record.view_count == MAX_VIEWS then record.views, record.view_count = {}, 0 end
   view = new_view(record, t)
   record.views[key], record.view_count = view, record.view_count + 1
   return view
end

-- fallbacks[name] = how many calls of an operation, method or module the CPU computed.
device_buffers.fallbacks = {}

function device_buffers.count_fallback(name)
   local fallbacks = device_buffers.fallbacks
   fallbacks[name] = (fallbacks[name] or 0) + 1
end

-- The tensor of PyTorch on the memory of t, which is not empty; nil if the device does not support the type.
function device_buffers.view(t, T)
   local record = prepared(t, T)
   if not record then return nil end
   local header = t._memory
   if not record.on_device or header._flags ~= 0 then
      host.upload(record.buffer, address_of(header._data), record.count, T.dtype)
      record.on_device = true
   end
   return view_of(record, t)
end

-- The same for a result that is overwritten: nothing is uploaded if t covers all of its memory.
function device_buffers.result(t, T)
   local header = t._memory
   if t._layout == 0 or t._offset ~= 0 or t._count ~= header._size then return device_buffers.view(t, T) end
   local record = prepared(t, T)
   return record and view_of(record, t)
end

-- Makes a new contiguous tensor of PyTorch the buffer of a new tensor of the same sizes, whose own elements are not
-- used yet.
function device_buffers.adopt(t, T, tensor)
   records[shared_owner(t, T)] = {
      buffer = tensor, count = t._memory._size, on_host = false, on_device = true, layout = t._layout,
      views = false, view_count = 0, stream = device_buffers.stream,
   }
end

-- Assigns a new contiguous tensor of PyTorch of the same sizes to t. It becomes the buffer of t if t covers all of its
-- memory.
function device_buffers.assign(t, T, tensor)
   local header, layout = t._memory, t._layout
   if layout > 0 and t._offset == 0 and t._count == header._size and header._flags == 0 then
      device_buffers.adopt(t, T, tensor)
   else
      host.assign(device_buffers.view(t, T), tensor)
      device_buffers.mark_written(t, T)
   end
end

-- Runs an element-wise program of nn on operands of the same size and the numbers v and u; false if the device cannot.
function device_buffers.fused(text, T, z, x, y, w, v, u)
   text = string.gsub(text, 'BIG', T.size == 8 and '1e308' or '3e38')
   local run = programs[text]
   if run == nil then
      run = host.program(text, 'xywvu') or false
      programs[text] = run
   end
   if not run or x ~= nil and not same_size(x, z) or y ~= nil and not same_size(y, z)
      or w ~= nil and not same_size(w, z) then
      return false
   end
   local p, q, r = x ~= nil and device_buffers.view(x, T) or nil, y ~= nil and device_buffers.view(y, T) or nil,
      w ~= nil and device_buffers.view(w, T) or nil
   local result = device_buffers.result(z, T)
   if not result or not with_memory(T.tensor_name, run, result, p, q, r, v, u) then return false end
   device_buffers.mark_written(z, T)
   return true
end

-- Records that the device has written to t.
function device_buffers.mark_written(t, T)
   local record, header = records[shared_owner(t, T)], t._memory
   record.on_device, record.on_host = true, false
   if header._flags ~= 0 then
      download(record, T, header)
      record.on_device = false
   end
end

-- Tells whether the elements of an object are current only on the device.
function device_buffers.is_on_device(object)
   local record = record_of(object)
   return record ~= nil and not record.on_host
end

function device_buffers.element(object, position)
   local record = record_of(object)
   return host.element(record.buffer, position)
end

function device_buffers.set_element(object, position, value)
   local record = record_of(object)
   host.set_element(record.buffer, position, value)
end

return device_buffers
