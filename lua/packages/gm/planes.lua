-- Tensors of pictures: which planes, in which order of dimensions, of which elements.
--
-- A colorspace is a list of planes, one letter each of R, G, B, A (alpha) and I (intensity), in any order, or one of
-- 'LAB', 'HSL', 'HSV', 'HWB', 'YUV'. Dims are the letters H, W, D in any order, HWD without one; a single plane may
-- have 'HW' or 'WH'.

local find, gsub, match, sub = string.find, string.gsub, string.match, string.sub
local torch = require 'torch'
local check, buffers = require 'torch.base.check', require 'torch.memory.buffers'
local conversions = require 'gm.conversions'

local planes = {}

local DEFAULTS = { 'I', 'IA', 'RGB', 'RGBA' }     -- by the number of planes
local TYPES = { byte = 'torch.ByteTensor', float = 'torch.FloatTensor', double = 'torch.DoubleTensor' }

local function check_colorspace(name, colorspace)
   check.kind(name, 'colorspace', colorspace, 'string')
   if conversions[colorspace] or match(colorspace, '^[RGBAI]+$') and #colorspace <= 4 and
      not (find(colorspace, 'I') and find(colorspace, '[RGB]')) then
      return colorspace
   end
   check.argument_error(name, 'colorspace', "letters of 'RGBA' or 'IA', 'LAB', 'HSL', 'HSV', 'HWB' or 'YUV'",
      colorspace)
end

-- Where each letter of a colorspace is in the planes of a picture: 1 to 4 of them.
local function layout(colorspace)
   local grey = find(colorspace, 'I') or colorspace == 'A'
   local order = grey and 'IA' or 'RGBA'
   local indices = {}
   for i = 1, #colorspace do indices[i] = (find(order, sub(colorspace, i, i), 1, true)) end
   local count = find(colorspace, 'A') and #order or grey and 1 or 3
   return torch.LongTensor(indices), count
end

-- The dimensions of HWD in the order of `dims`; a tensor of two dimensions has no D.
local function check_dims(name, dims, count)
   check.kind(name, 'dims', dims, 'string')
   local letters = gsub(dims, 'D', '')
   if not ((letters == 'HW' or letters == 'WH') and (#dims == 3 or #dims == 2 and count == 1)) then
      check.argument_error(name, 'dims', count == 1 and "the letters 'HWD' in any order, or 'HW' or 'WH'"
         or "the letters 'HWD' in any order", dims)
   end
   return dims
end

-- A tensor from bytes: read(count) gives height x width x count.
function planes.to_tensor(read, kind, colorspace, dims)
   local name = 'gm.Image.toTensor'
   colorspace = check_colorspace(name, colorspace or 'RGB')
   dims = check_dims(name, dims or 'HWD', #colorspace)
   local x
   if conversions[colorspace] then
      local rgb = read(3):double():div(255):permute(3, 1, 2):contiguous()
      local converted = conversions[colorspace].of_rgb(rgb)
      if kind == 'byte' then
         -- GraphicsMagick rounds to 16 bits, and leaves out the lower ones.
         converted = converted:mul(65535):add(0.5):floor():div(257):floor():clamp(0, 255)
      end
      x = converted:type(TYPES[kind]):permute(2, 3, 1)
   else
      local indices, count = layout(colorspace)
      x = read(count)
      if count > 1 then x = x:index(3, indices) end
      if kind ~= 'byte' then x = x:type(TYPES[kind]):div(255) end
   end
   local order = { H = 1, W = 2, D = 3 }
   if #dims == 2 then return (dims == 'HW' and x:select(3, 1) or x:select(3, 1):t()):contiguous() end
   return x:permute(order[sub(dims, 1, 1)], order[sub(dims, 2, 2)], order[sub(dims, 3, 3)]):contiguous()
end

-- Bytes, height x width x planes in the order of a picture, of a tensor: bytes, or from 0 to 1.
function planes.from_tensor(x, colorspace, dims)
   local name = 'gm.Image.fromTensor'
   check.dimensions(name, 'tensor', x, 2, 3)
   if x:nElement() == 0 then check.argument_error(name, 'tensor', 'a tensor with elements', x) end
   -- Without `dims` three dimensions are HWD, and DHW where only that gives 1 to 4 planes.
   local given = dims
   dims = dims or x:dim() == 2 and 'HW' or (x:size(3) > 4 and x:size(1) <= 4) and 'DHW' or 'HWD'
   check_dims(name, dims, x:dim() == 2 and 1 or 3)
   if #dims ~= x:dim() then check.argument_error(name, 'dims', x:dim() .. ' letters', given) end
   if #dims == 2 then
      x = dims == 'HW' and x or x:t()
      x = x:contiguous():view(x:size(1), x:size(2), 1)
   else
      x = x:permute((find(dims, 'H')), (find(dims, 'W')), (find(dims, 'D')))
   end
   local count = x:size(3)
   if count > 4 then check.argument_error(name, 'tensor', 'a tensor of 1 to 4 planes', x) end
   colorspace = check_colorspace(name, colorspace or DEFAULTS[count])
   if #colorspace ~= count then
      check.fail(name, "tensor must have %d planes for colorspace '%s' (got %s)", #colorspace, colorspace,
         check.describe(x))
   end
   local bytes = x:type() == 'torch.ByteTensor'
   if conversions[colorspace] then
      local values = bytes and x:double():div(255) or x:double()
      x = conversions[colorspace].to_rgb(values:permute(3, 1, 2):contiguous()):permute(2, 3, 1)
      colorspace, bytes = 'RGB', false
   end
   if not bytes then x = torch.mul(x:double(), 255):add(0.5):cmax(0):cmin(255):byte() end
   local indices, channels = layout(colorspace)
   local result = torch.ByteTensor(x:size(1), x:size(2), channels):zero()
   if channels % 2 == 0 then result:select(3, channels):fill(255) end
   for i = 1, #colorspace do result:select(3, indices[i]):copy(x:select(3, i)) end
   buffers.keep_alive(x)
   return result
end

return planes
