-- Filters: image.convolve, lcn, gaussianpyramid, erode and dilate.

local arguments = require 'image.arguments'
local check = require 'torch.base.check'
local errors, torch = require 'torch.base.errors', require 'torch'
local ipairs, raise, tostring, type, unpack = ipairs, errors.raise, tostring, type, unpack

local modes = { 'valid', 'full', 'same' }
-- Types whose elements can be fractions.
local REAL = { ['torch.DoubleTensor'] = true, ['torch.FloatTensor'] = true }

local function check_kernel(name, x, kernel)
   if not torch.isTensor(kernel) or kernel:dim() < 2 or kernel:dim() > 3 then
      raise('%s: kernel must have 2 or 3 dimensions (got %s)', name, arguments.describe(kernel))
   end
   if kernel:type() ~= x:type() then
      raise('%s: kernel must be of the type of the image, %s (got %s)', name, x:type(), kernel:type())
   end
end

-- x with rows and columns of zeros around each plane.
local function padded(x, top, left, bottom, right)
   local _, height, width = arguments.sizes(x)
   local wide = arguments.new_like(x, height + top + bottom, width + left + right)
   wide:zero():narrow(x:dim() - 1, top + 1, height):narrow(x:dim(), left + 1, width):copy(x)
   return wide
end

-- A column and a row whose product is the kernel, nil if there are none.
local function factors(kernel)
   local flat = kernel:contiguous():view(-1)
   local _, index = torch.abs(flat:double()):max(1)
   local at = index[1] - 1
   local i, j = math.floor(at / kernel:size(2)) + 1, at % kernel:size(2) + 1
   local pivot = kernel[i][j]
   if pivot == 0 or pivot ~= pivot then return end
   local column, row = kernel:narrow(2, j, 1):clone(), kernel:narrow(1, i, 1):clone():div(pivot)
   local rest = torch.add(torch.mm(column, row), -1, kernel):abs():max()
   local precision = kernel:type() == 'torch.FloatTensor' and 2 ^ -23 or 2 ^ -52
   if rest <= 2 * precision * math.abs(pivot) then return column, row end
end

local function each_plane(x, kernel)
   if x:dim() == 2 then return torch.conv2(x, kernel) end
   local height, width = kernel:size(1), kernel:size(2)
   return torch.conv2(x, kernel:contiguous():view(1, height, width):expand(x:size(1), height, width))
end

-- Fewest elements of a kernel for which a test of separability pays off.
local SEPARABLE = 16
-- convolve([r,] x, kernel [, mode]): each plane with the kernel, or with the kernel of the same number. Of mode `same`,
-- a result that is given is the full one, whose part is returned, as in the original.
local function convolve(...)
   local r, x, kernel, mode = arguments.split(2, ...)
   arguments.tensor('convolve', x, 2, 3)
   check_kernel('convolve', x, kernel)
   mode = arguments.one_of('convolve', 'mode', mode, 'valid', modes)
   local d = kernel:dim()
   local height, width = kernel:size(d - 1), kernel:size(d)
   local margins = { 0, 0, 0, 0 }
   local below, right = math.ceil(height / 2) - 1, math.ceil(width / 2) - 1
   if mode == 'full' or (mode == 'same' and r) then
      margins = { height - 1, width - 1, height - 1, width - 1 }
   elseif mode == 'same' then
      margins = { height - 1 - below, width - 1 - right, below, right }
   end
   local source = mode == 'valid' and x or padded(x, unpack(margins))
   local _, rows, columns = arguments.sizes(source)
   local column, row
   if d == 2 and height * width >= SEPARABLE and height <= rows and width <= columns and REAL[kernel:type()] then
      column, row = factors(kernel)
   end
   local y
   if column then
      y = each_plane(each_plane(source, column), row)
   else
      y = d == 3 and torch.conv2(source, kernel) or each_plane(source, kernel)
   end
   if not r then return y end
   arguments.result('convolve', r, x)
   local source_rows, source_columns = x:size(x:dim() - 1), x:size(x:dim())
   r:resize(y:size()):copy(y)
   if mode ~= 'same' then return r end
   return r:narrow(r:dim() - 1, below + 1, source_rows):narrow(r:dim(), right + 1, source_columns)
end

-- Each pixel minus the mean around it, divided by the deviation around it if that is above 1. Margins that the kernel
-- does not fit in are cropped. The result has doubles, as the original's.
local function lcn(image, x, kernel)
   arguments.tensor('lcn', x, 2, 3)
   x = arguments.matrix('lcn', x)
   kernel = kernel or image.gaussian { size = 9, sigma = 1.591 / 9, normalize = true }
   if not torch.isTensor(kernel) or kernel:dim() ~= 2 then
      raise('lcn: kernel must have 2 dimensions (got %s)', arguments.describe(kernel))
   end
   local y = x:double():clone()
   local weights = kernel:double()
   y:add(-y:mean()):div(y:std())
   local mean = torch.conv2(y, weights)
   local deviation = torch.conv2(torch.cmul(y, y), weights):add(-1, torch.cmul(mean, mean)):cmax(0):sqrt():cmax(1)
   local rows, columns = math.floor(weights:size(1) / 2) + 1, math.floor(weights:size(2) / 2) + 1
   local inner = y:narrow(1, rows, mean:size(1)):narrow(2, columns, mean:size(2))
   return inner:clone():add(-1, mean):cdiv(deviation)
end

-- y as a level of a pyramid, in the tensor r if that is one of its type.
local function level(r, y)
   return torch.isTensor(r) and r:type() == y:type() and r:resize(y:size()):copy(y) or y
end

-- gaussianpyramid([r,] x, scales): images of the sizes of x times the factors; the first is of x, each of the others of
-- the one before it, blurred.
local function gaussianpyramid(image, ...)
   local r, x, scales = ...
   if not (type(r) == 'table' and torch.isTensor(x)) then
      x, scales = ...
      r = {}
   end
   arguments.image('gaussianpyramid', x)
   check.kind('gaussianpyramid', 'scales', scales, 'table')
   local _, height, width = arguments.sizes(x)
   local kernel = x.new(3, 3):copy(image.gaussian { size = 3, normalize = true })
   local blurred = x
   for i, factor in ipairs(scales) do
      factor = arguments.number('gaussianpyramid', 'a scale', factor)
      local w, h = math.floor(width * factor), math.floor(height * factor)
      if not (w >= 1 and h >= 1) then
         raise('gaussianpyramid: scales must leave a pixel (got %s of %s)', tostring(factor), arguments.shape(x))
      end
      local unscaled = factor == 1 and blurred:isSameSizeAs(x)
      r[i] = level(r[i], unscaled and blurred:clone() or image.scale(blurred, w, h, 'simple'))
      if i < #scales then blurred = convolve(r[i], kernel, 'same') end
   end
   return r
end

-- Sums of a binary image under the kernel at each pixel by `correlate`, and the sum of the kernel; beyond the edge the
-- image has the value `pad`. They are of the image's type: those of bytes wrap around. A kernel of even sizes is moved
-- by half a pixel to the right and downwards.
local function sums_under(name, correlate, x, kernel, pad)
   arguments.tensor(name, x, 2, 2)
   kernel = kernel or torch.ones(3, 3):typeAs(x)
   if not torch.isTensor(kernel) or kernel:dim() ~= 2 then
      raise('%s: kernel must have 2 dimensions (got %s)', name, arguments.describe(kernel))
   end
   if kernel:type() ~= x:type() then x, kernel = x:double(), kernel:double() end
   local height, width = kernel:size(1) - 1, kernel:size(2) - 1
   local wide = x.new(x:size(1) + height, x:size(2) + width):fill(pad)
   local above, before = math.floor(height / 2), math.floor(width / 2)
   wide:narrow(1, above + 1, x:size(1)):narrow(2, before + 1, x:size(2)):copy(x)
   return correlate(wide, kernel), kernel:sum()
end

return function(image)
   image.convolve = convolve
   function image.lcn(x, kernel) return lcn(image, x, kernel) end
   function image.gaussianpyramid(...) return gaussianpyramid(image, ...) end

   -- erode(x [, kernel [, pad]]): 1 where all pixels under the kernel, rotated by 180 degrees, are 1.
   function image.erode(x, kernel, pad)
      local sums, all = sums_under('erode', torch.conv2, x, kernel, arguments.number('erode', 'pad', pad, 1))
      return x.new():resize(x:size()):copy(sums:eq(all))
   end

   -- dilate(x [, kernel [, pad]]): 1 where a pixel under the kernel is 1.
   function image.dilate(x, kernel, pad)
      local sums = sums_under('dilate', torch.xcorr2, x, kernel, arguments.number('dilate', 'pad', pad, 0))
      return x.new():resize(x:size()):copy(sums:gt(0))
   end
end
