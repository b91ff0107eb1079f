-- Batch normalization of features, and of images with small planes, for one element type: by programs over rows. Sums
-- are taken over the columns of images as rows, and then over the columns of a plane.

local sqrt = math.sqrt
local ffi = require 'ffi'
local batch_chunks, kernels = require 'nn.kernels.batch_chunks', require 'torch.native.kernels' 'reduce/reduce'
local element, types = require 'torch.base.element', require 'torch.base.types'
local Double = types.by_name.Double
local cast, get_double = ffi.cast, element.getter(Double)

return function(k)

local p_t, get, SIZE = k.pointer_ct, k.getter(), k.SIZE

local sums_of = k.row_totals 'z = positive(x)'
local squares_of = k.row_totals 'a = x - y; z = a * a'
local products_of = k.row_totals 'z = (x - y) * w'

-- Programs over images as rows, whose columns are planes of one element, or over planes as rows with numbers, image by
-- image.
local normalized = { k.row_map 'z = (x - y) * w + r',
   k.row_map 'z = (x - v) * u + t' }
local added = { k.row_map 'z = x * w + y', k.row_map 'z = x * v + y' }

-- z = (x - y) w + v with numbers y, w and v for each plane.
local function normalize(g, x, y, w, v, z)
   local images, planes, area = g.images, g.planes, g.area
   if area == 1 then return normalized[1](images, planes, x, planes, y, 0, w, 0, v, 0, z, planes) end
   for i = 0, images - 1 do
      local at = i * planes * area
      normalized[2](planes, area, x + at, area, y, 1, w, 1, v, 1, z + at, area)
   end
end

-- z = z + x y with numbers y for each plane.
local function add(g, x, y, z)
   local images, planes, area = g.images, g.planes, g.area
   if area == 1 then return added[1](images, planes, x, planes, z, planes, y, 0, z, planes) end
   for i = 0, images - 1 do
      local at = i * planes * area
      added[2](planes, area, x + at, area, z + at, area, y, 1, z + at, area)
   end
end

local rows, doubles, room = nil, nil, 0

-- Four rows of n elements and two of n doubles.
local function scratch(n)
   if n > room then rows, doubles, room = k.buffer(4 * n), ffi.new('double[?]', 2 * n), n end
   return rows + 0, rows + n, rows + 2 * n, rows + 3 * n, doubles + 0, doubles + n
end

-- Replaces sums of columns by those of planes, each of `area` columns.
local function folded(v, planes, area)
   if area == 1 then return end
   kernels.t7_reduce_along(Double.index, kernels.T7_SUM, 0, v, v, 1, 0, area, 1, planes, area)
end

-- A row in which the number of each plane is repeated for its columns.
local function widened(row, v, planes, area)
   if area == 1 then return v end
   for i = 0, planes - 1 do
      local value = get(v, i)
      for j = i * area, i * area + area - 1 do row[j] = value end
   end
   return row
end

local batch_rows = {}

function batch_rows.forward(g)
   local images, planes, area, train = g.images, g.planes, g.area, g.train == 1
   local n, total = planes * area, images * area
   local x, weight, bias = cast(p_t, g.x), cast(p_t, g.weight), cast(p_t, g.bias)
   local running_mean, running_var = cast(p_t, g.running_mean), cast(p_t, g.running_var)
   local mean, scale, shift, wide, sums, squares = scratch(n)
   local keep = batch_chunks.kernels(g.type).keep
   if train then
      sums_of(images, n, x, n, sums)
      folded(sums, planes, area)
      for i = 0, planes - 1 do mean[i] = get_double(sums, i) / total end
      squares_of(images, n, x, n, widened(wide, mean, planes, area), 0, squares)
      folded(squares, planes, area)
   else
      k.copy(mean, running_mean, planes * SIZE)
   end
   for i = 0, planes - 1 do
      local inverse
      if train then
         inverse = keep(g, i, get_double(sums, i) / total, get_double(squares, i), total)
      else
         inverse = 1 / sqrt(get(running_var, i) + g.eps)
      end
      scale[i] = weight ~= nil and inverse * get(weight, i) or inverse
      shift[i] = weight ~= nil and get(bias, i) or 0
   end
   normalize(g, x, mean, scale, shift, cast(p_t, g.y))
end

function batch_rows.backward(g)
   local images, planes, area, train = g.images, g.planes, g.area, g.train == 1
   local n, total = planes * area, images * area
   local x, go, r, weight = cast(p_t, g.x), cast(p_t, g.y), cast(p_t, g.r), cast(p_t, g.weight)
   local gw, gb, inverses = cast(p_t, g.grad_weight), cast(p_t, g.grad_bias), cast(p_t, g.save_std)
   local running_var = cast(p_t, g.running_var)
   local factor, slope, shift, wide, sums, products = scratch(n)
   local mean = cast(p_t, train and g.save_mean or g.running_mean)
   sums_of(images, n, go, n, sums)
   folded(sums, planes, area)
   products_of(images, n, x, n, widened(wide, mean, planes, area), 0, go, n, products)
   folded(products, planes, area)
   for i = 0, planes - 1 do
      local inverse = train and get(inverses, i) or 1 / sqrt(get(running_var, i) + g.eps)
      local s, d = get_double(sums, i), get_double(products, i)
      if gw ~= nil then gw[i] = get(gw, i) + g.scale * inverse * d end
      if gb ~= nil then gb[i] = get(gb, i) + g.scale * s end
      local f = weight ~= nil and inverse * get(weight, i) or inverse
      factor[i], slope[i], shift[i] = f, -f * inverse * inverse * d / total, -f * s / total
   end
   if r == nil then return end
   if train then
      normalize(g, x, mean, slope, shift, r)
   else
      k.fill(r, images * n * SIZE)
   end
   add(g, go, factor, r)
end

return batch_rows

end
