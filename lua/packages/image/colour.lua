-- Colour spaces: image.rgb2hsl, ..., lab2rgb.

local ffi, arguments = require 'ffi', require 'image.arguments'
local errors, buffers, torch = require 'torch.base.errors', require 'torch.memory.buffers', require 'torch'
local kernels = require 'torch.native.kernels'
local cast, raise = ffi.cast, errors.raise

local byte_p = ffi.typeof 'char *'

-- The conversion of a kernel; `real` ones are not for bytes.
local function converter(name, real)
   local lib = kernels 'image/colour'
   local conversion = lib['T7_' .. string.upper(name)]
   return function(...)
      local r, x = arguments.split(1, ...)
      arguments.check_planes(name, arguments.image(name, x, 3, 3), 3)
      if real and x:type() == 'torch.ByteTensor' then
         raise('%s: image must be of type Double or Float (got %s)', name, x:type())
      end
      r = r and arguments.result(name, r, x) or x.new()
      if not rawequal(r, x) then r:resize(x:size()) end
      local target = arguments.target(r, x)
      x = x:contiguous()
      lib.t7_convert_colours(arguments.type_number(x), conversion, cast(byte_p, buffers.start(target)),
         cast(byte_p, buffers.start(x)), x:size(2) * x:size(3))
      buffers.keep_alive(x, target)
      return arguments.finish(r, target)
   end
end

-- An image of three planes, of any type; what is a plane may have any dimensions.
local function three_planes(name, x)
   if not torch.isTensor(x) or x:dim() < 2 or x:size(1) ~= 3 then
      raise('%s: image must have 3 planes (got %s)', name, arguments.describe(x))
   end
   return x
end

-- Weighted sums of planes: a row of pairs of a weight and a plane for each plane of the result, which begins as the
-- plane `from` of the input, or as 0. Sums are of the element type: those of bytes take whole weights, and wrap around.
local function weighted(name, rows, from)
   return function(...)
      local r, x = arguments.split(1, ...)
      three_planes(name, x)
      r = r and arguments.result(name, r, x) or x.new()
      if not rawequal(r, x) then r:resize(x:size()) end
      local target = arguments.target(r, x)
      for i, row in ipairs(rows) do
         local plane = target[i]
         if from then plane:copy(x[from]) else plane:zero() end
         for k = 1, #row, 2 do plane:add(row[k], x[row[k + 1]]) end
      end
      return arguments.finish(r, target)
   end
end

-- Brightness, in double precision; bytes are rounded. As in the original, planes after the third, such as opacity, are
-- left out.
local function rgb2y(...)
   local r, x = arguments.split(1, ...)
   if arguments.image('rgb2y', x, 3, 3):size(1) < 3 then arguments.check_planes('rgb2y', x, 3) end
   r = r and arguments.result('rgb2y', r, x) or x.new()
   local source = x:double()
   local y = torch.mul(source[1], 0.299):add(0.587, source[2]):add(0.114, source[3])
   if arguments.type_names[x:type()] == 'byte' then y = y:float():add(0.5):clamp(0, 255) end
   return r:resize(1, x:size(2), x:size(3)):copy(y)
end

-- Integers, unlike bytes, are divided as such.
local INTEGERS = { ['torch.CharTensor'] = true, ['torch.ShortTensor'] = true, ['torch.IntTensor'] = true,
   ['torch.LongTensor'] = true }
local function rgb2nrgb(convert)
   return function(...)
      local r, x = arguments.split(1, ...)
      if not torch.isTensor(x) or not INTEGERS[x:type()] then return convert(...) end
      three_planes('rgb2nrgb', arguments.tensor('rgb2nrgb', x, 3, 3))
      r = r and arguments.result('rgb2nrgb', r, x) or x.new()
      local sum = torch.add(x[1], x[2]):add(x[3])
      return r:resize(x:size()):copy(torch.cdiv(x, sum:view(1, x:size(2), x:size(3)):expandAs(x)))
   end
end

return function(image)
   for _, name in ipairs { 'rgb2hsl', 'rgb2hsv', 'hsl2rgb', 'hsv2rgb', 'rgb2nrgb' } do image[name] = converter(name) end
   for _, name in ipairs { 'rgb2lab', 'lab2rgb' } do image[name] = converter(name, true) end
   image.rgb2nrgb = rgb2nrgb(image.rgb2nrgb)
   image.rgb2y = rgb2y
   image.rgb2yuv = weighted('rgb2yuv', {
      { 0.299, 1, 0.587, 2, 0.114, 3 }, { -0.14713, 1, -0.28886, 2, 0.436, 3 }, { 0.615, 1, -0.51499, 2, -0.10001, 3 },
   })
   image.yuv2rgb = weighted('yuv2rgb', { { 1.13983, 3 }, { -0.39465, 2, -0.58060, 3 }, { 2.03211, 2 } }, 1)
end
