-- Chunks of image work, see torch/parallel/parallel_for.lua: pixels, or rows counted through all planes.

local ffi = require 'ffi'
local conversions, pixels = require 'image.conversions', require 'image.pixels'
local reverse, taps = require 'image.reverse', require 'image.taps'

local cast, copy, min = ffi.cast, ffi.copy, math.min

-- A loop over rows of `from_width` elements that makes rows of `width` elements. `code` is a colour conversion of
-- `count` pixels that are multiplied by `scale`, or a pixel kind. For resampling, `taps` is the number of taps per
-- output, at the indices `at` with the weights `weight`; sums are divided by `total` if given. For copied rows,
-- `width`, `from_width` and `from_plane` are in bytes.
ffi.cdef [[
typedef struct {
   char *to, *from; int32_t *at; double *weight, *total;
   double from_width, from_plane, width, count, scale; int32_t kind, code, taps;
} t7_image_work;
]]

local pointer_ct = ffi.typeof 't7_image_work *'
local kinds = { [0] = 'double', 'float', 'byte' }
local numbers = { double = 0, float = 1, byte = 2 }
local element_p = { double = ffi.typeof 'double *', float = ffi.typeof 'float *', byte = ffi.typeof 'uint8_t *' }
local byte_p = ffi.typeof 'char *'

local image_chunks = {}

-- A job on elements of a kind, to be filled in.
function image_chunks.work(kind, to, from)
   local g = ffi.new 't7_image_work'
   g.kind, g.to, g.from = numbers[kind], cast(byte_p, to), cast(byte_p, from)
   return g
end

local function opened(data)
   local g = cast(pointer_ct, data)
   local kind = kinds[g.kind]
   return g, kind, cast(element_p[kind], g.to), cast(element_p[kind], g.from)
end

function image_chunks.convert(data, first, last)
   local g, kind, to, from = opened(data)
   conversions.loop(conversions.rows[g.code], kind)(to, from, g.count, g.scale, first, last)
end

-- Pixels of files to planes, and back.
for _, way in ipairs { 'to_planes', 'to_pixels' } do
   image_chunks[way] = function(data, first, last)
      local g, kind = opened(data)
      pixels[way](g.code, kind)(g.to, g.from, g.count, first, last)
   end
end

-- Rows in which each output is a sum of elements of one row.
function image_chunks.along(data, first, last)
   local g, kind, to, from = opened(data)
   local loop = taps.along(kind, g.taps, g.total ~= nil)
   loop(to, from, g.at, g.weight, g.total, g.width, first, last, g.from_width)
end

-- Rows that are sums of rows.
function image_chunks.across(data, first, last)
   local g, kind, to, from = opened(data)
   local loop = taps.across(kind, g.taps, g.total ~= nil)
   loop(to, from, g.at, g.weight, g.total, g.width, first, last)
end

-- Copies of rows, `count` in a plane.
function image_chunks.copy(data, first, last)
   local g = cast(pointer_ct, data)
   local count, width, step, row = g.count, g.width, g.from_width, first
   while row < last do
      local y = row % count
      local some = min(count - y, last - row)
      local to, from = g.to + row * width, g.from + (row - y) / count * g.from_plane + y * step
      for i = 0, some - 1 do copy(to + i * width, from + i * step, width) end
      row = row + some
   end
end

-- Rows with their elements in the other order.
function image_chunks.reverse(data, first, last)
   local g, kind, to, from = opened(data)
   reverse(kind, to + first * g.width, from + first * g.width, last - first, g.width)
end

return image_chunks
