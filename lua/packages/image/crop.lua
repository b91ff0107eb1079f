-- image.crop, hflip, vflip and flip.

local ffi, arguments = require 'ffi', require 'image.arguments'
local errors, buffers = require 'torch.base.errors', require 'torch.memory.buffers'
local kernels = require 'torch.native.kernels'
local raise, tonumber, type = errors.raise, tonumber, type

-- The offset, from 0, of a window in an image, by format: f(size of the image, size of the window).
local function at_start() return 0 end
local function at_end(whole, part) return whole - part end
local function in_middle(whole, part) return math.floor((whole - part) / 2) end

local formats = {
   c = { in_middle, in_middle }, tl = { at_start, at_start }, tr = { at_end, at_start }, bl = { at_start, at_end },
   br = { at_end, at_end },
}

local function truncated(number) return number < 0 and math.ceil(number) or math.floor(number) end

-- crop(x, x1, y1, x2, y2), crop(x, format, width, height), crop(r, x, x1, y1 [, x2, y2]): corners count from 0, the
-- second one is not within. Returns the first corner and the sizes of the window: distances of corners that have
-- fractions are truncated, not the second corner.
local function window(r, x, a, b, c, d)
   local dim, _, height, width = x:dim(), arguments.sizes(x)
   local function number(what, value, default)
      arguments.integer('crop', what, value, default)
      return arguments.number('crop', what, value, default)
   end
   local left, top, right, bottom
   if type(a) == 'string' and not tonumber(a) then
      local starts = formats[a]
      if not starts then raise("crop: format must be 'c', 'tl', 'tr', 'bl' or 'br' (got '%s')", a) end
      local w, h = number('width', b, r and r:size(dim)), number('height', c, r and r:size(dim - 1))
      left, top = starts[1](width, w), starts[2](height, h)
      right, bottom = left + w, top + h
   else
      left, top = number('the first column', a), number('the first row', b)
      if c == nil and r then return truncated(left), truncated(top), r:size(dim), r:size(dim - 1) end
      right, bottom = number('the last column', c), number('the last row', d)
   end
   return truncated(left), truncated(top), truncated(right - left), truncated(bottom - top)
end

local function crop(image, ...)
   local r, x, a, b, c, d = arguments.split(1, ...)
   arguments.image('crop', x)
   local dim = x:dim()
   if r then
      arguments.result('crop', r, x)
      if r:dim() ~= dim and (c == nil or d == nil) then
         raise('crop: result must have the dimensions of the image (got %s for %s)', arguments.shape(r),
            arguments.shape(x))
      end
   end
   local left, top, width, height = window(r, x, a, b, c, d)
   local right, bottom = left + width, top + height
   if left < 0 or top < 0 or width < 1 or height < 1 or right > x:size(dim) or bottom > x:size(dim - 1) then
      raise('crop: window must be within the image (got columns %.0f to %.0f and rows %.0f to %.0f of %s)', left,
         right, top, bottom, arguments.shape(x))
   end
   local part = x:narrow(dim - 1, top + 1, height):narrow(dim, left + 1, width)
   -- The original passes elements through floats, whatever their type.
   if part:type() == 'torch.DoubleTensor' then part = part:float():double() elseif not r then part = part:clone() end
   if not r then return part end
   local source = arguments.unaliased(part, r)
   -- A result that has a size gets the window scaled.
   if r:nElement() > 0 and r:dim() == dim and not r:isSameSizeAs(part) then
      return image.scale(r, source:contiguous(), 'bilinear')
   end
   return r:resize(part:size()):copy(source)
end

local byte_p = ffi.typeof 'char *'
local lib, nest

-- Writes x to r with the order along dimension d reversed.
local function flip(name, r, x, d)
   if r then arguments.result(name, r, x) else r = x.new() end
   if not rawequal(r, x) then r:resize(x:size()) end
   local target = arguments.target(r, x)
   x = x:contiguous()
   local count, inner = x:size(d), 1
   for e = d + 1, x:dim() do inner = inner * x:size(e) end
   local outer = x:nElement() / (count * inner)
   if not nest then
      kernels 'elementwise'
      lib = kernels 'copy'
      nest = ffi.new 't7_nest'
   end
   local size = x:elementSize()
   local slice = inner * size
   nest.size, nest.loops = size, outer > 1 and 3 or 2
   nest.to = ffi.cast(byte_p, buffers.start(target))
   nest.from = ffi.cast(byte_p, buffers.start(x)) + (count - 1) * slice
   nest.count[0], nest.to_step[0], nest.from_step[0] = inner, size, size
   nest.count[1], nest.to_step[1], nest.from_step[1] = count, slice, -slice
   nest.count[2], nest.to_step[2], nest.from_step[2] = outer, count * slice, count * slice
   if inner == 1 then
      nest.loops, nest.count[0], nest.from_step[0] = 2, count, -size
      nest.count[1], nest.to_step[1], nest.from_step[1] = outer, count * size, count * size
   end
   lib.t7_copy_nest(nest, 1)
   buffers.keep_alive(x, target)
   return arguments.finish(r, target)
end

return function(image)
   function image.crop(...) return crop(image, ...) end

   -- hflip([r,] x) swaps left and right; vflip([r,] x) top and bottom.
   for name, back in pairs { hflip = 0, vflip = 1 } do
      image[name] = function(...)
         local r, x = arguments.split(1, ...)
         arguments.image(name, x)
         return flip(name, r, x, x:dim() - back)
      end
   end

   -- flip([r,] x, d): the order along dimension d is reversed.
   function image.flip(...)
      local r, x, d = arguments.split(1, ...)
      arguments.image('flip', x, 1, 5)
      d = arguments.integer('flip', 'the dimension', d)
      if d < 1 or d > x:dim() then
         raise('flip: dimension must be from 1 to %d (got %.0f for %s)', x:dim(), d, arguments.shape(x))
      end
      return flip('flip', r, x, d)
   end
end
