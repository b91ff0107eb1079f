-- Products of the matrices of batches, which may be vectors or single numbers on either side. Specialised per type.

return function(T)

local require = require
local memory, types = require 'torch.memory.blocks', require 'torch.core.types'
require 'torch.linalg.products'
local blas = types.blas(T)
local select_view, swapped = T.select_view, T.swapped
local alive = memory.alive

local batches = {}

-- z[i] = x[i] y[i] for the rows of two matrices.
local function dots(z, x, y)
   local data, step, dot = z._memory._data + z._offset, z._stride[0], blas.dot
   local x_row, y_row = select_view(x, 0, 0), select_view(y, 0, 0)
   for i = 0, z._size[0] - 1 do
      data[i * step] = dot(x_row, y_row)
      x_row._offset, y_row._offset = x_row._offset + x._stride[0], y_row._offset + y._stride[0]
   end
   alive(x, y, z)
end

-- z = x y for a matrix and vectors.
local function vector(z, x, y) blas.gemv(select_view(z, 0, 0), 0, 1, select_view(x, 0, 0), select_view(y, 0, 0)) end

-- c = a b for three-dimensional tensors; c shares no memory with a and b.
function batches.multiply(c, a, b)
   local count, rows, columns = a._size[0], a._size[1], b._size[2]
   if T.integer or count > 1 and (rows > 1 or columns > 1) or rows > 1 and columns > 1 then
      blas.batch(c, 0, 1, a, b)
   elseif rows == 1 and columns == 1 then
      dots(select_view(select_view(c, 2, 0), 1, 0), select_view(a, 1, 0), select_view(b, 2, 0))
   elseif columns == 1 then
      vector(select_view(c, 2, 0), a, select_view(b, 2, 0))
   else
      vector(select_view(c, 1, 0), swapped(b, 1, 2), select_view(a, 1, 0))
   end
end

return batches

end
