-- Pooling, padding and upsampling.

return {
   { 'TemporalMaxPooling', 'Module' },
   { 'SpatialMaxPooling', 'Module' },
   { 'SpatialDilatedMaxPooling', 'SpatialMaxPooling' },
   { 'SpatialAveragePooling', 'Module' },
   { 'SpatialMaxUnpooling', 'Module' },
   { 'VolumetricMaxPooling', 'Module' },
   { 'VolumetricDilatedMaxPooling', 'VolumetricMaxPooling' },
   { 'VolumetricAveragePooling', 'Module' },
   { 'VolumetricMaxUnpooling', 'Module', 'SpatialMaxUnpooling' },
}
