-- Convolutions of one, two and three dimensions.

-- Planes, kernel, stride, padding: of images, and of volumes.
local IMAGES = 'size size size size size? size? number? number?'
local VOLUMES = 'size size size size size size? size? size? number? number? number?'

local PLANES = { 'nInputPlane: planes of the input', 'nOutputPlane: planes of the output' }
local WINDOW = { 'kW: width of the kernel', 'kH: its height', 'dW=1: horizontal stride', 'dH=1: vertical stride' }
local PAD = { 'padW=0: zeros on the left and on the right', 'padH=padW: zeros above and below' }
local SPACE = { 'kT: length of the kernel in time', 'kW: its width', 'kH: its height', 'dT=1: stride in time',
   'dW=1: horizontal stride', 'dH=1: vertical stride' }
local AROUND = { 'padT=0: zeros before and after', 'padW=padT: zeros on the left and on the right',
   'padH=padW: zeros above and below' }
local ZEROS = { 'padW=0: columns that are cut off on the left and on the right',
   'padH=0: rows that are cut off above and below' }

local IMAGE = '[B x] nInputPlane x H x W -> [B x] nOutputPlane x oH x oW'
local VOLUME = '[B x] nInputPlane x T x H x W -> [B x] nOutputPlane x oT x oH x oW'
local SIZES = 'oW = floor((W + 2*padW - kW)/dW) + 1, oH = floor((H + 2*padH - kH)/dH) + 1'
local TIME = 'oT = floor((T + 2*padT - kT)/dT) + 1, '
local DILATED = 'oW = floor((W + 2*padW - dilationW*(kW - 1) - 1)/dW) + 1, ' ..
   'oH = floor((H + 2*padH - dilationH*(kH - 1) - 1)/dH) + 1'
local FULL = 'oW = (W - 1)*dW - 2*padW + kW + adjW, oH = (H - 1)*dH - 2*padH + kH + adjH'
local WEIGHT = 'weight nOutputPlane x nInputPlane x kH x kW, bias nOutputPlane'

-- Elements are counted from 0; those outside of the input are 0.
local CORRELATION = 'y[o, i, j] = b[o] + sum_pkl W[o, p, k, l] x[p, i dH + k - padH, j dW + l - padW]'
local DILATION = 'y[o, i, j] = b[o] + sum_pkl W[o, p, k, l] x[p, i dH + k dilationH - padH, j dW + l dilationW - padW]'
local TRANSPOSED = 'y[o, i dH + k - padH, j dW + l - padW] = b[o] + sum_pkl W[p, o, k, l] x[p, i, j]'

-- The arguments of lists, one after the other.
local function join(...)
   local all = {}
   for _, list in ipairs { ... } do
      for _, argument in ipairs(list) do all[#all + 1] = argument end
   end
   return all
end

return {
   title = 'Convolutions',
   { 'TemporalConvolution', 'Module', takes = 'size size size size?',
      summary = 'A convolution over time, of frames of features.',
      formula = 'y_t = b + W [x_s, ..., x_{s + kW - 1}], s = (t - 1) dW + 1',
      arguments = { 'inputFrameSize: features of the input', 'outputFrameSize: features of the output',
         'kW: frames of the kernel', 'dW=1: stride' },
      example = 'nn.TemporalConvolution(4, 2, 3)', shapes = '[B x] T x inputFrameSize -> [B x] oT x outputFrameSize',
      where = 'oT = floor((T - kW)/dW) + 1',
      parameters = 'weight outputFrameSize x inputFrameSize*kW, bias outputFrameSize' },
   { 'TemporalRowConvolution', 'Module', takes = 'size size size? any?',
      buffers = { 'finput', 'fgradInput', '_input', '_gradOutput' },
      summary = 'A convolution over time with a kernel for each feature.',
      formula = 'y_tf = b_f + sum_k W_fk x_{s + k - 1, f}, s = (t - 1) dW + 1',
      arguments = { 'inputFrameSize: features', 'kW: frames of a kernel', 'dW=1: stride',
         'featFirst=false: true for inputs of features x frames' },
      example = 'nn.TemporalRowConvolution(4, 3)', shapes = '[B x] T x inputFrameSize -> [B x] oT x inputFrameSize',
      where = 'oT = floor((T - kW)/dW) + 1',
      parameters = 'weight inputFrameSize x 1 x kW, bias inputFrameSize' },
   { 'SpatialConvolution', 'Module', 'window_convolution', fields = true,
      takes = IMAGES,
      summary = 'A convolution of images.', formula = CORRELATION, arguments = join(PLANES, WINDOW, PAD),
      example = 'nn.SpatialConvolution(2, 3, 5, 3, 2, 1, 1)', shapes = IMAGE, where = SIZES, parameters = WEIGHT },
   { 'SpatialConvolutionMM', 'Module', 'window_convolution', fields = true,
      takes = IMAGES,
      summary = 'SpatialConvolution whose weight is a matrix.', formula = CORRELATION,
      arguments = join(PLANES, WINDOW, PAD),
      example = 'nn.SpatialConvolutionMM(2, 3, 5, 3, 2, 1, 1)', shapes = IMAGE, where = SIZES,
      parameters = 'weight nOutputPlane x nInputPlane*kH*kW, bias nOutputPlane' },
   { 'SpatialDilatedConvolution', 'SpatialConvolution', 'window_convolution', fields = true,
      takes = IMAGES .. ' size? size?',
      summary = 'A convolution of images whose kernel has gaps.', formula = DILATION,
      arguments = join(PLANES, WINDOW, PAD, { 'dilationW=1: columns from one tap to the next',
         'dilationH=1: rows from one tap to the next' }),
      example = 'nn.SpatialDilatedConvolution(2, 3, 3, 3, 1, 1, 1, 1, 2, 3)', shapes = IMAGE, where = DILATED,
      parameters = WEIGHT },
   { 'SpatialFullConvolution', 'Module', 'window_convolution', fields = true,
      takes = IMAGES .. ' number? number?',
      summary = 'The transposed convolution of images. {x, z} gives an output of the height and width of z.',
      formula = TRANSPOSED,
      arguments = join(PLANES, WINDOW, ZEROS, { 'adjW=0: columns more, fewer than dW',
         'adjH=0: rows more, fewer than dH' }),
      example = 'nn.SpatialFullConvolution(2, 3, 4, 3, 2, 2, 1, 1, 1)', shapes = IMAGE, where = FULL,
      parameters = 'weight nInputPlane x nOutputPlane x kH x kW, bias nOutputPlane' },
   { 'SpatialDepthWiseConvolution', 'Module', 'window_convolution', fields = true,
      takes = IMAGES,
      summary = 'Several kernels for each plane of the input; their outputs follow each other.',
      formula = 'y[p, o, i, j] = b[o, p] + sum_kl W[o, p, k, l] x[p, i dH + k - padH, j dW + l - padW]',
      arguments = join({ 'nInputPlane: planes of the input', 'nOutputPlane: outputs of each plane' }, WINDOW, PAD),
      example = 'nn.SpatialDepthWiseConvolution(2, 3, 5, 3)',
      shapes = '[B x] nInputPlane x H x W -> [B x] nInputPlane*nOutputPlane x oH x oW', where = SIZES,
      parameters = 'weight nOutputPlane x nInputPlane*kH*kW, bias nOutputPlane x nInputPlane' },
   { 'SpatialConvolutionLocal', 'Module', fields = true, buffers = { 'finput', 'fgradInput', '_input', '_gradOutput' },
      takes = 'size size size size size size size? size? number? number?',
      summary = 'A convolution with separate weights for each pixel of the output, for images of one size.',
      formula = 'y[o, i, j] = b[o, i, j] + sum_pkl W[i, j, o, p, k, l] x[p, i dH + k - padH, j dW + l - padW]',
      arguments = join(PLANES, { 'iW: width of the input', 'iH: height of the input' }, WINDOW, PAD),
      example = 'nn.SpatialConvolutionLocal(2, 3, 8, 6, 5, 3)',
      shapes = '[B x] nInputPlane x iH x iW -> [B x] nOutputPlane x oH x oW',
      where = 'oW = floor((iW + 2*padW - kW)/dW) + 1, oH = floor((iH + 2*padH - kH)/dH) + 1',
      parameters = 'weight oH x oW x nOutputPlane x nInputPlane x kH x kW, bias nOutputPlane x oH x oW' },
   { 'SpatialConvolutionMap', 'Module', takes = 'tensor size size size? size?',
      summary = 'A convolution with a kernel for each pair of planes in a table.',
      formula = 'y[o] = b[o] + sum W[r] * x[p] over the rows r = {p, o} of the table, * the cross-correlation',
      arguments = join({ 'conMatrix: rows {input plane, output plane}, such as nn.tables.full makes' }, WINDOW),
      example = 'nn.SpatialConvolutionMap(nn.tables.full(2, 3), 5, 3)', shapes = '[B x] 2 x H x W -> [B x] 3 x oH x oW',
      where = 'oW = floor((W - kW)/dW) + 1, oH = floor((H - kH)/dH) + 1', parameters = 'weight 6 x kH x kW, bias 3' },
   { 'SpatialFullConvolutionMap', 'Module', 'SpatialConvolutionMap', takes = 'tensor size size size? size?',
      summary = 'The transposed convolution with a kernel for each pair of planes in a table.',
      formula = 'y[o] = b[o] + sum W[r] * x[p] over the rows r = {p, o} of the table, * the full convolution',
      arguments = join({ 'conMatrix: rows {input plane, output plane}, such as nn.tables.full makes' }, WINDOW),
      example = 'nn.SpatialFullConvolutionMap(nn.tables.full(2, 3), 5, 3)',
      shapes = '[B x] 2 x H x W -> [B x] 3 x oH x oW', where = 'oW = (W - 1)*dW + kW, oH = (H - 1)*dH + kH',
      parameters = 'weight 6 x kH x kW, bias 3' },
   { 'VolumetricConvolution', 'Module', 'window_convolution', fields = true,
      takes = VOLUMES,
      summary = 'A convolution of volumes.', formula = CORRELATION .. ', over time likewise',
      arguments = join(PLANES, SPACE, AROUND),
      example = 'nn.VolumetricConvolution(2, 3, 2, 5, 3)', shapes = VOLUME, where = TIME .. SIZES,
      parameters = 'weight nOutputPlane x nInputPlane x kT x kH x kW, bias nOutputPlane' },
   { 'VolumetricDilatedConvolution', 'VolumetricConvolution', 'window_convolution', fields = true,
      takes = VOLUMES .. ' size? size? size?',
      summary = 'A convolution of volumes whose kernel has gaps.', formula = DILATION .. ', over time likewise',
      arguments = join(PLANES, SPACE, AROUND, { 'dilationT=1: frames from one tap to the next',
         'dilationW=1: columns from one tap to the next', 'dilationH=1: rows from one tap to the next' }),
      example = 'nn.VolumetricDilatedConvolution(2, 3, 2, 3, 3, 1, 1, 1, 0, 0, 0, 2, 2, 3)', shapes = VOLUME,
      where = 'oT = floor((T + 2*padT - dilationT*(kT - 1) - 1)/dT) + 1, ' .. DILATED,
      parameters = 'weight nOutputPlane x nInputPlane x kT x kH x kW, bias nOutputPlane' },
   { 'VolumetricFullConvolution', 'Module', 'window_convolution', fields = true,
      takes = VOLUMES .. ' number? number? number?',
      summary = 'The transposed convolution of volumes. {x, z} gives an output of the sizes of z.',
      formula = TRANSPOSED .. ', over time likewise',
      arguments = join(PLANES, SPACE, { 'padT=0: frames that are cut off before and after' }, ZEROS,
         { 'adjT=0: frames more, fewer than dT', 'adjW=0: columns more, fewer than dW',
            'adjH=0: rows more, fewer than dH' }),
      example = 'nn.VolumetricFullConvolution(2, 3, 2, 4, 3, 1, 2, 2, 0, 1, 1)', shapes = VOLUME,
      where = 'oT = (T - 1)*dT - 2*padT + kT + adjT, ' .. FULL,
      parameters = 'weight nInputPlane x nOutputPlane x kT x kH x kW, bias nOutputPlane' },
   functions = { { 'tables', 'connection_tables', { 'full', 'oneToOne', 'random' } } },
}
