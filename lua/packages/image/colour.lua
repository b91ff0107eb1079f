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

-- Weighted sums of planes: a row of pairs of a weight and a plane for each plane of the result, which begins as the
-- plane `from` of the input, or as 0. Sums are of the element type: those of bytes take whole weights, and wrap around.
local function weighted(name, rows, from)
   return function(...)
      local r, x = forms.split(1, ...)
      forms.count_planes(name, forms.image(name, x, 3, 3), 3)
      r = r and forms.result(name, r, x) or x.new()
      if not rawequal(r, x) then r:resize(x:size()) end
      local target = forms.target(r, x)
      for i, row in ipairs(rows) do
         local plane = target[i]
         if from then plane:copy(x[from]) else plane:zero() end
         for k = 1, #row, 2 do plane:add(row[k], x[row[k + 1]]) end
      end
      return forms.finish(r, target)
   end
end

-- Brightness, in double precision; bytes are rounded.
local function rgb2y(...)
   local r, x = forms.split(1, ...)
   forms.count_planes('rgb2y', forms.image('rgb2y', x, 3, 3), 3)
   r = r and forms.result('rgb2y', r, x) or x.new()
   local source = x:double()
   local y = torch.mul(source[1], 0.299):add(0.587, source[2]):add(0.114, source[3])
   if forms.type_names[x:type()] == 'byte' then y = y:float():add(0.5):clamp(0, 255) end
   return r:resize(1, x:size(2), x:size(3)):copy(y)
end

return function(image)
   for index, row in ipairs(conversions.rows) do image[row[1]] = converter(index, row[1], row.real) end
   image.rgb2y = rgb2y
   image.rgb2yuv = weighted('rgb2yuv', {
      { 0.299, 1, 0.587, 2, 0.114, 3 }, { -0.14713, 1, -0.28886, 2, 0.436, 3 }, { 0.615, 1, -0.51499, 2, -0.10001, 3 },
   })
   image.yuv2rgb = weighted('yuv2rgb', { { 1.13983, 3 }, { -0.39465, 2, -0.58060, 3 }, { 2.03211, 2 } }, 1)
end
