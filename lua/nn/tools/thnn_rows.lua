-- The functions of nn.THNN, a row each: the class whose methods compute them, and the names of their arguments. A name
-- is that of the field of the module which the argument becomes; `input`, `target`, `gradOutput` and `scale` are
-- arguments of the method, and `_` is one that this library has no use for, such as scratch memory.
--
-- The fields of a row are the functions: `updateOutput`, `updateGradInput`, `accGradParameters`, `backward`, `renorm`.
-- `fields` are those of the module that no argument gives; `as_image` says that the module, which is for images,
-- computes lines. Functions that no module has are in thnn_functions.lua. Modules of published programs call
-- these: group, pruned and binary convolutions, for instance, change the weights and call SpatialConvolutionMM's.

local thnn_rows = {}

-- A module whose further arguments are the same forward and backward; `learned` are those of its parameters.
local function same(name, options, backward)
   thnn_rows[name] = {
      class = name,
      updateOutput = 'input output ' .. options,
      updateGradInput = 'input gradOutput gradInput ' .. (backward or options),
   }
   return thnn_rows[name]
end

-- A module with parameters: scratch memory forward, backward and for the gradients, and its options.
local function learned(name, class, forward, backward, gradients, options)
   thnn_rows[name] = {
      class = class,
      updateOutput = string.format('input output weight bias %s %s', forward, options),
      updateGradInput = string.format('input gradOutput gradInput weight %s %s', backward, options),
      accGradParameters = string.format('input gradOutput gradWeight gradBias %s %s scale', gradients, options),
   }
   return thnn_rows[name]
end

local function criterion(name, options)
   thnn_rows[name] = {
      class = name,
      updateOutput = 'input target output ' .. options,
      updateGradInput = 'input target gradInput ' .. options,
   }
end

same('Abs', '')
same('Square', '')
same('Sqrt', '_', 'output')
same('Sigmoid', '', 'output')
same('Tanh', '', 'output')
same('SoftMax', '', 'output')
same('LogSoftMax', '', 'output')
same('LogSigmoid', '_')
same('HardShrink', 'lambda')
same('SoftShrink', 'lambda')
same('HardTanh', 'min_val max_val inplace')
same('LeakyReLU', 'negval inplace')
same('Threshold', 'threshold val inplace')
same('ELU', 'alpha inplace', 'output alpha inplace')
same('SoftPlus', 'beta threshold', 'output beta threshold')
same('RReLU', 'noise lower upper train inplace _', 'noise lower upper train inplace')
same('PReLU', 'weight nOutputPlane').accGradParameters =
   'input gradOutput _ weight gradWeight _ _ nOutputPlane scale'

criterion('AbsCriterion', 'sizeAverage')
criterion('MSECriterion', 'sizeAverage')
criterion('SmoothL1Criterion', 'sizeAverage')
criterion('SoftMarginCriterion', 'sizeAverage')
criterion('DistKLDivCriterion', 'sizeAverage')
criterion('MarginCriterion', 'sizeAverage margin')
criterion('BCECriterion', 'sizeAverage weights')
criterion('MultiMarginCriterion', 'sizeAverage p weights margin')
criterion('MultiLabelMarginCriterion', 'isTarget sizeAverage')
criterion('ClassNLLCriterion', 'sizeAverage weights total_weight_tensor ignoreIndex')
criterion('SpatialClassNLLCriterion', 'sizeAverage weights total_weight_tensor ignoreIndex')
thnn_rows.L1Cost = { class = 'L1Cost', updateOutput = 'input output', updateGradInput = 'input _ gradInput' }

thnn_rows.Linear = {
   class = 'Linear',
   updateOutput = 'input output weight bias _',
   updateGradInput = 'input gradOutput gradInput weight',
   accGradParameters = 'input gradOutput _ weight bias gradWeight gradBias _ scale',
}
thnn_rows.BatchNormalization = {
   class = 'BatchNormalization', fields = { momentum = 0.1 },
   updateOutput = 'input output weight bias running_mean running_var save_mean save_std train momentum eps',
   backward = 'input gradOutput gradInput gradWeight gradBias weight running_mean running_var save_mean save_std train '
      .. 'scale eps',
}

for _, name in ipairs { 'SpatialConvolutionMap', 'SpatialFullConvolutionMap' } do
   local options = 'connTable nInputPlane nOutputPlane dW dH'
   learned(name, name, '', '', '', options).updateGradInput = 'input gradOutput gradInput weight bias ' .. options
end
learned('TemporalConvolution', 'TemporalConvolution', '', '', '', 'kW dW').updateOutput =
   'input output weight bias kW dW inputFrameSize outputFrameSize'
learned('TemporalSubSampling', 'TemporalSubSampling', '', '', '', 'kW dW').updateOutput =
   'input output weight bias kW dW inputFrameSize'
learned('TemporalRowConvolution', 'TemporalRowConvolution', '_ _', '_ _', '_ _', 'kW dW padW featFirst')
learned('SpatialSubSampling', 'SpatialSubSampling', '', '', '', 'kW kH dW dH')
learned('SpatialConvolutionMM', 'SpatialConvolutionMM', '_ _', '_ _', '_ _', 'kW kH dW dH padW padH')
learned('SpatialConvolutionLocal', 'SpatialConvolutionLocal', '_ _', '_ _', '_ _',
   'kW kH dW dH padW padH iW iH oW oH')
learned('SpatialDepthWiseConvolution', 'SpatialDepthWiseConvolution', '_ _', '_ _', '_ _', 'kW kH dW dH padW padH')
learned('SpatialDilatedConvolution', 'SpatialDilatedConvolution', '_ _', '_', '_ _',
   'kW kH dW dH padW padH dilationW dilationH')
learned('SpatialFullConvolution', 'SpatialFullConvolution', '_ _', '_', '_ _', 'kW kH dW dH padW padH adjW adjH')
learned('VolumetricDilatedConvolution', 'VolumetricDilatedConvolution', '_ _', '_', '_ _',
   'kT kW kH dT dW dH padT padW padH dilationT dilationW dilationH')
learned('VolumetricFullConvolution', 'VolumetricFullConvolution', '_ _', '_ _', '_ _',
   'dT dW dH padT padW padH adjT adjW adjH')
learned('VolumetricConvolution', 'VolumetricConvolution', '_ _', '_', '_ _', 'dT dW dH padT padW padH')
learned('VolumetricConvolutionMM', 'VolumetricConvolution', '_', '_ _', '_', 'kT kW kH dT dW dH padT padW padH')

same('TemporalMaxPooling', 'indices kW dW')
same('SpatialMaxPooling', 'indices kW kH dW dH padW padH ceil_mode')
same('SpatialDilatedMaxPooling', 'indices kW kH dW dH padW padH dilationW dilationH ceil_mode')
same('SpatialAveragePooling', 'kW kH dW dH padW padH ceil_mode count_include_pad').fields = { divide = true }
same('SpatialAdaptiveMaxPooling', 'indices W H', 'indices')
same('SpatialAdaptiveAveragePooling', 'W H', '')
same('SpatialUpSamplingNearest', 'scale_factor')
same('SpatialReflectionPadding', 'pad_l pad_r pad_t pad_b')
same('SpatialReplicationPadding', 'pad_l pad_r pad_t pad_b')
same('VolumetricReplicationPadding', 'pleft pright ptop pbottom pfront pback')
same('VolumetricMaxPooling', 'indices kT kW kH dT dW dH padT padW padH ceil_mode')
same('VolumetricDilatedMaxPooling',
   'indices kT kW kH dT dW dH padT padW padH dilationT dilationW dilationH ceil_mode')
same('VolumetricAveragePooling', 'kT kW kH dT dW dH padT padW padH ceil_mode count_include_pad')

same('SpatialFractionalMaxPooling', 'outW outH poolSizeW poolSizeH indices randomSamples',
   'outW outH poolSizeW poolSizeH indices')
same('VolumetricFractionalMaxPooling', 'outT outW outH poolSizeT poolSizeW poolSizeH indices randomSamples',
   'outT outW outH poolSizeT poolSizeW poolSizeH indices')
same('SpatialMaxUnpooling', 'indices owidth oheight')
same('VolumetricMaxUnpooling', 'indices otime owidth oheight _ _ _ _ _ _')
same('GatedLinear', 'dim').class = 'GatedLinearUnit'
thnn_rows.FeatureLPPooling = {
   class = 'FeatureLPPooling',
   updateOutput = 'input output power width stride batch_mode',
   updateGradInput = 'gradOutput input output gradInput power width stride batch_mode',
}

for _, kind in ipairs { 'Reflection', 'Replication' } do
   local row = same('Temporal' .. kind .. 'Padding', 'pad_l pad_r')
   row.class, row.as_image, row.fields = 'Spatial' .. kind .. 'Padding', true, { pad_t = 0, pad_b = 0 }
end

-- Upsampling. Those that are linear have the sizes of the input for their gradients, and not the input.
local function linear(name, class, sizes_in, sizes_out)
   thnn_rows[name] = {
      class = class, fields = { mode = 'linear' },
      updateOutput = 'input output ' .. sizes_out,
      updateGradInput = string.format('gradOutput gradInput images planes %s %s', sizes_in, sizes_out),
   }
end
linear('TemporalUpSamplingLinear', 'UpSampling', 'iwidth', 'owidth')
thnn_rows.TemporalUpSamplingLinear.as_image = true
linear('SpatialUpSamplingBilinear', 'SpatialUpSamplingBilinear', 'iheight iwidth', 'oheight owidth')
linear('VolumetricUpSamplingTrilinear', 'UpSampling', 'idepth iheight iwidth', 'odepth oheight owidth')
same('VolumetricUpSamplingNearest', 'scale_factor').class = 'UpSampling'

thnn_rows.LookupTable = {
   class = 'LookupTable',
   accGradParameters = 'input gradOutput gradWeight _count _ _ shouldScaleGradByFreq paddingValue scale',
   renorm = 'input weight maxNorm normType',
}

return thnn_rows
