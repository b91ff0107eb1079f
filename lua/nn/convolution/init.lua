-- Convolutions of one, two and three dimensions.

return {
   { 'TemporalConvolution', 'Module', needs = 3 },
   { 'TemporalRowConvolution', 'Module', needs = 2 },
   { 'SpatialConvolution', 'Module', needs = 4 },
   { 'SpatialConvolutionMM', 'Module', 'SpatialConvolution', needs = 4 },
   { 'SpatialDilatedConvolution', 'SpatialConvolution', needs = 4 },
   { 'SpatialFullConvolution', 'Module', needs = 4 },
   { 'SpatialDepthWiseConvolution', 'Module', needs = 4 },
   { 'SpatialConvolutionLocal', 'Module', needs = 6 },
   { 'SpatialConvolutionMap', 'Module', needs = 3 },
   { 'SpatialFullConvolutionMap', 'Module', 'SpatialConvolutionMap', needs = 3 },
   { 'VolumetricConvolution', 'Module', needs = 5 },
   { 'VolumetricDilatedConvolution', 'VolumetricConvolution', needs = 5 },
   { 'VolumetricFullConvolution', 'Module', needs = 5 },
   functions = { { 'tables', 'tables', { 'full', 'oneToOne', 'random' } } },
}
