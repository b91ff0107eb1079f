-- Concatenation.

local device_buffers, of_tensor = require 'torch.memory.device_buffers', require('torch.base.types').of_tensor
local parts = require 'cutorch.operations.parts'
local no_overlap, result_view, view = device_buffers.no_overlap, device_buffers.result, device_buffers.view
local mark_written = device_buffers.mark_written
local fallback = parts.fallback
local concatenate = parts.operation 'cat'

return function(operations)

-- r = the parts, concatenated along dimension d, by default the last.
local function join(c, r, list, d)
   local T, first = c.T, list[1]
   if of_tensor(first) ~= T or first._dim == 0 then return fallback end
   local dim = first._dim
   d = d or dim
   if d % 1 ~= 0 or d < 1 or d > dim then return fallback end
   local sizes, views = {}, {}
   for k = 1, dim do sizes[k] = k == d and 0 or first._size[k - 1] end
   for i = 1, #list do
      local t = list[i]
      if of_tensor(t) ~= T or t._dim ~= dim or r ~= nil and r._memory == t._memory then return fallback end
      for k = 1, dim do
         if k ~= d and t._size[k - 1] ~= sizes[k] then return fallback end
      end
      sizes[d], views[i] = sizes[d] + t._size[d - 1], view(t, T)
      if not views[i] then return fallback end
   end
   r = r or T.new_tensor()
   T.resize_to(r, sizes)
   local z = no_overlap(r) and result_view(r, T)
   if not z or not concatenate(z, d - 1, unpack(views)) then return fallback end
   mark_written(r, T)
   return r
end

operations['join.cat_two'] = function(c) return function(r, a, b, d) return join(c, r, { a, b }, d) end end

-- Most parts that fit on the stack as arguments.
local MAX_PARTS = 200

operations['join.cat_list'] = function(c)
   return function(r, list, d)
      if #list == 0 or #list > MAX_PARTS then return fallback end
      return join(c, r, list, d)
   end
end

end
