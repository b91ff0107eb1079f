-- image: pictures as tensors of rows, or of planes of rows. This list has the parts in installation order.

require 'torch'
require 'dok'       -- sets a global, which scripts use

local image = {}

for _, part in ipairs {
   'scale',          -- image.scale
   'rotate',         -- image.rotate, translate
   'polar',          -- image.polar, logpolar
   'warp',           -- image.warp, affinetransform
   'crop',           -- image.crop, hflip, vflip, flip
   'colour',         -- image.rgb2y, rgb2hsl, ..., lab2rgb
   'levels',         -- image.colormap, jetColormap, y2jet
   'filter_kernels', -- image.gaussian, gaussian1D, laplacian
   'filter',         -- image.convolve, lcn, gaussianpyramid, erode, dilate
   'range',          -- image.minmax, toDisplayTensor, x.image
   'draw',           -- image.drawRect, drawText
   'file',           -- image.load, save, getSize, compress..., decompress..., lena, fabio
   'display',        -- image.display, window
   'test',           -- image.test
} do
   require('image.' .. part)(image)
end

_G.image = image

return image
