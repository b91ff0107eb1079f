-- Pooling, padding of images and upsampling.

-- Kernel, stride, padding: of images, and of volumes.
local IMAGES = 'size size size? size? number? number?'
local VOLUMES = 'size size size size? size? size? number? number? number?'

return {
   { 'UpSampling', 'Module', 'Upsampling' },
   { 'FeatureLPPooling', 'Module', takes = 'number number number? any?' },
   { 'TemporalDynamicKMaxPooling', 'Module', takes = 'number? number?' },
   { 'TemporalMaxPooling', 'Module', takes = 'size size?' },
   { 'TemporalSubSampling', 'Module', 'SubSampling', takes = 'size size size?' },
   { 'SpatialMaxPooling', 'Module', takes = IMAGES },
   { 'SpatialDilatedMaxPooling', 'SpatialMaxPooling', takes = IMAGES .. ' size? size?' },
   { 'SpatialAveragePooling', 'Module', takes = IMAGES },
   { 'SpatialLPPooling', 'Sequential', takes = 'size number size size size? size?' },
   { 'SpatialAdaptiveMaxPooling', 'Module', 'AdaptivePooling', takes = 'size size' },
   { 'SpatialAdaptiveAveragePooling', 'Module', 'AdaptivePooling', takes = 'size size' },
   { 'SpatialFractionalMaxPooling', 'Module', 'FractionalMaxPooling' },
   { 'SpatialSubSampling', 'Module', 'SubSampling', takes = 'size size size size? size?' },
   { 'SpatialMaxUnpooling', 'Module', takes = 'module' },
   { 'SpatialZeroPadding', 'Module', 'FramePadding' },
   { 'SpatialReflectionPadding', 'Module', 'FramePadding' },
   { 'SpatialReplicationPadding', 'Module', 'FramePadding' },
   { 'SpatialUpSamplingNearest', 'Module', 'Upsampling' },
   { 'SpatialUpSamplingBilinear', 'Module', 'Upsampling' },
   { 'VolumetricMaxPooling', 'Module', takes = VOLUMES },
   { 'VolumetricDilatedMaxPooling', 'VolumetricMaxPooling', takes = VOLUMES .. ' size? size? size?' },
   { 'VolumetricAveragePooling', 'Module', takes = VOLUMES },
   { 'VolumetricFractionalMaxPooling', 'Module', 'FractionalMaxPooling' },
   { 'VolumetricReplicationPadding', 'Module', 'FramePadding' },
   { 'VolumetricMaxUnpooling', 'Module', 'SpatialMaxUnpooling', takes = 'module' },
}
