-- Normalisation: over batches, across maps and around places of images.

return {
   { 'BatchNormalization', 'Module' },
   { 'SpatialBatchNormalization', 'BatchNormalization', 'BatchNormalization' },
   { 'VolumetricBatchNormalization', 'BatchNormalization', 'BatchNormalization' },
   { 'SpatialCrossMapLRN', 'Module' },
   { 'SpatialSubtractiveNormalization', 'Module' },
   { 'SpatialDivisiveNormalization', 'Module' },
   { 'SpatialContrastiveNormalization', 'Module' },
}
