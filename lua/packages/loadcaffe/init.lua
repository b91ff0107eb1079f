-- loadcaffe: networks of Caffe as networks of nn. The files are read by t7shell/packages/loadcaffe.

local nn = require 'nn'
local check, exchange = require 'torch.base.check', require 'torch.utility.exchange'
local host = require('torch.native.host').of 'loadcaffe'

local loadcaffe = {}
rawset(_G, 'loadcaffe', loadcaffe)

local function set_parameters(module, layer)
   module.weight:copy(layer.weight:viewAs(module.weight))
   if layer.bias then module.bias:copy(layer.bias) else module:noBias() end
   return module
end

-- A module that applies several modules in order.
local function joined(modules)
   if #modules == 1 then return modules[1] end
   local net = nn.Sequential()
   for _, module in ipairs(modules) do net:add(module) end
   return net
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
   local module = backend['Spatial' .. name](layer.kW, layer.kH, layer.dW, layer.dH, layer.padW, layer.padH)
   return layer.ceil and module:ceil() or module
end

function make.lrn(layer, backend)
   return backend.SpatialCrossMapLRN(layer.size, layer.alpha, layer.beta, layer.k)
end

function make.linear(layer)
   return set_parameters(nn.Linear(layer.weight:size(2), layer.weight:size(1)), layer)
end

function make.deconvolution(layer, backend)
   return set_parameters(backend.SpatialFullConvolution(layer.inputs, layer.outputs, layer.kW, layer.kH, layer.dW,
      layer.dH, layer.padW, layer.padH), layer)
end

function make.batchnorm(layer, backend)
   local affine = layer.weight ~= nil
   local classes = affine and backend or nn
   local name = layer.flat and 'BatchNormalization' or 'SpatialBatchNormalization'
   local module = classes[name](layer.planes, layer.eps, layer.momentum, affine)
   module.running_mean:copy(layer.mean)
   module.running_var:copy(layer.variance)
   return affine and set_parameters(module, layer) or module
end

-- A factor and a number to add for each channel, or one of them.
function make.scale(layer)
   local sizes, modules = { 1, layer.planes }, {}
   for d = 3, layer.rank_before do sizes[d] = 1 end
   for _, part in ipairs { 'weight', 'bias' } do
      if layer[part] then
         local module = nn[part == 'weight' and 'CMul' or 'CAdd'](unpack(sizes))
         module[part]:copy(layer[part]:viewAs(module[part]))
         modules[#modules + 1] = module
      end
   end
   return joined(modules)
end

-- Modules for scale * x + shift; none if that is x.
local function line(scale, shift)
   local modules = {}
   if scale ~= 1 then modules[1] = nn.MulConstant(scale) end
   if shift ~= 0 then modules[#modules + 1] = nn.AddConstant(shift) end
   return modules
end

function make.power(layer)
   local modules = line(layer.scale, layer.shift)
   if layer.power ~= 1 then modules[#modules + 1] = nn.Power(layer.power) end
   if #modules == 0 then modules[1] = nn.Identity() end
   return joined(modules)
end

function make.exp(layer)
   local modules = line(layer.scale * layer.factor, layer.shift * layer.factor)
   modules[#modules + 1] = nn.Exp()
   return joined(modules)
end

function make.log(layer)
   local modules = line(layer.scale, layer.shift)
   modules[#modules + 1] = nn.Log()
   if layer.factor ~= 1 then modules[#modules + 1] = nn.MulConstant(1 / layer.factor) end
   return joined(modules)
end

function make.relu(layer, backend)
   if layer.slope ~= 0 then return nn.LeakyReLU(layer.slope, layer.inplace) end
   return backend.ReLU(layer.inplace)
end

function make.prelu(layer)
   local module = nn.PReLU(layer.planes)
   module.weight:copy(layer.weight)
   return module
end

-- All dimensions of a sample become one.
function make.view(layer) return nn.View(-1):setNumInputDims(layer.rank - 1) end

function make.reshape(layer)
   if layer.keeps then return nn.View(unpack(layer.sizes)):setNumInputDims(layer.before - 1) end
   return nn.View(-1, unpack(layer.sizes))
end

function make.concat(layer) return nn.JoinTable(layer.axis, layer.before - 1) end

function make.add(layer)
   local factors = nn.ParallelTable()
   local plain = true
   for _, factor in ipairs(layer.factors) do
      plain = plain and factor == 1
      factors:add(factor == 1 and nn.Identity() or nn.MulConstant(factor))
   end
   return plain and nn.CAddTable() or joined { factors, nn.CAddTable() }
end

function make.slice(layer) return nn.Narrow(layer.axis, layer.offset, layer.length) end
function make.elu(layer) return nn.ELU(layer.alpha) end
function make.dropout(layer) return nn.Dropout(layer.ratio) end
function make.tanh(_, backend) return backend.Tanh() end
function make.sigmoid(_, backend) return backend.Sigmoid() end
function make.abs() return nn.Abs() end
function make.max() return nn.CMaxTable() end
function make.multiply() return nn.CMulTable() end
function make.softmax(_, backend) return backend.SoftMax() end
function make.softplus() return nn.SoftPlus() end

-- Makes a graph of modules: indices number the inputs first, then the modules.
local function graph_of(found, modules)
   require 'nngraph'
   local nodes, inputs, outputs = {}, {}, {}
   for i = 1, found.inputs do
      inputs[i] = nn.Identity()()
      nodes[i] = inputs[i]
   end
   for i, module in ipairs(modules) do
      local sources = {}
      for k, source in ipairs(found.layers[i].sources) do sources[k] = nodes[source] end
      nodes[#nodes + 1] = module(sources)
   end
   for i, source in ipairs(found.outputs) do outputs[i] = nodes[source] end
   return nn.gModule(inputs, outputs)
end

-- Loads a network: nn.Sequential for a chain of layers, and nn.gModule for others. `backend` is 'nn' or 'cudnn', the
-- package of the modules. They have the names of the layers, and float parameters.
function loadcaffe.load(prototxt, caffemodel, backend)
   check.kind('loadcaffe.load', 'prototxt', prototxt, 'string')
   check.kind('loadcaffe.load', 'caffemodel', caffemodel, 'string')
   backend = backend or 'nn'
   if backend ~= 'nn' and backend ~= 'nn-cpu' and backend ~= 'cudnn' then
      check.argument_error('loadcaffe.load', 'backend', "'nn' or 'cudnn'", backend)
   end
   local reader, why = host.read(prototxt, caffemodel)
   if not reader then check.fail('loadcaffe.load', '%s', why) end
   local classes = backend == 'cudnn' and require 'cudnn' or nn
   local found, modules = exchange.from(reader), {}
   for i, layer in ipairs(found.layers) do
      modules[i] = make[layer.kind](layer, classes)
      modules[i].name = layer.name
   end
   if not found.chain then return graph_of(found, modules):float() end
   local net = nn.Sequential()
   for _, module in ipairs(modules) do net:add(module) end
   return net:float()
end

return loadcaffe
