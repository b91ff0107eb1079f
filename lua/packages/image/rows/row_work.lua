-- Rows of images sampled at computed coordinates, as chunks for parallel_for.

local ffi = require 'ffi'
local taps = require 'image.taps'
local cast, floor, max, min = ffi.cast, math.floor, math.max, math.min
local require = require

-- An image `to` of to_height x to_width elements, sampled from planes of height x width elements, each followed by one
-- more. `code` is the geometry, `mode` its sampling mode with `taps` elements; the last fields belong to one geometry.
ffi.cdef [[
typedef struct {
   char *to, *from; double planes, height, width, to_height, to_width; int32_t kind, code, mode, taps;
   double angle, logarithmic, full, relative, padded; double *field;
} t7_image_rows;
]]

local row_work = {}

row_work.kinds = { [0] = 'double', 'float', 'byte' }
row_work.codes = { [0] = 'rotate', 'polar', 'warp' }

local pointer_ct = ffi.typeof 't7_image_rows *'
local element_p = { double = ffi.typeof 'double *', float = ffi.typeof 'float *', byte = ffi.typeof 'uint8_t *' }

-- Loops over many outputs at once cost less than loops over short rows.
local AT_ONCE = 8192

-- The taps of outputs, valid until the next call.
local room, kept_at, kept_weight = 0, nil, nil

local function taps_of(n, K)
   if n * K > room then
      kept_at, kept_weight = taps.room(n, K)
      room = n * K
   end
   return kept_at, kept_weight
end

-- Rows whose coordinates are computed at once.
function row_work.lines(height, width) return min(height, max(1, floor(AT_ONCE / width))) end

-- Fills rows `first` to `last - 1`.
function row_work.fill(data, first, last)
   local g = cast(pointer_ct, data)
   local kind = row_work.kinds[g.kind]
   local K, row = g.taps, require('image.rows.' .. row_work.codes[g.code] .. '_row')(g)
   local height, width, area = g.to_height, g.to_width, g.height * g.width
   local to, from = cast(element_p[kind], g.to), cast(element_p[kind], g.from)
   local lines = row_work.lines(last - first, width * K)
   local at, weight = taps_of(lines * width, K)
   local along = K > 1 and taps.along(kind, K) or nil
   local pick = taps.pick[kind]
   for y = first, last - 1, lines do
      local count = min(lines, last - y)
      for k = 0, count - 1 do row(y + k, at + k * width * K, weight + k * width * K) end
      for p = 0, g.planes - 1 do
         local to_rows, plane = to + (p * height + y) * width, from + p * (area + 1)
         if along then
            along(to_rows, plane, at, weight, nil, count * width, 0, 1, 0)
         else
            pick(to_rows, plane, at, count * width)
         end
      end
   end
end

return row_work
