-- loadcaffe: networks of Caffe as networks of nn. The files are read by t7shell/packages/loadcaffe.

local ipairs, require = ipairs, require
local nn = require 'nn'
local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'
local host = require('torch.native.host').of 'loadcaffe'

local loadcaffe = {}

local function set_parameters(module, layer)
   module.weight:copy(layer.weight:viewAs(module.weight))
   if layer.bias then module.bias:copy(layer.bias) else module:noBias() end
   return module
end

-- Makes the module of a layer, by its kind, from the classes of a backend.
local make = {}

function make.convolution(layer, backend)
   local inputs, outputs, kW, kH, dW, dH = layer.inputs, layer.outputs, layer.kW, layer.kH, layer.dW, layer.dH
   local module
   if layer.dilationW > 1 or layer.dilationH > 1 then
      if layer.groups > 1 then
         check.fail('loadcaffe.load', "layer '%s' must have groups or dilation (got both)", layer.name)
      end
      module = nn.SpatialDilatedConvolution(inputs, outputs, kW, kH, dW, dH, layer.padW, layer.padH,
         layer.dilationW, layer.dilationH)
   elseif layer.groups > 1 then
      -- nn has no groups.
      local cudnn = require 'cudnn'
      module = cudnn.SpatialConvolution(inputs, outputs, kW, kH, dW, dH, layer.padW, layer.padH, layer.groups)
   else
      module = backend.SpatialConvolution(inputs, outputs, kW, kH, dW, dH, layer.padW, layer.padH)
   end
   return set_parameters(module, layer)
end

function make.pooling(layer, backend)
   local name = layer.average and 'AveragePooling' or 'MaxPooling'
   if layer.whole then return nn['SpatialAdaptive' .. name](1, 1) end
   return backend['Spatial' .. name](layer.kW, layer.kH, layer.dW, layer.dH, layer.padW, layer.padH):ceil()
end

function make.lrn(layer, backend)
   return backend.SpatialCrossMapLRN(layer.size, layer.alpha, layer.beta, layer.k)
end

function make.linear(layer)
   return set_parameters(nn.Linear(layer.weight:size(2), layer.weight:size(1)), layer)
end

function make.relu(layer, backend)
   if layer.slope ~= 0 then return nn.LeakyReLU(layer.slope, true) end
   return backend.ReLU(true)
end

function make.dropout(layer) return nn.Dropout(layer.ratio) end
function make.tanh(_, backend) return backend.Tanh() end
function make.sigmoid(_, backend) return backend.Sigmoid() end
function make.abs() return nn.Abs() end
function make.softmax(_, backend) return backend.SoftMax() end

-- Loads a chain of layers; `backend` is 'nn' or 'cudnn', the package of the modules. They have the names of the
-- layers, and float parameters.
function loadcaffe.load(prototxt, caffemodel, backend)
   check.kind('loadcaffe.load', 'prototxt', prototxt, 'string')
   check.kind('loadcaffe.load', 'caffemodel', caffemodel, 'string')
   backend = backend or 'nn'
   if backend ~= 'nn' and backend ~= 'nn-cpu' and backend ~= 'cudnn' then
      check.refuse('loadcaffe.load', 'backend', "'nn' or 'cudnn'", backend)
   end
   local reader, why = host.read(prototxt, caffemodel)
   if not reader then check.fail('loadcaffe.load', '%s', why) end
   local net, classes = nn.Sequential(), backend == 'cudnn' and require 'cudnn' or nn
   local flat = false
   for _, layer in ipairs(exchange.from(reader)) do
      if (layer.kind == 'linear' or layer.kind == 'flatten') and not flat then
         local view = nn.View(-1):setNumInputDims(3)
         view.name = layer.kind == 'flatten' and layer.name or 'torch_view'
         net:add(view)
         flat = true
      end
      if layer.kind ~= 'flatten' then
         local module = make[layer.kind](layer, classes)
         module.name = layer.name
         net:add(module)
      end
   end
   return net:float()
end

return loadcaffe
