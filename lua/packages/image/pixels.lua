-- Pixels of pictures as Pillow has them, the values of a pixel side by side, and planes of images.
-- See docs/decisions/0022-pixels-of-pictures.md.
--
-- Kinds of pixels: 1 to 4 are bytes of that number of planes, where three take the memory of four; whole numbers of 16
-- bits, and floats, are of one plane.

local concat, ipairs = table.concat, ipairs
local ffi, native = require 'ffi', require 'torch.native.native'
local float = require 'image.float'
local taps, template = require 'image.taps', require 'torch.jit.template'
local arshift, band, bor, lshift, rshift = bit.arshift, bit.band, bit.bor, bit.lshift, bit.rshift
local cast = ffi.cast

local pixels = {}

local DEEP, FLOAT = 5, 6

-- The kind of pixels by the number of planes and of bits.
function pixels.kind(planes, bits)
   return bits == 8 and planes or bits == 16 and DEEP or FLOAT
end

-- Bytes of a pixel of a kind.
pixels.size = {}
local cell_p = {}
for kind, cell in ipairs { 'uint8_t', 'uint16_t', 'int32_t', 'int32_t', 'int32_t', 'float' } do
   pixels.size[kind], cell_p[kind] = ffi.sizeof(cell), ffi.typeof(cell .. ' *')
end

local element_p = { double = ffi.typeof 'double *', float = ffi.typeof 'float *', byte = ffi.typeof 'uint8_t *' }
local bits_p = ffi.typeof 'int32_t *'

-- Bytes as fractions of white. Those in floats are copied as bits, since a load and a store of a float convert it.
local doubles, floats = native.buffer('double', 256), native.buffer('float', 256)
for v = 0, 255 do doubles[v], floats[v] = v / 255, v / 255 end
local fractions = { double = doubles, float = cast(bits_p, floats) }

local to_planes = [=[
return function(to, from, n, first, last)
   to, from = cast(to_p, to), cast(from_p, from)
   for i = first, last - 1 do
      local v = $value
      $stores
   end
end]=]

local to_pixels = [=[
return function(to, from, n, first, last)
   to, from = cast(to_p, to), cast(from_p, from)
   local step = n * $size
   local plane_1, plane_2, plane_3 = from + step, from + 2 * step, from + 3 * step
   for i = first, last - 1 do to[i] = bor($values) end
end]=]

-- The value that is stored for a pixel v of these kinds, in an image of bytes and in others.
local of_bytes = { [DEEP] = 'arshift(v, 8)', [FLOAT] = 'float(v * 255)' }
local of_fractions = { [DEEP] = 'v / 65535', [FLOAT] = 'v' }

local function spreading(kind, element)
   local as_bits = kind < DEEP and element == 'float'
   local upvalues = { cast = cast, from_p = cell_p[kind], to_p = as_bits and bits_p or element_p[element],
      white = fractions[element], arshift = arshift, band = band, rshift = rshift, float = float,
      get = taps.getter 'float' }
   if kind >= DEEP then
      local value = (element == 'byte' and of_bytes or of_fractions)[kind]
      local values = { stores = 'to[i] = ' .. value, value = kind == FLOAT and 'get(from, i)' or 'from[i]' }
      return template.compile('image to planes', to_planes, values, upvalues)
   end
   local stores, text = {}, element == 'byte' and 'to[i + %d * n] = band(rshift(v, %d), 255)'
      or 'to[i + %d * n] = white[band(rshift(v, %d), 255)]'
   for plane = 0, kind - 1 do stores[plane + 1] = text:format(plane, 8 * plane) end
   return template.compile('image to planes', to_planes, { stores = concat(stores, '\n'), value = 'from[i]' }, upvalues)
end

local function gathering(kind, element)
   local size = taps.size[element]
   local values = { ('from[%d * i]'):format(size) }
   for plane = 1, kind - 1 do
      values[plane + 1] = ('lshift(plane_%d[%d * i], %d)'):format(plane, size, 8 * plane)
   end
   -- A fourth byte that belongs to no plane.
   if kind == 3 then values[4] = '0xff000000' end
   return template.compile('image to pixels', to_pixels, { values = concat(values, ', '), size = size },
      { cast = cast, from_p = element_p.byte, to_p = cell_p[kind], bor = bor, lshift = lshift })
end

-- f(to, from, n, first, last) writes pixels `first` to `last - 1` of n to planes: fractions of white, or bytes.
pixels.to_planes = taps.kept(spreading)

-- f(to, from, n, first, last) writes pixels of the lowest bytes of elements.
pixels.to_pixels = taps.kept(gathering)

return pixels
