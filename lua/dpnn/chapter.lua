-- Classes of dpnn that are loaded when they are first used.

return {
   { 'ArgMax', 'Module', takes = 'number? number? any?' },
   { 'Clip', 'Module', takes = 'number number' },
   { 'CategoricalEntropy', 'Module', takes = 'number? number?' },
   { 'TotalDropout', 'Module', takes = 'number?' },
   { 'SpatialRegionDropout', 'Module', takes = 'number?' },
   { 'SpatialUniformCrop', 'Module', takes = 'size size?' },
   { 'SpatialFeatNormalization', 'Module', takes = 'tensor tensor?' },
   { 'SimpleColorTransform', 'Module', 'color_shifts', takes = 'size tensor' },
   { 'PCAColorTransform', 'Module', 'color_shifts', takes = 'size tensor tensor number?' },
   { 'SpatialBinaryConvolution', 'SpatialConvolution' },
   { 'BinaryLogisticRegression', 'Criterion', takes = 'any?' },
   { 'SpatialBinaryLogisticRegression', 'Criterion', 'BinaryLogisticRegression', takes = 'any?' },
   { 'BinaryClassReward', 'VRClassReward', takes = 'module number? module?' },
   { 'ReinforceGamma', 'Reinforce', takes = 'number any?' },
}
