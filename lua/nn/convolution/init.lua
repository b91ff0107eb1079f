-- Convolutions of one, two and three dimensions.

-- Planes, kernel, stride, padding: of images, and of volumes.
local IMAGES = 'size size size size size? size? number? number?'
local VOLUMES = 'size size size size size size? size? size? number? number? number?'

return {
   { 'TemporalConvolution', 'Module', takes = 'size size size size?' },
   { 'TemporalRowConvolution', 'Module', takes = 'size size size? any?' },
   { 'SpatialConvolution', 'Module', takes = IMAGES },
   { 'SpatialConvolutionMM', 'Module', 'SpatialConvolution', takes = IMAGES },
   { 'SpatialDilatedConvolution', 'SpatialConvolution', takes = IMAGES .. ' size? size?' },
   { 'SpatialFullConvolution', 'Module', takes = IMAGES .. ' number? number?' },
   { 'SpatialDepthWiseConvolution', 'Module', takes = IMAGES },
   { 'SpatialConvolutionLocal', 'Module', takes = 'size size size size size size size? size? number? number?' },
   { 'SpatialConvolutionMap', 'Module', takes = 'tensor size size size? size?' },
   { 'SpatialFullConvolutionMap', 'Module', 'SpatialConvolutionMap', takes = 'tensor size size size? size?' },
   { 'VolumetricConvolution', 'Module', takes = VOLUMES },
   { 'VolumetricDilatedConvolution', 'VolumetricConvolution', takes = VOLUMES .. ' size? size? size?' },
   { 'VolumetricFullConvolution', 'Module', takes = VOLUMES .. ' number? number? number?' },
   functions = { { 'tables', 'connection_tables', { 'full', 'oneToOne', 'random' } } },
}
