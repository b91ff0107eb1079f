-- SpatialNetwork{inputFeatures, hiddenFeatures, kernelSize, padding, poolings, activations, inputStride, dropoutProb,
-- dropoutProbs, batchNormalization}: convolutions, each followed by a pooling where that is more than 1.

local ipairs, ceil = ipairs, math.ceil
local cast, common = require('autograd.util').cast, require 'autograd.model.common'

return function(options, params, layers, parameters)
   options, params, layers, parameters = options or {}, params or {}, layers or {}, parameters or {}
   local features, stride, kernel = options.inputFeatures or 3, options.inputStride or 1, options.kernelSize or 5
   local padding = options.padding or ceil(kernel - 1) / 2
   local probabilities, poolings = options.dropoutProbs or {}, options.poolings or { 1, 1, 1 }
   local nn, library = common.library(), common.library(options.cuda)
   for i, count in ipairs(options.hiddenFeatures or { 16, 32, 64 }) do
      local p, pooling = probabilities[i] or options.dropoutProb or 0, poolings[i] or 1
      if p > 0 then common.add(layers, params, parameters, nn.SpatialDropout(p)) end
      local convolution = options.cuda and library.SpatialConvolution or nn.SpatialConvolutionMM
      common.add(layers, params, parameters,
         convolution(features, count, kernel, kernel, stride, stride, padding, padding))
      if options.batchNormalization then
         common.add(layers, params, parameters, nn.SpatialBatchNormalization(count))
      end
      common.add(layers, params, parameters, library[options.activations or 'ReLU']())
      if pooling > 1 then common.add(layers, params, parameters, library.SpatialMaxPooling(pooling, pooling)) end
      features, stride = count, 1
   end
   if options.cuda then params = cast(params, 'cuda') end
   return common.sequence(layers, parameters), params, layers
end
