-- Images from pixels of pictures, and pixels from images. See docs/decisions/0022-pixels-of-pictures.md.

local ffi, arguments = require 'ffi', require 'image.arguments'
local buffers, kernels = require 'torch.memory.buffers', require 'torch.native.kernels'
local byte_p, cast = ffi.typeof 'char *', ffi.cast

local picture = {}

-- Writes the planes of a picture, whose pixels are at an address, to x: fractions of white, or bytes.
function picture.to_planes(x, address, bits)
   local lib, planes, n = kernels 'image/pixels', x:size(1), x:size(2) * x:size(3)
   -- Pixels of 16 bits lie plane by plane, as the elements do.
   if bits == 16 then planes, n = 1, planes * n end
   local kind = bits == 8 and planes or bits == 16 and lib.T7_16_BIT_PIXELS or lib.T7_FLOAT_PIXELS
   lib.t7_pixels_to_planes(arguments.type_number(x), kind, cast(byte_p, buffers.start(x)),
      cast(byte_p, cast('intptr_t', address)), n)
   buffers.keep_alive(x)
   return x
end

-- Bytes of a pixel by the number of planes; and pixels, those of large images not kept.
local SIZES, KEPT = { 1, 2, 4, 4 }, 2 ^ 22
local kept, kept_size = nil, 0

-- The pixels of an image of 1 to 4 planes, valid until the next call.
function picture.to_pixels(x)
   local lib, planes, height, width = kernels 'image/pixels', arguments.sizes(x)
   x = x:contiguous()
   local bytes, pixels = height * width * SIZES[planes], kept
   if bytes > kept_size then
      pixels = ffi.new('char[?]', bytes)
      if bytes <= KEPT then kept, kept_size = pixels, bytes end
   end
   lib.t7_planes_to_pixels(arguments.type_number(x), planes, pixels, cast(byte_p, buffers.start(x)), height * width)
   buffers.keep_alive(x, pixels)
   return pixels
end

return picture
