-- Building blocks of device kernels.

local device_buffers, geometry = require 'torch.memory.device_buffers', require 'torch.base.geometry'
local host = require('torch.native.host').of 'cutorch'
local with_memory = device_buffers.with_memory

local parts = {}

-- The result of a kernel that leaves a call to the CPU.
parts.fallback = {}

local found = {}

-- An operation of the table in t7shell/packages/cutorch/operations.py; nil if there is none.
function parts.operation(name)
   if found[name] == nil then
      local f = host.operation(name)
      -- As programs call it.
      local label = string.gsub(string.gsub(string.gsub(name, '^product_', ''), '^added_', 'add'), '_all$', '')
      found[name] = f and function(...) return with_memory(label, f, ...) end or false
   end
   return found[name] or nil
end

-- Whether a result and an operand share memory, other than the same elements in the same order.
function parts.aliases(r, t)
   return type(t) == 'cdata' and not rawequal(r, t) and r._memory == t._memory and not geometry.same_view(r, t)
end

-- Whether a number is one of an integer type.
function parts.fits(T, value)
   return not T.integer or value % 1 == 0 and value >= -2 ^ 53 and value <= 2 ^ 53
end

-- A new tensor with the elements and sizes of a contiguous tensor of PyTorch, which becomes its buffer.
function parts.wrap(T, tensor)
   local t = T.new_contiguous{ host.sizes(tensor) }
   device_buffers.adopt(t, T, tensor)
   return t
end

return parts
