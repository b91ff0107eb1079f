-- Images from pixels of pictures, and pixels from images, on all cores.

local cast = require('ffi').cast
local forms, image_chunks = require 'image.forms', require 'image.image_chunks'
local pixels, taps = require 'image.pixels', require 'image.taps'
local install, buffers = require 'torch.dispatch.install', require 'torch.memory.buffers'
local parallel_for = require 'torch.parallel.parallel_for'

local picture = {}

-- Approximate nanoseconds per element, and the number of pixels that chunks are multiples of.
local WORK, UNIT = 0.5, 1024
local share_planes = parallel_for.kind('image.image_chunks', 'to_planes')
local share_pixels = parallel_for.kind('image.image_chunks', 'to_pixels')

-- Writes the planes of a picture, whose pixels are at an address, to x: fractions of white, or bytes.
function picture.to_planes(x, address, bits)
   local planes, n = x:size(1), x:size(2) * x:size(3)
   -- Pixels of 16 bits lie plane by plane, as the elements do.
   if bits == 16 then planes, n = 1, planes * n end
   local g = image_chunks.work(forms.type_names[x:type()], buffers.start(x), cast('intptr_t', address))
   g.code, g.count = pixels.kind(planes, bits), n
   share_planes(n, UNIT, WORK * n * planes, g)
   buffers.alive(x)
   return x
end

-- Fractions of white as steps from 0 to 255, rounded down. Bytes that were divided by 255 are recovered exactly. Adding
-- a number whose last bit counts steps leaves them in the lowest byte.
local to_steps = install.operation { 'toSteps', { 'r t n n', 'elementwise.map',
   { 'z = floor(x * 255 + v) + u' } }, types = 'real' }
local slack, base = { double = 1e-9, float = 3e-5 }, { double = 2 ^ 52, float = 2 ^ 23 }
-- fmax and fmin map nan to black.
local to_fractions = install.operation { 'toFractions', { 'r t', 'elementwise.map', { 'z = fmin(fmax(x, 0), 1)' } },
   types = 'real' }

-- Steps, valid until the next call; those of large images are not kept.
local kept_steps = {}

local function steps_of(x, kind)
   local steps = kept_steps[kind] or x.new()
   kept_steps[kind] = x:nElement() <= taps.KEPT and steps or nil
   if not (x:min() >= 0 and x:max() <= 1) then
      to_fractions(steps, x)
      x = steps
   end
   return to_steps(steps, x, slack[kind], base[kind])
end

-- The pixels of an image of 1 to 4 planes, valid until the next call.
function picture.to_pixels(x)
   local kind, planes, height, width = forms.type_names[x:type()], forms.sizes(x)
   x = kind == 'byte' and x:contiguous() or steps_of(x, kind)
   local n = height * width
   local room = taps.scratch('byte', n * pixels.size[planes])
   local g = image_chunks.work(kind, room, buffers.start(x))
   g.code, g.count = planes, n
   share_pixels(n, UNIT, WORK * n * planes, g)
   buffers.alive(x, room)
   return room
end

return picture
