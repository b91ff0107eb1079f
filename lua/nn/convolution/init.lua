-- Convolutions of one, two and three dimensions.

return {
   { 'SpatialConvolution', 'Module' },
   { 'SpatialConvolutionMM', 'Module', 'SpatialConvolution' },
   { 'SpatialDilatedConvolution', 'SpatialConvolution' },
   { 'SpatialFullConvolution', 'Module' },
   { 'SpatialDepthWiseConvolution', 'Module' },
   { 'VolumetricConvolution', 'Module' },
   { 'VolumetricDilatedConvolution', 'VolumetricConvolution' },
   { 'VolumetricFullConvolution', 'Module' },
}
