-- Products of integer matrices and vectors, by loops; and of others where BLAS cannot be had. Specialised per type.
-- Sums have 64 bits, of which the low bits are stored, as sums in C wrap.

return function(T)

local abs = math.abs
local ffi = require 'ffi'
local element, elementwise = require 'torch.base.element', require 'torch.kernels.elementwise'
local geometry, buffers = require 'torch.base.geometry', require 'torch.memory.buffers'
local types = require 'torch.base.types'
local lazy_table, template = require 'torch.jit.lazy_table', require 'torch.jit.template'
local count_of = geometry.count
local alive = buffers.alive
local Double = types.by_name.Double

local integer_products = {}

local int64 = ffi.typeof 'int64_t'
-- The type of sums: products of small integers are exact in doubles, which need no memory on the way.
local wide = (T.name == 'Int' or T.name == 'Long') and int64 or tonumber
local last = T.integer and int64 or tonumber
local function reader(convert)
   if not T.integer then return element.getter(T) end
   return function(data, i) return convert(data[i]) end
end

local source = [[
-- Four sums, none of which waits for another.
local function long_dot(x, y, count)
   local a, b, c, d = zero, zero, zero, zero
   for i = 0, count - 4, 4 do
      a, b = a + last(x, i) * last(y, i), b + last(x, i + 1) * last(y, i + 1)
      c, d = c + last(x, i + 2) * last(y, i + 2), d + last(x, i + 3) * last(y, i + 3)
   end
   for i = count - count % 4, count - 1 do a = a + last(x, i) * last(y, i) end
   return a + b + c + d
end
local function dot(x, x_step, y, y_step, count)
   if $is_exact and count >= 64 and x_step == 1 and y_step == 1 then return long_dot(x, y, count) end
   local sum = none
   for i = 0, count - 1 do sum = sum + wide(x, i * x_step) * wide(y, i * y_step) end
   return sum
end
-- z = keep z + with x y, where the columns of y are `y_next` apart.
local function multiply(z, z_row, z_step, rows, columns, inner, x, x_row, x_step, y, y_next, y_step, keep, with)
   for i = 0, rows - 1 do
      for j = 0, columns - 1 do
         local sum = with * convert(dot(x + i * x_row, x_step, y + j * y_next, y_step, inner))
         local at = i * z_row + j * z_step
         if keep ~= 0 then sum = sum + keep * last(z, at) end
         z[at] = sum
      end
   end
end
-- z = keep z + with x for runs.
local function blend(z, z_step, x, count, keep, with)
   for i = 0, count - 1 do z[i * z_step] = keep * last(z, i * z_step) + with * last(x, i) end
end
return dot, multiply, blend]]

local run_dot, multiply, blend = template.compile('product', source, { is_exact = tostring(T.integer) },
   { wide = reader(wide), last = reader(last), convert = last,
      none = wide == int64 and int64(0) or 0, zero = T.integer and int64(0) or 0 })

local wrapped = ffi.new(T.c .. '[1]')

-- The sum of the products of the elements of two tensors. It wraps as the elements do, whatever the layouts: the
-- original's loops wrapped along each contiguous run, and not from one run to the next.
function integer_products.dot(x, y)
   if x._dim ~= 1 then x = T.contiguous(x) end
   if y._dim ~= 1 then y = T.contiguous(y) end
   local x_step, y_step = x._dim == 1 and x._stride[0] or 1, y._dim == 1 and y._stride[0] or 1
   wrapped[0] = run_dot(x._memory._data + x._offset, x_step, y._memory._data + y._offset, y_step, count_of(x))
   alive(x, y)
   return (tonumber(wrapped[0]))
end

local function largest(t)
   local data, most = t._memory._data + t._offset, 0
   for i = 0, count_of(t) - 1 do
      local value = abs(tonumber(data[i]))
      if value > most then most = value end
   end
   return most
end

-- The product of two integer matrices in doubles, where all sums are exact and BLAS is worth the conversion; else nil.
local function exact_product(a, b)
   local rows, inner, columns = a._size[0], a._size[1], b._size[1]
   if not T.integer or rows < 16 or columns < 16 or inner < 16 then return nil end
   a, b = T.contiguous(a), T.contiguous(b)
   if largest(a) * largest(b) * inner > 2 ^ 53 then return nil end
   local x, y = Double.new_like(a), Double.new_like(b)
   local p = Double.new_contiguous { rows, columns }
   Double.copy_from(x, T, a)
   Double.copy_from(y, T, b)
   types.blas(Double).gemm(p, 0, 1, x, y)
   return p
end

local scale = ffi.new(T.c .. '[2]')

-- c = beta c + alpha a b.
function integer_products.gemm(c, beta, alpha, a, b)
   if T.shares(a, c) then a = T.clone(a) end
   if T.shares(b, c) then b = T.clone(b) end
   scale[0], scale[1] = alpha, beta
   local with, keep = last(scale[0]), last(scale[1])
   local rows, columns = a._size[0], b._size[1]
   local row, step = c._stride[0], c._stride[1]
   local product = exact_product(a, b)
   if product then
      local x, z = product._memory._data, c._memory._data + c._offset
      for i = 0, rows - 1 do blend(z + i * row, step, x + i * columns, columns, keep, with) end
   else
      -- Columns are read repeatedly, so they should be contiguous.
      if b._stride[0] ~= 1 and rows > 8 then b = T.swapped(T.clone(T.swapped(b, 0, 1)), 0, 1) end
      multiply(c._memory._data + c._offset, row, step, rows, columns, a._size[1], a._memory._data + a._offset,
         a._stride[0], a._stride[1], b._memory._data + b._offset, b._stride[1], b._stride[0], keep, with)
   end
   alive(a, b, c, product)
end

-- A vector as a matrix whose rows, or columns, are all the same.
local function expanded(t, rows, columns, row_stride, column_stride)
   local v = T.alias(t)
   v._dim, v._size[0], v._size[1], v._stride[0], v._stride[1] = 2, rows, columns, row_stride, column_stride
   return v
end

-- The steps of an outer product, made when they are first used.
local steps = lazy_table(function(step)
   if step == 'scale' then return elementwise.map('ger', T, { 'z = multiply x v' }, '[r] t v') end
   if step == 'outer' then return elementwise.map('ger', T, { 'z = multiply x y' }, '[r] t t') end
   return elementwise.map('ger', T, { 'a = multiply x v; z = add a y' }, '[r] t v t')
end)

-- c = beta c + alpha x y'.
function integer_products.ger(c, beta, alpha, x, y)
   if alpha ~= 1 then x = steps.scale(nil, x, alpha) end
   local rows, columns = x._size[0], y._size[0]
   x, y = expanded(x, rows, columns, x._stride[0], 0), expanded(y, rows, columns, 0, y._stride[0])
   local product = steps.outer(beta == 0 and c or nil, x, y)
   if beta ~= 0 then steps.add(c, c, beta, product) end
end

return integer_products

end
