-- Images sampled at computed positions: code shared by rotate, polar and warp.

local ffi, arguments = require 'ffi', require 'image.arguments'
local errors, buffers = require 'torch.base.errors', require 'torch.memory.buffers'
local kernels = require 'torch.native.kernels'
local byte_p, cast = ffi.typeof 'char *', ffi.cast

local resample = {}

-- The record of a kernel's job: filling r from x by rotate, polar or warp. The caller sets the fields of that
-- transformation.
function resample.job(geometry, r, x, mode)
   local lib = kernels 'image/sampling'
   local g = ffi.new 't7_sampling'
   g.geometry, g.mode = lib['T7_' .. string.upper(geometry)], lib['T7_' .. string.upper(mode)]
   g.is_double = x:type() == 'torch.DoubleTensor' and 1 or 0
   g.planes, g.height, g.width = arguments.sizes(x)
   g.to_height, g.to_width = select(2, arguments.sizes(r))
   return g
end

-- Runs the job; elements outside of the image are `value`.
function resample.run(g, r, x, value)
   if g.height * g.width >= 2 ^ 31 then
      errors.raise('image must have less than 2^31 elements (got %s)', arguments.shape(x))
   end
   x = x:contiguous()
   local target, outside = arguments.target(r, x), x.new(1):fill(value)
   g.to, g.from = cast(byte_p, buffers.start(target)), cast(byte_p, buffers.start(x))
   g.outside = cast(byte_p, buffers.start(outside))
   kernels('image/sampling').t7_sample(arguments.type_number(x), g)
   buffers.keep_alive(target, x, outside)
   return arguments.finish(r, target)
end

return resample
