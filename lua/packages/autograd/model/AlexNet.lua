-- AlexNet(depth, height, width, convOptions, mlpOptions): a SpatialNetwork and, on its output for images of this size,
-- a NeuralNetwork that is a classifier.

local pairs = pairs
local torch = require 'torch'
local errors, common = require 'torch.base.errors', require 'autograd.model.common'
local NeuralNetwork = require 'autograd.model.NeuralNetwork'
local SpatialNetwork = require 'autograd.model.SpatialNetwork'

local function copy(options)
   local new = {}
   for key, value in pairs(options or {}) do new[key] = value end
   return new
end

return function(depth, height, width, convOptions, mlpOptions, params, layers, parameters)
   local conv, mlp = copy(convOptions), copy(mlpOptions)
   if conv.kernelSizes or conv.paddings then
      errors.raise 'AlexNet: kernelSize and padding are the same for all layers'
   end
   if mlp.inputFeatures then errors.raise 'AlexNet: inputFeatures of the last layers follow from the size of images' end
   conv.inputFeatures = depth
   mlp.classifier = true
   conv.cuda = conv.cuda or mlp.cuda
   mlp.cuda = conv.cuda
   layers, parameters = layers or {}, parameters or {}
   local spatial
   spatial, params = SpatialNetwork(conv, params, layers, parameters)
   local image = torch.randn(1, depth, height, width):typeAs(params[1][1])
   mlp.inputFeatures = spatial(params, image):nElement()
   local _
   _, params = NeuralNetwork(mlp, params, layers, parameters)
   return common.sequence(layers, parameters), params, layers
end
