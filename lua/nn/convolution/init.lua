-- Convolutions of one, two and three dimensions.

return {
   { 'TemporalConvolution', 'Module' },
   { 'TemporalRowConvolution', 'Module' },
   { 'SpatialConvolution', 'Module' },
   { 'SpatialConvolutionMM', 'Module', 'SpatialConvolution' },
   { 'SpatialDilatedConvolution', 'SpatialConvolution' },
   { 'SpatialFullConvolution', 'Module' },
   { 'SpatialDepthWiseConvolution', 'Module' },
   { 'SpatialConvolutionLocal', 'Module' },
   { 'SpatialConvolutionMap', 'Module' },
   { 'SpatialFullConvolutionMap', 'Module', 'SpatialConvolutionMap' },
   { 'VolumetricConvolution', 'Module' },
   { 'VolumetricDilatedConvolution', 'VolumetricConvolution' },
   { 'VolumetricFullConvolution', 'Module' },
   functions = { { 'tables', 'tables', { 'full', 'oneToOne', 'random' } } },
}
