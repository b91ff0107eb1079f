-- Convolutions and convolutional networks in float32, compared with convolutions.py: prints name, tab,
-- microseconds, the least of many.
--
--    t7 convolutions.lua [part of a name]

require 'torch'
require 'nn'
torch.setdefaulttensortype('torch.FloatTensor')
torch.manualSeed(1)

local measuring = require 'measuring'
local time, training = measuring.time, measuring.training

local part = arg and arg[1] or ''

-- A row: make() gives its function, and is called where the row is wanted.
local function row(name, make, budget)
   if not name:find(part, 1, true) then return end
   collectgarbage()
   time(name, make(), budget or 2)
end

-- Two rows of a layer for an input of a size.
local function layer(name, make, ...)
   local size = { ... }
   row(name .. ' forward', function()
      local module, x = make(), torch.rand(unpack(size))
      return function() module:forward(x) end
   end)
   row(name .. ' backward', function()
      local module, x = make(), torch.rand(unpack(size))
      local gradient = torch.rand(module:forward(x):size())
      return function()
         module:zeroGradParameters()
         module:backward(x, gradient)
      end
   end)
end

local function conv(inputs, outputs, kernel, stride, pad)
   return nn.SpatialConvolution(inputs, outputs, kernel, kernel, stride, stride, pad, pad)
end

local function full(inputs, outputs) return nn.SpatialFullConvolution(inputs, outputs, 4, 4, 2, 2, 1, 1) end

layer('convolution 3x3 64-64 56x56, batch 4', function() return conv(64, 64, 3, 1, 1) end, 4, 64, 56, 56)
layer('convolution 3x3 128-128 28x28, batch 8', function() return conv(128, 128, 3, 1, 1) end, 8, 128, 28, 28)
layer('convolution 3x3 256-256 14x14, batch 8', function() return conv(256, 256, 3, 1, 1) end, 8, 256, 14, 14)
layer('convolution 3x3 512-512 28x28, batch 1', function() return conv(512, 512, 3, 1, 1) end, 1, 512, 28, 28)
layer('convolution 5x5 32-64 12x12, batch 32', function() return conv(32, 64, 5, 1, 0) end, 32, 32, 12, 12)
layer('convolution 7x7/2 3-64 112x112, batch 4', function() return conv(3, 64, 7, 2, 3) end, 4, 3, 112, 112)
layer('convolution 1x1 256-64 28x28, batch 8', function() return conv(256, 64, 1, 1, 0) end, 8, 256, 28, 28)
layer('full convolution 4x4/2 64-32 16x16, batch 8', function() return full(64, 32) end, 8, 64, 16, 16)
layer('depthwise convolution 3x3 64 56x56, batch 8',
   function() return nn.SpatialDepthWiseConvolution(64, 1, 3, 3, 1, 1, 1, 1) end, 8, 64, 56, 56)
layer('depthwise convolution 3x3/2 128 28x28, batch 8',
   function() return nn.SpatialDepthWiseConvolution(128, 1, 3, 3, 2, 2, 1, 1) end, 8, 128, 28, 28)
layer('dilated convolution 3x3 256-256 28x28, batch 2',
   function() return nn.SpatialDilatedConvolution(256, 256, 3, 3, 1, 1, 2, 2, 2, 2) end, 2, 256, 28, 28)
layer('volumetric convolution 3x3x3 32-64 8x28x28, batch 2',
   function() return nn.VolumetricConvolution(32, 64, 3, 3, 3, 1, 1, 1, 1, 1, 1) end, 2, 32, 8, 28, 28)
layer('temporal convolution 3 64-128 200, batch 16', function() return nn.TemporalConvolution(64, 128, 3) end,
   16, 200, 64)
layer('row convolution 3 128 200, batch 16', function() return nn.TemporalRowConvolution(128, 3) end, 16, 200, 128)

-- A residual block; `stride` above 1 has a convolution of 1x1 as its shortcut.
local function block(inputs, outputs, stride)
   local main = nn.Sequential():add(conv(inputs, outputs, 3, stride, 1)):add(nn.SpatialBatchNormalization(outputs))
      :add(nn.ReLU(true)):add(conv(outputs, outputs, 3, 1, 1)):add(nn.SpatialBatchNormalization(outputs))
   local shortcut = nn.Identity()
   if stride > 1 then
      shortcut = nn.Sequential():add(conv(inputs, outputs, 1, stride, 0)):add(nn.SpatialBatchNormalization(outputs))
   end
   return nn.Sequential():add(nn.ConcatTable():add(main):add(shortcut)):add(nn.CAddTable(true)):add(nn.ReLU(true))
end

local function resnet18()
   local net = nn.Sequential():add(conv(3, 64, 7, 2, 3)):add(nn.SpatialBatchNormalization(64)):add(nn.ReLU(true))
      :add(nn.SpatialMaxPooling(3, 3, 2, 2, 1, 1)):add(block(64, 64, 1)):add(block(64, 64, 1))
   for _, planes in ipairs { 128, 256, 512 } do net:add(block(planes / 2, planes, 2)):add(block(planes, planes, 1)) end
   return net:add(nn.SpatialAveragePooling(7, 7)):add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(512, 1000))
end

local function vgg16()
   local net, inputs = nn.Sequential(), 3
   for _, stage in ipairs { { 64, 2 }, { 128, 2 }, { 256, 3 }, { 512, 3 }, { 512, 3 } } do
      for _ = 1, stage[2] do
         net:add(conv(inputs, stage[1], 3, 1, 1)):add(nn.ReLU(true))
         inputs = stage[1]
      end
      net:add(nn.SpatialMaxPooling(2, 2, 2, 2))
   end
   return net:add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(25088, 4096)):add(nn.ReLU(true))
      :add(nn.Linear(4096, 4096)):add(nn.ReLU(true)):add(nn.Linear(4096, 1000))
end

local function alexnet()
   return nn.Sequential():add(conv(3, 64, 11, 4, 2)):add(nn.ReLU(true)):add(nn.SpatialMaxPooling(3, 3, 2, 2))
      :add(conv(64, 192, 5, 1, 2)):add(nn.ReLU(true)):add(nn.SpatialMaxPooling(3, 3, 2, 2))
      :add(conv(192, 384, 3, 1, 1)):add(nn.ReLU(true)):add(conv(384, 256, 3, 1, 1)):add(nn.ReLU(true))
      :add(conv(256, 256, 3, 1, 1)):add(nn.ReLU(true)):add(nn.SpatialMaxPooling(3, 3, 2, 2))
      :add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(9216, 4096)):add(nn.ReLU(true))
      :add(nn.Linear(4096, 4096)):add(nn.ReLU(true)):add(nn.Linear(4096, 1000)):add(nn.LogSoftMax())
end

-- From 100 numbers to a picture of 64x64.
local function generator()
   local net = nn.Sequential():add(nn.SpatialFullConvolution(100, 512, 4, 4)):add(nn.SpatialBatchNormalization(512))
      :add(nn.ReLU(true))
   for _, planes in ipairs { 256, 128, 64 } do
      net:add(full(planes * 2, planes)):add(nn.SpatialBatchNormalization(planes)):add(nn.ReLU(true))
   end
   return net:add(full(64, 3)):add(nn.Tanh())
end

local function decoder()
   local net, inputs = nn.Sequential(), 256
   for _, planes in ipairs { 128, 64, 32 } do
      net:add(full(inputs, planes)):add(nn.ReLU(true)):add(conv(planes, planes, 3, 1, 1)):add(nn.ReLU(true))
      inputs = planes
   end
   return net:add(conv(32, 21, 1, 1, 0))
end

local function inference(make, ...)
   local size = { ... }
   return function()
      local net, x = make(), torch.rand(unpack(size))
      net:evaluate()
      return function() net:forward(x) end
   end
end

row('residual block 64x28x28, batch 8, a step', function()
   local net, x, g = block(64, 64, 1), torch.rand(8, 64, 28, 28), torch.rand(8, 64, 28, 28)
   return function()
      net:zeroGradParameters()
      net:forward(x)
      net:backward(x, g)
   end
end)
row('ResNet-18 224x224, batch 1', inference(resnet18, 1, 3, 224, 224))
row('ResNet-18 224x224, batch 8', inference(resnet18, 8, 3, 224, 224), 4)
row('VGG-16 224x224, batch 1', inference(vgg16, 1, 3, 224, 224), 4)
row('VGG-16 224x224, batch 8', inference(vgg16, 8, 3, 224, 224), 6)
row('decoder 256x16x16, batch 4', inference(decoder, 4, 256, 16, 16))
row('AlexNet 224x224, batch 8, a step', function()
   return training(alexnet(), nn.ClassNLLCriterion(), torch.rand(8, 3, 224, 224), torch.Tensor(8):random(1, 1000))
end, 6)
row('DCGAN generator 64x64, batch 16, a step', function()
   return training(generator(), nn.MSECriterion(), torch.randn(16, 100, 1, 1), torch.rand(16, 3, 64, 64))
end, 6)
