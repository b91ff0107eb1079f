-- image.test: a quick check of an installation.

local error, format, math, pairs = error, string.format, math, pairs
local torch = require 'torch'

-- Pairs of inverse functions, by the largest difference to the input.
local function differences(image)
   local x = torch.range(1, 48):mul(0.9):sin():abs():view(3, 4, 4)
   local undone = {
      hflip = image.hflip(image.hflip(x)), rotate = image.rotate(image.rotate(x, math.pi / 2), -math.pi / 2),
      yuv = image.yuv2rgb(image.rgb2yuv(x)), hsv = image.hsv2rgb(image.rgb2hsv(x)),
      scale = image.scale(image.scale(x, 8, 8, 'simple'), 4, 4), png = image.decompressPNG(image.compressPNG(x)),
   }
   local found = {}
   for name, y in pairs(undone) do found[name] = (y:double() - x):abs():max() end
   return found
end

return function(image)
   -- Runs a few functions back and forth; raises an error where that does not restore the input. Returns true.
   function image.test()
      for name, difference in pairs(differences(image)) do
         if not (difference < 1 / 250) then error(format('image.test: %s differs by %g', name, difference), 2) end
      end
      return true
   end
end
