-- image.crop, hflip, vflip and flip.

local forms, image_chunks, taps = require 'image.forms', require 'image.image_chunks', require 'image.taps'
local errors, buffers = require 'torch.base.errors', require 'torch.memory.buffers'
local parallel_for = require 'torch.parallel.parallel_for'
local raise, tonumber, type = errors.raise, tonumber, type

-- Where a window of a size begins in an image, from 0, by its format: f(size of the image, size of the window).
local function at_start() return 0 end
local function at_end(whole, part) return whole - part end
local function in_middle(whole, part) return math.floor((whole - part) / 2) end

local formats = {
   c = { in_middle, in_middle }, tl = { at_start, at_start }, tr = { at_end, at_start }, bl = { at_start, at_end },
   br = { at_end, at_end },
}

-- crop(x, x1, y1, x2, y2), crop(x, format, width, height), crop(r, x, x1, y1 [, x2, y2]): corners count from 0, the
-- second one is not within. Returns the first corner and the sizes of the window.
local function window(r, x, a, b, c, d)
   local dim, _, height, width = x:dim(), forms.sizes(x)
   if type(a) == 'string' and not tonumber(a) then
      local starts = formats[a]
      if not starts then raise("crop: format must be 'c', 'tl', 'tr', 'bl' or 'br' (got '%s')", a) end
      local w = forms.whole('crop', 'width', b, r and r:size(dim))
      local h = forms.whole('crop', 'height', c, r and r:size(dim - 1))
      return starts[1](width, w), starts[2](height, h), w, h
   end
   local left, top = forms.whole('crop', 'the first column', a), forms.whole('crop', 'the first row', b)
   if c == nil and r then return left, top, r:size(dim), r:size(dim - 1) end
   local right, bottom = forms.whole('crop', 'the last column', c), forms.whole('crop', 'the last row', d)
   return left, top, right - left, bottom - top
end

-- Approximate nanoseconds per copied row, and per byte.
local ROW_WORK, BYTE_WORK = 10, 0.05
local share_copies = parallel_for.kind('image.image_chunks', 'copy')

-- Fills planes of rows of `width` bytes with rows that begin `step` bytes apart, in planes that do `plane_step`.
local function copy_rows(to, from, planes, rows, width, step, plane_step)
   local g = image_chunks.work('byte', to, from)
   g.count, g.width, g.from_width, g.from_plane = rows, width, step, plane_step
   share_copies(planes * rows, 1, planes * rows * (ROW_WORK + BYTE_WORK * width), g)
end

-- A copy of a window of a contiguous image.
local function window_of(x, left, top, width, height)
   local planes, rows, columns = forms.sizes(x)
   local r = forms.like(x, height, width)
   local size = taps.size[forms.type_names[x:type()]]
   copy_rows(buffers.start(r), buffers.start(x) + top * columns + left, planes, height, width * size, columns * size,
      rows * columns * size)
   buffers.alive(x, r)
   return r
end

local function crop(image, ...)
   local r, x, a, b, c, d = forms.split(1, ...)
   forms.image('crop', x)
   local dim = x:dim()
   if r then
      forms.result('crop', r, x)
      if r:dim() ~= dim and (c == nil or d == nil) then
         raise('crop: result must have the dimensions of the image (got %s for %s)', forms.shape(r), forms.shape(x))
      end
   end
   local left, top, width, height = window(r, x, a, b, c, d)
   local right, bottom = left + width, top + height
   if left < 0 or top < 0 or width < 1 or height < 1 or right > x:size(dim) or bottom > x:size(dim - 1) then
      raise('crop: window must be within the image (got columns %.0f to %.0f and rows %.0f to %.0f of %s)', left,
         right, top, bottom, forms.shape(x))
   end
   if not r and x:isContiguous() then return window_of(x, left, top, width, height) end
   local part = x:narrow(dim - 1, top + 1, height):narrow(dim, left + 1, width)
   if not r then return part:clone() end
   local source = forms.apart(part, r)
   -- A result that has a size gets the window scaled.
   if r:nElement() > 0 and r:dim() == dim and not r:isSameSizeAs(part) then
      return image.scale(r, source:contiguous(), 'bilinear')
   end
   return r:resize(part:size()):copy(source)
end

-- Approximate nanoseconds per element.
local WORK = 0.5
local share_rows = parallel_for.kind('image.image_chunks', 'reverse')

-- Writes x to r with the order along dimension d reversed.
local function flip(name, r, x, d)
   if r then forms.result(name, r, x) else r = x.new() end
   if not rawequal(r, x) then r:resize(x:size()) end
   local target = forms.target(r, x)
   x = x:contiguous()
   local count, inner = x:size(d), 1
   for e = d + 1, x:dim() do inner = inner * x:size(e) end
   local outer = x:nElement() / (count * inner)
   local kind = forms.type_names[x:type()]
   local from, to = buffers.start(x), buffers.start(target)
   if inner == 1 then
      local g = image_chunks.work(kind, to, from)
      g.width = count
      share_rows(outer, 1, WORK * outer * count, g)
   else
      local bytes = inner * taps.size[kind]
      copy_rows(to, from + (count - 1) * inner, outer, count, bytes, -bytes, count * bytes)
   end
   buffers.alive(x, target)
   return forms.finish(r, target)
end

return function(image)
   function image.crop(...) return crop(image, ...) end

   -- hflip([r,] x) swaps left and right; vflip([r,] x) top and bottom.
   for name, back in pairs { hflip = 0, vflip = 1 } do
      image[name] = function(...)
         local r, x = forms.split(1, ...)
         forms.image(name, x)
         return flip(name, r, x, x:dim() - back)
      end
   end

   -- flip([r,] x, d): the order along dimension d is reversed.
   function image.flip(...)
      local r, x, d = forms.split(1, ...)
      forms.image('flip', x, 1, 5)
      d = forms.whole('flip', 'the dimension', d)
      if d < 1 or d > x:dim() then
         raise('flip: dimension must be from 1 to %d (got %.0f for %s)', x:dim(), d, forms.shape(x))
      end
      return flip('flip', r, x, d)
   end
end
