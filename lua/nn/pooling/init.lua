-- Pooling, padding of images and upsampling.

-- Kernel, stride, padding: of images, and of volumes.
local IMAGES = 'size size size? size? number? number?'
local VOLUMES = 'size size size size? size? size? number? number? number?'

local MAXIMA = { 'kW: width of a window', 'kH: its height', 'dW=kW: horizontal stride', 'dH=kH: vertical stride',
   'padW=0: padding on the left and on the right', 'padH=0: padding above and below' }
local CUBES = { 'kT: length of a window in time', 'kW: its width', 'kH: its height', 'dT=kT: stride in time',
   'dW=kW: horizontal stride', 'dH=kH: vertical stride', 'padT=0: padding before and after',
   'padW=0: padding on the left and on the right', 'padH=0: padding above and below' }
local SIDES = { 'left: columns on the left, fewer where it is negative', 'right=left: columns on the right',
   'top=left: rows above', 'bottom=left: rows below' }
local DILATION = { 'dilationW=1: columns from one element to the next',
   'dilationH=1: rows from one element to the next' }

local IMAGE = '[B x] n x H x W -> [B x] n x oH x oW'
local VOLUME = '[B x] n x T x H x W -> [B x] n x oT x oH x oW'
local SIZES = 'oW = floor((W + 2*padW - kW)/dW) + 1, oH = floor((H + 2*padH - kH)/dH) + 1'
local TIME = 'oT = floor((T + 2*padT - kT)/dT) + 1, '
local DILATED = 'oW = floor((W + 2*padW - dilationW*(kW - 1) - 1)/dW) + 1, ' ..
   'oH = floor((H + 2*padH - dilationH*(kH - 1) - 1)/dH) + 1'
local PADDED = 'oW = W + left + right, oH = H + top + bottom'
local MAX, MEAN = 'y = max of each window', 'y = mean of each window'

local function extended(list, more)
   local all = { unpack(list) }
   for _, argument in ipairs(more) do all[#all + 1] = argument end
   return all
end

return {
   title = 'Pooling, padding and upsampling',
   { 'UpSampling', 'Module', 'Upsampling',
      summary = 'Larger images or volumes: nearest elements, or linear between elements. Batches only.',
      formula = 'y_{i, j} = x_{ceil(i / s), ceil(j / s)} where nearest',
      arguments = { 'params: a whole factor, or a table of odepth, oheight and owidth where linear',
         "mode='nearest': 'nearest' or 'linear'" },
      example = 'nn.UpSampling(2)', shapes = 'B x n x H x W -> B x n x 2*H x 2*W' },
   { 'FeatureLPPooling', 'Module', takes = 'number number number? any?',
      summary = 'The p-norm of neighbouring features, which are the first dimension of a sample.',
      formula = 'y = (sum x_i^p over a window)^(1/p)',
      arguments = { 'width: features of a window, from 2 to 16', 'stride: from 1 to 4', 'power: p',
         'batch_mode=false: whether inputs are batches' },
      example = 'nn.FeatureLPPooling(2, 2, 2)', shapes = 'n x H x W -> floor((n - width)/stride) + 1 x H x W' },
   { 'TemporalDynamicKMaxPooling', 'Module', takes = 'number? number?',
      summary = 'The largest values of each feature, in their order in time.',
      formula = 'y = the max(minK, ceil(factor T)) largest of x',
      arguments = { 'minK: the least number of frames that are kept', 'factor=0: the part of the frames that is kept' },
      example = 'nn.TemporalDynamicKMaxPooling(2, 0.5)',
      shapes = '[B x] T x n -> [B x] max(minK, ceil(factor*T)) x n' },
   { 'TemporalMaxPooling', 'Module', takes = 'size size?',
      summary = 'The maximum of each feature over windows of frames.', formula = MAX,
      arguments = { 'kW: frames of a window', 'dW=kW: stride' },
      example = 'nn.TemporalMaxPooling(3, 2)', shapes = '[B x] T x n -> [B x] floor((T - kW)/dW) + 1 x n' },
   { 'TemporalSubSampling', 'Module', 'SubSampling', takes = 'size size size?',
      summary = 'Sums of windows of frames, times a weight and plus a bias of each feature.',
      formula = 'y = w sum(window) + b',
      arguments = { 'inputFrameSize: features', 'kW: frames of a window', 'dW=1: stride' },
      example = 'nn.TemporalSubSampling(4, 3, 2)',
      shapes = '[B x] T x inputFrameSize -> [B x] floor((T - kW)/dW) + 1 x inputFrameSize',
      parameters = 'weight inputFrameSize, bias inputFrameSize' },
   { 'SpatialMaxPooling', 'Module', takes = IMAGES,
      summary = 'The maximum of each window. `indices` counts the elements of a plane from 1; ceil() keeps windows ' ..
         'that reach beyond the edge.', formula = MAX,
      arguments = MAXIMA, example = 'nn.SpatialMaxPooling(3, 2)', shapes = IMAGE, where = SIZES },
   { 'SpatialDilatedMaxPooling', 'SpatialMaxPooling', takes = IMAGES .. ' size? size?',
      summary = 'The maximum of each window, whose elements have gaps between them.', formula = MAX,
      arguments = extended(MAXIMA, DILATION),
      example = 'nn.SpatialDilatedMaxPooling(3, 2, 1, 1, 0, 0, 2, 2)', shapes = IMAGE, where = DILATED },
   { 'SpatialAveragePooling', 'Module', takes = IMAGES,
      summary = 'The mean of each window. setCountExcludePad() leaves padding out; ceil() keeps windows that reach ' ..
         'beyond the edge.', formula = MEAN,
      arguments = { 'kW: width of a window', 'kH: its height', 'dW=1: horizontal stride', 'dH=1: vertical stride',
         'padW=0: zeros on the left and on the right', 'padH=0: zeros above and below' },
      example = 'nn.SpatialAveragePooling(3, 2)', shapes = IMAGE, where = SIZES },
   { 'SpatialLPPooling', 'Sequential', takes = 'size number size size size? size?',
      summary = 'The p-norm of each window.', formula = 'y = (sum x_i^pnorm over a window)^(1/pnorm)',
      arguments = { 'nInputPlane: planes', 'pnorm: the power', 'kW: width of a window', 'kH: its height',
         'dW=kW: horizontal stride', 'dH=kH: vertical stride' },
      example = 'nn.SpatialLPPooling(2, 2, 3, 2)',
      shapes = '[B x] nInputPlane x H x W -> [B x] nInputPlane x floor((H - kH)/dH) + 1 x floor((W - kW)/dW) + 1' },
   { 'SpatialAdaptiveMaxPooling', 'Module', 'AdaptivePooling', takes = 'size size',
      summary = 'The maxima of windows that divide images of any size into one number of rows and columns.',
      formula = MAX, arguments = { 'W: columns of the output', 'H: rows of the output' },
      example = 'nn.SpatialAdaptiveMaxPooling(3, 2)', shapes = '[B x] n x 8 x 9 -> [B x] n x H x W' },
   { 'SpatialAdaptiveAveragePooling', 'Module', 'AdaptivePooling', takes = 'size size',
      summary = 'The means of windows that divide images of any size into one number of rows and columns.',
      formula = MEAN, arguments = { 'W: columns of the output', 'H: rows of the output' },
      example = 'nn.SpatialAdaptiveAveragePooling(3, 2)', shapes = '[B x] n x 8 x 9 -> [B x] n x H x W' },
   { 'SpatialFractionalMaxPooling', 'Module', 'FractionalMaxPooling',
      summary = 'The maxima of windows at distances drawn for each plane. fixPoolingRegions() keeps the draw.',
      formula = MAX,
      arguments = { 'poolSizeW: width of a window, at least 2', 'poolSizeH: its height, at least 2',
         'outW: columns of the output, or their ratio to those of the input', 'outH: rows of the output, or a ratio' },
      example = 'nn.SpatialFractionalMaxPooling(2, 2, 4, 3)', shapes = '[B x] n x H x W -> [B x] n x outH x outW' },
   { 'SpatialSubSampling', 'Module', 'SubSampling', takes = 'size size size size? size?',
      summary = 'Sums of windows, times a weight and plus a bias of each plane.', formula = 'y = w sum(window) + b',
      arguments = { 'nInputPlane: planes', 'kW: width of a window', 'kH: its height', 'dW=1: horizontal stride',
         'dH=1: vertical stride' },
      example = 'nn.SpatialSubSampling(2, 3, 2)',
      shapes = '[B x] nInputPlane x H x W -> [B x] nInputPlane x floor((H - kH)/dH) + 1 x floor((W - kW)/dW) + 1',
      parameters = 'weight nInputPlane, bias nInputPlane' },
   { 'SpatialMaxUnpooling', 'Module', takes = 'module',
      summary = 'Writes each value where a pooling module found its maximum, and else 0. Forward of the pooling ' ..
         'module comes first.',
      arguments = { 'poolingModule: a SpatialMaxPooling' },
      example = 'nn.SpatialMaxUnpooling(nn.SpatialMaxPooling(2, 2))',
      shapes = 'any (the output of pooling) -> any (its input)' },
   { 'SpatialZeroPadding', 'Module', 'FramePadding',
      summary = 'Zeros around images; negative padding cuts off.', arguments = SIDES,
      example = 'nn.SpatialZeroPadding(1, 2, -1, 3)', shapes = IMAGE, where = PADDED },
   { 'SpatialReflectionPadding', 'Module', 'FramePadding',
      summary = 'Extends images by their mirror image at the edges.', arguments = SIDES,
      example = 'nn.SpatialReflectionPadding(1, 2, 0, 3)', shapes = IMAGE, where = PADDED },
   { 'SpatialReplicationPadding', 'Module', 'FramePadding',
      summary = 'Extends images by the elements of their edges.', arguments = SIDES,
      example = 'nn.SpatialReplicationPadding(1, 2, 0, 3)', shapes = IMAGE, where = PADDED },
   { 'SpatialUpSamplingNearest', 'Module', 'Upsampling',
      summary = 'Repeats each element along height and width.', formula = 'y_{i, j} = x_{ceil(i / s), ceil(j / s)}',
      arguments = { 'params: the whole factor s' },
      example = 'nn.SpatialUpSamplingNearest(2)', shapes = '[B x] n x H x W -> [B x] n x 2*H x 2*W' },
   { 'SpatialUpSamplingBilinear', 'Module', 'Upsampling',
      summary = 'Larger images, linear between elements; corners stay corners.',
      arguments = { 'params: a whole factor, or {oheight=, owidth=}' },
      example = 'nn.SpatialUpSamplingBilinear(2)', shapes = '[B x] n x H x W -> [B x] n x 2*H x 2*W' },
   { 'VolumetricMaxPooling', 'Module', takes = VOLUMES,
      summary = 'The maximum of each window of volumes.', formula = MAX,
      arguments = CUBES, example = 'nn.VolumetricMaxPooling(2, 3, 2)', shapes = VOLUME, where = TIME .. SIZES },
   { 'VolumetricDilatedMaxPooling', 'VolumetricMaxPooling', takes = VOLUMES .. ' size? size? size?',
      summary = 'The maximum of each window of volumes, whose elements have gaps between them.', formula = MAX,
      arguments = extended(CUBES, { 'dilationT=1: frames from one element to the next', unpack(DILATION) }),
      example = 'nn.VolumetricDilatedMaxPooling(2, 3, 2, 1, 1, 1, 0, 0, 0, 2, 2, 2)', shapes = VOLUME,
      where = 'oT = floor((T + 2*padT - dilationT*(kT - 1) - 1)/dT) + 1, ' .. DILATED },
   { 'VolumetricAveragePooling', 'Module', takes = VOLUMES,
      summary = 'The mean of each window of volumes.', formula = MEAN,
      arguments = CUBES, example = 'nn.VolumetricAveragePooling(2, 3, 2)', shapes = VOLUME, where = TIME .. SIZES },
   { 'VolumetricFractionalMaxPooling', 'Module', 'FractionalMaxPooling',
      summary = 'The maxima of windows of volumes, at distances drawn for each plane. Time is the last dimension.',
      formula = MAX,
      arguments = { 'poolSizeT: length of a window in time, at least 2', 'poolSizeW: its width, at least 2',
         'poolSizeH: its height, at least 2', 'outT: frames of the output, or their ratio to those of the input',
         'outW: columns, or a ratio', 'outH: rows, or a ratio' },
      example = 'nn.VolumetricFractionalMaxPooling(2, 2, 2, 3, 4, 5)',
      shapes = '[B x] n x H x W x T -> [B x] n x outH x outW x outT' },
   { 'VolumetricReplicationPadding', 'Module', 'FramePadding',
      summary = 'Extends volumes by the elements of their edges.',
      arguments = extended(SIDES, { 'front=left: frames before', 'back=left: frames after' }),
      example = 'nn.VolumetricReplicationPadding(1, 2, 0, 3, 1, 2)', shapes = VOLUME,
      where = 'oT = T + front + back, ' .. PADDED },
   { 'VolumetricMaxUnpooling', 'Module', 'SpatialMaxUnpooling', takes = 'module',
      summary = 'SpatialMaxUnpooling for volumes.',
      arguments = { 'poolingModule: a VolumetricMaxPooling' },
      example = 'nn.VolumetricMaxUnpooling(nn.VolumetricMaxPooling(2, 2, 2))',
      shapes = 'any (the output of pooling) -> any (its input)' },
}
