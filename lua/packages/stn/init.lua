-- stn: spatial transformers. Images are batch x height x width x planes; a grid has y and x of each pixel, -1 to 1.

local nn = require 'nn'

for _, part in ipairs { 'AffineTransformMatrixGenerator', 'AffineGridGeneratorBHWD', 'BilinearSamplerBHWD' } do
   require('stn.' .. part)(nn)
end

return nn
