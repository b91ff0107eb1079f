-- Filters: image.convolve, lcn, gaussianpyramid, erode and dilate.

local forms = require 'image.forms'
local errors, torch = require 'torch.errors', require 'torch'
local ceil, floor, max = math.ceil, math.floor, math.max
local ipairs, raise, type = ipairs, errors.raise, type

local modes = { 'valid', 'full', 'same' }

local function check_kernel(name, x, kernel)
   if not torch.isTensor(kernel) or kernel:dim() < 2 or kernel:dim() > 3 then
      raise('%s: kernel of 2 or 3 dimensions expected (got %s)', name, forms.describe(kernel))
   end
   if kernel:type() ~= x:type() then
      raise('%s: kernel of the type of the image, %s, expected (got %s)', name, x:type(), kernel:type())
   end
end

-- convolve([r,] x, kernel [, mode]): each plane with the kernel, or with the kernel of the same number.
local function convolve(...)
   local r, x, kernel, mode = forms.split(2, ...)
   forms.image('convolve', x)
   check_kernel('convolve', x, kernel)
   mode = forms.word('convolve', 'mode', mode, 'valid', modes)
   if x:dim() == 3 and kernel:dim() == 2 then
      kernel = kernel:contiguous():view(1, kernel:size(1), kernel:size(2)):expand(x:size(1), kernel:size(1), kernel:size(2))
   end
   local y = torch.conv2(x, kernel, mode == 'valid' and 'V' or 'F')
   if mode == 'same' then
      local d = y:dim()
      y = y:narrow(d - 1, ceil(kernel:size(kernel:dim() - 1) / 2), x:size(x:dim() - 1))
         :narrow(d, ceil(kernel:size(kernel:dim()) / 2), x:size(x:dim())):clone()
   end
   if not r then return y end
   forms.result('convolve', r, x)
   return r:resize(y:size()):copy(y)
end

-- Each pixel less the mean around it, divided by the deviation around it where that is above 1. The margins that the
-- kernel does not fit in are cut off.
local function lcn(image, x, kernel)
   forms.image('lcn', x)
   if x:dim() == 3 then
      if x:size(1) ~= 1 then raise('lcn: image of one plane expected (got %s)', forms.describe(x)) end
      x = x[1]
   end
   kernel = kernel or image.gaussian { size = 9, sigma = 1.591 / 9, normalize = true }
   if not torch.isTensor(kernel) or kernel:dim() ~= 2 then
      raise('lcn: kernel of 2 dimensions expected (got %s)', forms.describe(kernel))
   end
   local y = x:double():clone()
   local weights = kernel:double()
   y:add(-y:mean()):div(y:std())
   local mean = torch.conv2(y, weights)
   local deviation = torch.conv2(torch.cmul(y, y), weights):add(-1, torch.cmul(mean, mean)):cmax(0):sqrt():cmax(1)
   local rows, columns = floor(weights:size(1) / 2) + 1, floor(weights:size(2) / 2) + 1
   local inner = y:narrow(1, rows, mean:size(1)):narrow(2, columns, mean:size(2))
   return x.new(mean:size()):copy(inner:clone():add(-1, mean):cdiv(deviation))
end

-- gaussianpyramid([r,] x, scales): the image blurred and scaled by each factor.
local function gaussianpyramid(image, ...)
   local r, x, scales = ...
   if not (type(r) == 'table' and torch.isTensor(x)) then r, x, scales = {}, ... end
   forms.image('gaussianpyramid', x)
   if type(scales) ~= 'table' then raise('gaussianpyramid: list of scales expected (got %s)', forms.describe(scales)) end
   local dim = x:dim()
   local height, width = x:size(dim - 1), x:size(dim)
   for i, factor in ipairs(scales) do
      factor = forms.number('gaussianpyramid', 'a scale', factor)
      if not (factor > 0) then raise('gaussianpyramid: scales above 0 expected (got %s)', tostring(factor)) end
      if factor == 1 then
         r[i] = x:clone()
      else
         local h, w = max(1, floor(height * factor)), max(1, floor(width * factor))
         local blurred = x
         if factor < 1 then
            local size = ceil(2 / factor)
            local kernel = image.gaussian { size = size, sigma = 0.5, normalize = true, tensor = x.new(size, size) }
            blurred = convolve(x, kernel, 'same')
         end
         r[i] = image.scale(blurred, w, h, 'bilinear')
      end
   end
   for i = #scales + 1, #r do r[i] = nil end
   return r
end

-- Sums of a binary image under the kernel at each pixel; beyond the edge it has the value `pad`.
local function sums_under(name, x, kernel, pad)
   forms.image(name, x, 2, 2)
   kernel = kernel or torch.ones(3, 3)
   if not torch.isTensor(kernel) or kernel:dim() ~= 2 or kernel:size(1) % 2 == 0 or kernel:size(2) % 2 == 0 then
      raise('%s: kernel of 2 dimensions, both odd, expected (got %s)', name, forms.describe(kernel))
   end
   kernel = kernel:double()
   local above, before = (kernel:size(1) - 1) / 2, (kernel:size(2) - 1) / 2
   local wide = torch.DoubleTensor(x:size(1) + 2 * above, x:size(2) + 2 * before):fill(pad)
   wide:narrow(1, above + 1, x:size(1)):narrow(2, before + 1, x:size(2)):copy(x)
   return torch.conv2(wide, kernel), kernel
end

return function(image)
   image.convolve = convolve
   function image.lcn(x, kernel) return lcn(image, x, kernel) end
   function image.gaussianpyramid(...) return gaussianpyramid(image, ...) end

   -- erode(x [, kernel [, pad]]): 1 where all pixels under the kernel are 1.
   function image.erode(x, kernel, pad)
      local sums, weights = sums_under('erode', x, kernel, forms.number('erode', 'pad', pad, 1))
      return x.new(x:size()):copy(sums:eq(weights:sum()))
   end

   -- dilate(x [, kernel [, pad]]): 1 where a pixel under the kernel is 1.
   function image.dilate(x, kernel, pad)
      local sums = sums_under('dilate', x, kernel, forms.number('dilate', 'pad', pad, 0))
      return x.new(x:size()):copy(sums:gt(0))
   end
end
