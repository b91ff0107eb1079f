-- Colorspaces other than RGB, from and to tensors of three planes from 0 to 1. LAB is what GraphicsMagick calls so: its
-- YUV, a luma and two differences of colours around one half, of which those beyond 0 and 1 are cut.

local torch = require 'torch'

local MATRIX = torch.DoubleTensor { { 0.299, 0.587, 0.114 }, { -0.1474, -0.2895, 0.4369 }, { 0.615, -0.515, -0.1 } }

local function product(matrix, x) return torch.mm(matrix, x:contiguous():view(3, -1)):viewAs(x) end

local YUV = {}

function YUV.of_rgb(x)
   local found = product(MATRIX, x)
   found:narrow(1, 2, 2):add(0.5)
   return found:clamp(0, 1)
end

function YUV.to_rgb(x)
   x = x:clone()
   x:narrow(1, 2, 2):add(-0.5)
   return product(torch.inverse(MATRIX), x)
end

-- Those of the package image.
local function of_image(name)
   return {
      of_rgb = function(x) return require('image')['rgb2' .. name](x) end,
      to_rgb = function(x) return require('image')[name .. '2rgb'](x) end,
   }
end

local HSL, HSV, HWB = of_image 'hsl', of_image 'hsv', {}

-- Hue, whiteness and blackness.
function HWB.of_rgb(x)
   local found = HSV.of_rgb(x)
   found[2]:copy(x:min(1))
   found[3]:copy(x:max(1)):mul(-1):add(1)
   return found
end

function HWB.to_rgb(x)
   local hsv = x:clone()
   hsv[3]:mul(-1):add(1)
   hsv[2]:cdiv(torch.cmax(hsv[3], 1e-12)):mul(-1):add(1):clamp(0, 1)
   return HSV.to_rgb(hsv)
end

return { LAB = YUV, YUV = YUV, HSL = HSL, HSV = HSV, HWB = HWB }
