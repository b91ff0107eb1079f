-- image.crop, hflip, vflip and flip.

local forms, parts, taps = require 'image.forms', require 'image.parts', require 'image.taps'
local errors, memory = require 'torch.core.errors', require 'torch.memory.blocks'
local share = require 'torch.worker.share'
local floor = math.floor
local pairs, rawequal = pairs, rawequal
local raise, tonumber, type = errors.raise, tonumber, type

-- Where a window of a size begins in an image, from 0, by its format: f(size of the image, size of the window).
local function at_start() return 0 end
local function at_end(whole, part) return whole - part end
local function in_middle(whole, part) return floor((whole - part) / 2) end

local formats = {
   c = { in_middle, in_middle }, tl = { at_start, at_start }, tr = { at_end, at_start }, bl = { at_start, at_end },
   br = { at_end, at_end },
}

-- crop(x, x1, y1, x2, y2), crop(x, format, width, height), crop(r, x, x1, y1 [, x2, y2]): corners count from 0, the
-- second one is not within. Returns the first corner and the sizes of the window.
local function window(r, x, a, b, c, d)
   local dim = x:dim()
   local height, width = x:size(dim - 1), x:size(dim)
   if type(a) == 'string' and not tonumber(a) then
      local starts = formats[a]
      if not starts then raise("crop: format 'c', 'tl', 'tr', 'bl' or 'br' expected (got '%s')", a) end
      local w = forms.whole('crop', 'width', b, r and r:size(dim))
      local h = forms.whole('crop', 'height', c, r and r:size(dim - 1))
      return starts[1](width, w), starts[2](height, h), w, h
   end
   local left, top = forms.whole('crop', 'the first column', a), forms.whole('crop', 'the first row', b)
   if c == nil and r then return left, top, r:size(dim), r:size(dim - 1) end
   local right, bottom = forms.whole('crop', 'the last column', c), forms.whole('crop', 'the last row', d)
   return left, top, right - left, bottom - top
end

-- About how many nanoseconds a row takes that is copied, and a byte of it.
local ROW_WORK, BYTE_WORK = 10, 0.05
local share_copies = share.kind('image.parts', 'copy')

-- Fills planes of rows of `width` bytes with rows that begin `step` bytes apart, in planes that do `plane_step`.
local function copy_rows(to, from, planes, rows, width, step, plane_step)
   local g = parts.work('byte', to, from)
   g.count, g.width, g.from_width, g.from_plane = rows, width, step, plane_step
   share_copies(planes * rows, 1, planes * rows * (ROW_WORK + BYTE_WORK * width), g)
end

-- A copy of a window of a contiguous image.
local function window_of(x, left, top, width, height)
   local dim = x:dim()
   local planes, rows, columns = dim == 3 and x:size(1) or 1, x:size(dim - 1), x:size(dim)
   local r = dim == 3 and x.new(planes, height, width) or x.new(height, width)
   local size = taps.size[forms.type_names[x:type()]]
   copy_rows(memory.start(r), memory.start(x) + top * columns + left, planes, height, width * size, columns * size,
      rows * columns * size)
   memory.alive(x, r)
   return r
end

local function crop(...)
   local r, x, a, b, c, d = forms.split(1, ...)
   forms.image('crop', x)
   local dim = x:dim()
   if r then
      forms.result('crop', r, x)
      if r:dim() ~= dim and (c == nil or d == nil) then
         raise('crop: result of the dimensions of the image expected (got %s for %s)', forms.shape(r), forms.shape(x))
      end
   end
   local left, top, width, height = window(r, x, a, b, c, d)
   local right, bottom = left + width, top + height
   if left < 0 or top < 0 or width < 1 or height < 1 or right > x:size(dim) or bottom > x:size(dim - 1) then
      raise('crop: window within the image expected (got columns %.0f to %.0f and rows %.0f to %.0f of %s)', left,
         right, top, bottom, forms.shape(x))
   end
   if not r and x:isContiguous() then return window_of(x, left, top, width, height) end
   local part = x:narrow(dim - 1, top + 1, height):narrow(dim, left + 1, width)
   if not r then return part:clone() end
   local source = forms.apart(part, r)
   if r:nElement() ~= part:nElement() or r:dim() ~= dim then r:resize(part:size()) end
   return r:copy(source)
end

-- About how many nanoseconds an element takes.
local WORK = 0.5
local share_rows = share.kind('image.parts', 'reverse')

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
   local from, to = memory.start(x), memory.start(target)
   if inner == 1 then
      local g = parts.work(kind, to, from)
      g.width = count
      share_rows(outer, 1, WORK * outer * count, g)
   else
      local bytes = inner * taps.size[kind]
      copy_rows(to, from + (count - 1) * inner, outer, count, bytes, -bytes, count * bytes)
   end
   memory.alive(x, target)
   return forms.finish(r, target)
end

return function(image)
   image.crop = crop

   -- hflip([r,] x): left and right change places; vflip([r,] x): top and bottom.
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
         raise('flip: dimension from 1 to %d expected (got %.0f for %s)', x:dim(), d, forms.shape(x))
      end
      return flip('flip', r, x, d)
   end
end
