-- Normalisation: over batches, across maps and in neighbourhoods of images.

local BATCH = { 'nOutput: the number of features or planes', 'eps=1e-5: added to the variance',
   'momentum=0.1: the part of a new mean in the running one, or nil', 'affine=true: false for no w and b' }
local LOCAL = { 'nInputPlane=1: planes', 'kernel?: weights of neighbours: a matrix of odd sizes, or a vector used ' ..
   'across and down; else 9 x 9 ones' }
local DEVIATION = { LOCAL[1], LOCAL[2], 'threshold=1e-4: the least deviation that is divided by',
   'thresval=threshold: the divisor in its place' }
local STANDARD = 'y = w (x - mean) / sqrt(var + eps) + b'
local PLANES, IMAGE = 'weight nOutput, bias nOutput', '[B x] nInputPlane x H x W -> [B x] nInputPlane x H x W'

return {
   title = 'Normalisation',
   { 'BatchNormalization', 'Module', version = 2, buffers = { '_input', '_gradOutput', 'save_mean', 'save_std' },
      summary = 'Normalises each feature over a batch; after evaluate(), by running_mean and running_var.',
      formula = STANDARD, arguments = BATCH,
      example = 'nn.BatchNormalization(4)', shapes = 'B x nOutput -> B x nOutput', parameters = PLANES },
   { 'SpatialBatchNormalization', 'BatchNormalization', 'BatchNormalization', version = 2,
      summary = 'Normalises each plane over a batch of images.', formula = STANDARD, arguments = BATCH,
      example = 'nn.SpatialBatchNormalization(4)', shapes = 'B x nOutput x H x W -> B x nOutput x H x W',
      parameters = PLANES },
   { 'VolumetricBatchNormalization', 'BatchNormalization', 'BatchNormalization',
      summary = 'Normalises each plane over a batch of volumes.', formula = STANDARD, arguments = BATCH,
      example = 'nn.VolumetricBatchNormalization(4)',
      shapes = 'B x nOutput x T x H x W -> B x nOutput x T x H x W', parameters = PLANES },
   { 'SpatialCrossMapLRN', 'Module', fields = true, takes = 'size number? number? number?',
      summary = 'Divides each element by a power of the squares of its neighbours in other maps.',
      formula = 'y_f = x_f / (k + alpha / size sum_g x_g^2)^beta, |g - f| <= (size - 1) / 2',
      arguments = { 'size: the number of maps in a sum', 'alpha=1e-4: the weight of the sum', 'beta=0.75: the power',
         'k=1: added to the sum' },
      buffers = { 'scale', 'paddedRatio', 'accumRatio' },
      example = 'nn.SpatialCrossMapLRN(3)', shapes = '[B x] n x H x W -> [B x] n x H x W' },
   { 'SpatialSubtractiveNormalization', 'Module', fields = true, takes = 'size? tensor?',
      summary = 'Subtracts the weighted mean of the neighbours in all planes.', formula = 'y = x - mean(x)',
      arguments = LOCAL, example = 'nn.SpatialSubtractiveNormalization(2, torch.ones(3, 3))', shapes = IMAGE },
   { 'SpatialDivisiveNormalization', 'Module', fields = true, takes = 'size? tensor? number? number?',
      summary = 'Divides by the weighted standard deviation of the neighbours in all planes.',
      formula = 'y = x / sigma where sigma > threshold, else x / thresval, sigma = sqrt(mean(x^2))',
      arguments = DEVIATION, example = 'nn.SpatialDivisiveNormalization(2, torch.ones(3, 3))', shapes = IMAGE },
   { 'SpatialContrastiveNormalization', 'Module', fields = true, takes = 'size? tensor? number? number?',
      summary = 'SpatialSubtractiveNormalization, then SpatialDivisiveNormalization.',
      formula = 'y = divisive(x - mean(x))',
      arguments = DEVIATION, example = 'nn.SpatialContrastiveNormalization(2, torch.ones(3, 3))', shapes = IMAGE },
}
