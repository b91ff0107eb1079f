-- Copies between layouts that are not contiguous.

local element, plan = require 'torch.element', require 'torch.plan'
local same_size = require('torch.geometry').same_size
local copy_matrix = element.copy_matrix

local strided = {}

local shared_plan = plan.new(2)

-- Copies the elements of `source` (type S) into `t` (type T), as many and at least one, in row-major order.
function strided.copy(T, t, S, source)
   if t._dim == 2 and same_size(t, source) then
      local size, stride, from_stride = t._size, t._stride, source._stride
      return copy_matrix(T, t._memory._data + t._offset, stride[1], stride[0], S, source._memory._data + source._offset,
         from_stride[1], from_stride[0], size[1], size[0])
   end
   local p = shared_plan
   if not plan.prepare(p, 2, t, source) then
      source = S.clone(source)
      plan.prepare(p, 2, t, source)
   end
   local to, from = t._memory._data + t._offset, source._memory._data + source._offset
   local copy = element.copy
   local to_step, from_step, count = p.step[1][0], p.step[2][0], p.size[0]
   if p.dim == 1 then
      copy(T, to, to_step, S, from, from_step, count)
      return
   end
   if p.dim == 2 and (to_step ~= 1 or from_step ~= 1) then
      local to_row, from_row, rows = p.step[1][1], p.step[2][1], p.size[1]
      copy_matrix(T, to, to_step, to_row, S, from, from_step, from_row, count, rows)
      return
   end
   plan.start(p)
   repeat
      copy(T, to + p.offset[1], to_step, S, from + p.offset[2], from_step, count)
   until not plan.next(p, 2)
end

return strided
