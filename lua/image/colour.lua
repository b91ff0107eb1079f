-- Colour spaces: image.rgb2hsl, ..., lab2rgb.

local conversions, forms = require 'image.conversions', require 'image.forms'
local errors, buffers, torch = require 'torch.base.errors', require 'torch.memory.buffers', require 'torch'
local image_chunks, parallel_for = require 'image.image_chunks', require 'torch.parallel.parallel_for'
local raise = errors.raise

-- Approximate nanoseconds per pixel, and the number of pixels that chunks are multiples of.
local WORK, UNIT = 15, 1024
local share_pixels = parallel_for.kind('image.image_chunks', 'convert')

local function converter(index, name, real)
   return function(...)
      local r, x = forms.split(1, ...)
      forms.count_planes(name, forms.image(name, x, 3, 3), 3)
      local kind = forms.type_names[x:type()]
      if real and kind == 'byte' then raise('%s: image must be of type Double or Float (got %s)', name, x:type()) end
      r = r and forms.result(name, r, x) or x.new()
      if not rawequal(r, x) then r:resize(x:size()) end
      local target = forms.target(r, x)
      x = x:contiguous()
      local n = x:size(2) * x:size(3)
      local g = image_chunks.work(kind, buffers.start(target), buffers.start(x))
      g.code, g.count, g.scale = index, n, kind == 'byte' and 1 / 255 or 1
      share_pixels(n, UNIT, WORK * n, g)
      buffers.alive(x, target)
      return forms.finish(r, target)
   end
end

-- Weighted sums of the planes, as a matrix product: the rows of a result are planes.
local function weighted(name, weights, rounding)
   local known = {}
   return function(...)
      local r, x = forms.split(1, ...)
      forms.count_planes(name, forms.image(name, x, 3, 3), 3)
      local kind = forms.type_names[x:type()]
      r = r and forms.result(name, r, x) or x.new()
      local source = kind == 'byte' and x:double() or x
      local matrix = known[source:type()]
      if not matrix then
         matrix = source.new(weights)
         known[source:type()] = matrix
      end
      local count, height, width = x:size(2) * x:size(3), x:size(2), x:size(3)
      local planes = source:contiguous():view(3, count)
      local made = torch.mm(matrix, planes):view(#weights, height, width)
      -- Bytes are rounded from floats, as in the original.
      if kind == 'byte' then made = made:float():add(rounding):clamp(0, 255) end
      if r:nElement() == 0 and kind ~= 'byte' then return r:set(made) end
      return r:resize(#weights, height, width):copy(made)
   end
end

return function(image)
   for index, row in ipairs(conversions.rows) do image[row[1]] = converter(index, row[1], row.real) end
   image.rgb2y = weighted('rgb2y', { { 0.299, 0.587, 0.114 } }, 0.5)
   image.rgb2yuv = weighted('rgb2yuv', {
      { 0.299, 0.587, 0.114 }, { -0.14713, -0.28886, 0.436 }, { 0.615, -0.51499, -0.10001 },
   }, 0)
end
