-- Normalisation: over batches, across maps and around places of images.

return {
   { 'BatchNormalization', 'Module' },
   { 'SpatialBatchNormalization', 'BatchNormalization', 'BatchNormalization' },
   { 'VolumetricBatchNormalization', 'BatchNormalization', 'BatchNormalization' },
   { 'SpatialCrossMapLRN', 'Module', takes = 'size number? number? number?' },
   { 'SpatialSubtractiveNormalization', 'Module', takes = 'size? tensor?' },
   { 'SpatialDivisiveNormalization', 'Module', takes = 'size? tensor? number? number?' },
   { 'SpatialContrastiveNormalization', 'Module', takes = 'size? tensor? number? number?' },
}
