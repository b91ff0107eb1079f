-- Images sampled at computed positions: code shared by rotate, polar and warp.

local ffi = require 'ffi'
local forms, taps = require 'image.forms', require 'image.taps'
local errors, buffers = require 'torch.base.errors', require 'torch.memory.buffers'
local parallel_for, row_work = require 'torch.parallel.parallel_for', require 'image.rows.row_work'
local cast, copy = ffi.cast, ffi.copy

local resample = {}

local byte_p = ffi.typeof 'char *'
local codes, kinds = {}, {}
for code, name in pairs(row_work.codes) do codes[name] = code end
for number, kind in pairs(row_work.kinds) do kinds[kind] = number end

-- Sampling modes, and the number of their taps.
local modes = { simple = 0, bilinear = 1, bicubic = 2, lanczos = 3 }
local taps_of = { [0] = 1, 4, 16, 36 }

-- Each plane of x followed by one more element, `value`, which taps outside of the image read.
local function extended(x, kind, planes, area, value)
   x = x:contiguous()
   local wide, from = taps.scratch(kind, planes * (area + 1)), buffers.start(x)
   for p = 0, planes - 1 do
      copy(wide + p * (area + 1), from + p * area, area * taps.size[kind])
      wide[p * (area + 1) + area] = value
   end
   buffers.alive(x)
   return wide
end

-- Approximate nanoseconds to compute the position of an output, and to read an element.
local POSITION_WORK, WORK = 4, 1
local share_rows = parallel_for.kind('image.rows.row_work', 'fill')

-- The job of filling r from x by a geometry, see rows/; the caller fills in the fields of the geometry.
function resample.job(geometry, r, x, mode)
   local g = ffi.new 't7_image_rows'
   g.code, g.mode, g.kind = codes[geometry], modes[mode], kinds[forms.type_names[x:type()]]
   g.taps = taps_of[g.mode]
   g.planes, g.height, g.width = forms.sizes(x)
   g.to_height, g.to_width = select(2, forms.sizes(r))
   return g
end

-- Runs the job; elements outside of the image are `value`.
function resample.run(g, r, x, value)
   local area, row = g.height * g.width, g.to_width * g.taps
   if area >= 2 ^ 31 then errors.raise('image must have less than 2^31 elements (got %s)', forms.shape(x)) end
   local from = extended(x, forms.type_names[x:type()], g.planes, area, value)
   local target = forms.target(r, x)
   g.to, g.from = cast(byte_p, buffers.start(target)), cast(byte_p, from)
   local time = g.to_height * row * (POSITION_WORK + g.planes * WORK)
   share_rows(g.to_height, row_work.lines(g.to_height, row), time, g)
   buffers.alive(target, from)
   return forms.finish(r, target)
end

return resample
