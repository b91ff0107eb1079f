-- Cumulative sums and products, and cross products.

local broadcast, errors = require 'torch.tensor.broadcast', require 'torch.base.errors'
local geometry, kernels = require 'torch.base.geometry', require 'torch.native.kernels'
local buffers, reduce_axis = require 'torch.memory.buffers', require 'torch.kernels.reduce.reduce_axis'
local cross_kernels, scan_kernels, shape = kernels 'linalg/cross', kernels 'reduce/scan', geometry.shape

local cumulative = {}

-- r = t accumulated along a dimension. options: { product = 1 or 0 }.
function cumulative.along(name, T, options)
   return function(r, t, dim)
      if t._dim == 0 then errors.argument(name, 1, 'must have at least one dimension (got an empty tensor)') end
      local d = reduce_axis.dimension_of(name, t, dim)
      local work, given = reduce_axis.begin(T, r, t, t)
      local x, outer, outer_step, n, x_n, inner, x_i = reduce_axis.three_loops(T, t, d)
      -- Results of three and more dimensions are contiguous; the stride of a dimension of size 1 means nothing.
      local r_n, r_i = work._stride[d], t._dim == 2 and work._stride[1 - d] or 1
      scan_kernels.t7_scan(T.index, options.product, work._memory._data + work._offset, n * inner, r_n, r_i,
         x._memory._data + x._offset, outer_step, x_n, x_i, outer, n, inner)
      buffers.keep_alive(x, work)
      return T.result(given, work)
   end
end

-- r = a x b along a dimension of size 3: the first one, when none that could be a dimension is given.
function cumulative.cross(name, T)
   return function(r, a, b, dim)
      if not geometry.same_size(a, b) then
         errors.raise('%s: inconsistent tensor sizes: [%s] and [%s]%s', name, shape(a), shape(b),
            broadcast.hint(nil, a, b))
      end
      local d
      if dim and dim > 0 then
         d = reduce_axis.dimension_of(name, a, dim)
         if a._size[d] ~= 3 then
            errors.raise('%s: dimension %.0f must have size 3 (got [%s])', name, dim, shape(a))
         end
      else
         for k = a._dim - 1, 0, -1 do
            if a._size[k] == 3 then d = k end
         end
         if not d then errors.raise('%s: no dimension of size 3 in [%s]', name, shape(a)) end
      end
      local work, given = reduce_axis.begin(T, r, a, a)
      if r and not given and T.shares(work, b) then work, given = T.new_like(a), r end
      local x, outer, x_outer, _, x_n, inner, x_inner = reduce_axis.three_loops(T, a, d)
      local y, _, y_outer, _, y_n, _, y_inner = reduce_axis.three_loops(T, b, d)
      local z, _, z_outer, _, z_n, _, z_inner = reduce_axis.three_loops(T, work, d)
      cross_kernels.t7_cross(T.index, z._memory._data + z._offset, z_outer, z_n, z_inner,
         x._memory._data + x._offset, x_outer, x_n, x_inner, y._memory._data + y._offset, y_outer, y_n, y_inner, outer,
         inner)
      buffers.keep_alive(x, y, z)
      return T.result(given, work)
   end
end

return cumulative
