-- image.polar and image.logpolar: angles become rows, distances from the middle columns.

local arguments, resample = require 'image.arguments', require 'image.resample'
local raise = require('torch.base.errors').raise

local modes, extents = { 'simple', 'bilinear' }, { 'valid', 'full' }

return function(image)
   -- polar([r,] x [, mode [, extent]]): the circle within the image ('valid'), or around it ('full').
   for _, name in ipairs { 'polar', 'logpolar' } do
      image[name] = function(...)
         local r, x, mode, extent = arguments.split(1, ...)
         arguments.image(name, x)
         mode = arguments.one_of(name, 'mode', mode, 'simple', modes)
         extent = arguments.one_of(name, 'extent', extent, 'valid', extents)
         local dim = x:dim()
         if not r then
            if dim ~= 3 then
               raise('%s: without a result, the image must have 3 dimensions (got %s)', name, arguments.describe(x))
            end
            local side = math.max(x:size(2), x:size(3))
            r = x.new(x:size(1), side, side)
         end
         arguments.result_like(name, r, x)
         local g = resample.job('polar', r, x, mode)
         g.is_logarithmic, g.is_full = name == 'logpolar' and 1 or 0, extent == 'full' and 1 or 0
         return resample.run(g, r, x, 0)
      end
   end
end
