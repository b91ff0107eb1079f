-- Normalisation: over batches, over vectors, across maps and around places of images.

return {
   { 'BatchNormalization', 'Module' },
   { 'SpatialBatchNormalization', 'BatchNormalization', 'BatchNormalization' },
   { 'VolumetricBatchNormalization', 'BatchNormalization', 'BatchNormalization' },
   { 'LayerNormalization', 'Sequential' },
   { 'Normalize', 'Module' },
   { 'SpatialCrossMapLRN', 'Module' },
   { 'SpatialSubtractiveNormalization', 'Module' },
   { 'SpatialDivisiveNormalization', 'Module' },
   { 'SpatialContrastiveNormalization', 'Module' },
}
