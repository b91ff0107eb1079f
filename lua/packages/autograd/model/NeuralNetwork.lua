-- NeuralNetwork{inputFeatures, hiddenFeatures, activations, dropoutProb, dropoutProbs, batchNormalization, classifier}:
-- linear layers; of a classifier, the last has no activation.

local ipairs = ipairs
local cast, common = require('autograd.util').cast, require 'autograd.model.common'

return function(options, params, layers, parameters)
   options, params, layers, parameters = options or {}, params or {}, layers or {}, parameters or {}
   local features = options.inputFeatures or 10
   local hidden, probabilities = options.hiddenFeatures or { 100, 2 }, options.dropoutProbs or {}
   local nn, library = common.library(), common.library(options.cuda)
   common.add(layers, params, parameters, nn.Reshape(features))
   for i, count in ipairs(hidden) do
      local last = options.classifier and i == #hidden
      local p = probabilities[i] or options.dropoutProb or 0
      if p > 0 then common.add(layers, params, parameters, nn.Dropout(p)) end
      common.add(layers, params, parameters, nn.Linear(features, count))
      if options.batchNormalization and not last then
         common.add(layers, params, parameters, nn.BatchNormalization(count))
      end
      if not last then common.add(layers, params, parameters, library[options.activations or 'ReLU']()) end
      features = count
   end
   if options.cuda then params = cast(params, 'cuda') end
   return common.sequence(layers, parameters), params, layers
end
