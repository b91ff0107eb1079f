-- Training programs in the shape of the GPU years, as benchmarks/gpu/run.py and the tests run them:
-- networks[name](size) returns step(), which trains on one batch and returns the loss. `size` is 'small' or 'full'.

local torch, nn = require 'torch', require 'nn'
require 'cunn'
local cudnn, optim = require 'cudnn', require 'optim'

local networks = {}

-- A convolution with what follows it.
local function convolution(net, from, to, stride, relu)
   net:add(cudnn.SpatialConvolution(from, to, 3, 3, stride, stride, 1, 1):noBias())
   net:add(cudnn.SpatialBatchNormalization(to))
   if relu then net:add(cudnn.ReLU(true)) end
   return net
end

local function block(from, to, stride)
   local main = convolution(convolution(nn.Sequential(), from, to, stride, true), to, to, 1, false)
   local short = nn.Identity()
   if from ~= to or stride ~= 1 then
      short = nn.Sequential():add(cudnn.SpatialConvolution(from, to, 1, 1, stride, stride):noBias())
         :add(cudnn.SpatialBatchNormalization(to))
   end
   return nn.Sequential():add(nn.ConcatTable():add(main):add(short)):add(nn.CAddTable()):add(cudnn.ReLU(true))
end

-- One step of SGD with momentum on a batch.
local function trainer(net, criterion, x, t, rate)
   net, criterion = net:cuda(), criterion:cuda()
   x, t = x:cuda(), t:cuda()
   local w, g = net:getParameters()
   local state = { learningRate = rate, momentum = 0.9 }
   local function evaluate()
      g:zero()
      local loss = criterion:forward(net:forward(x), t)
      net:backward(x, criterion:backward(net.output, t))
      return loss, g
   end
   return function()
      local _, losses = optim.sgd(evaluate, w, state)
      return losses[1]
   end
end

-- ResNet-18 on pictures of 224 x 224, in batches of 64; small: two blocks on 16 x 16, in batches of 4.
function networks.resnet(size)
   local full = size == 'full'
   local planes = full and { 64, 64, 128, 128, 256, 256, 512, 512 } or { 8, 16 }
   local first = planes[1]
   local net = nn.Sequential()
   if full then
      net:add(cudnn.SpatialConvolution(3, first, 7, 7, 2, 2, 3, 3):noBias()):add(cudnn.SpatialBatchNormalization(first))
      net:add(cudnn.ReLU(true)):add(cudnn.SpatialMaxPooling(3, 3, 2, 2, 1, 1))
   else
      convolution(net, 3, first, 1, true):add(cudnn.SpatialMaxPooling(2, 2))
   end
   for i, count in ipairs(planes) do
      local before = planes[i - 1] or first
      net:add(block(before, count, before ~= count and 2 or 1))
   end
   local last, side = planes[#planes], full and 7 or 4
   net:add(cudnn.SpatialAveragePooling(side, side, 1, 1)):add(nn.View(-1):setNumInputDims(3))
   net:add(nn.Linear(last, 10)):add(cudnn.LogSoftMax())
   local batch, pixels = full and 64 or 4, full and 224 or 16
   return trainer(net, nn.ClassNLLCriterion(), torch.randn(batch, 3, pixels, pixels),
      torch.LongTensor(batch):random(10):double(), 0.05)
end

-- A character model: embeddings, cudnn.LSTM over a whole sequence, a softmax for each character.
function networks.lstm(size)
   local full = size == 'full'
   local vocabulary, hidden, layers = full and 100 or 20, full and 512 or 12, full and 2 or 1
   local steps, batch = full and 100 or 6, full and 64 or 3
   local net = nn.Sequential():add(nn.LookupTable(vocabulary, hidden)):add(cudnn.LSTM(hidden, hidden, layers))
      :add(nn.View(-1, hidden)):add(nn.Linear(hidden, vocabulary)):add(nn.LogSoftMax())
   return trainer(net, nn.ClassNLLCriterion(), torch.LongTensor(steps, batch):random(vocabulary):double(),
      torch.LongTensor(steps * batch):random(vocabulary):double(), 0.5)
end

-- The generator of a DCGAN, trained on fixed pictures.
function networks.dcgan(size)
   local full = size == 'full'
   local code, planes, batch = full and 100 or 6, full and 64 or 4, full and 64 or 3
   local net = nn.Sequential()
   net:add(nn.SpatialFullConvolution(code, planes * 2, 4, 4)):add(nn.SpatialBatchNormalization(planes * 2))
   net:add(nn.ReLU(true)):add(nn.SpatialFullConvolution(planes * 2, planes, 4, 4, 2, 2, 1, 1))
   net:add(nn.SpatialBatchNormalization(planes)):add(nn.ReLU(true))
   net:add(nn.SpatialFullConvolution(planes, 3, 4, 4, 2, 2, 1, 1)):add(nn.Tanh())
   net:add(nn.SpatialConvolution(3, planes, 4, 4, 2, 2, 1, 1)):add(nn.LeakyReLU(0.2, true))
   net:add(nn.SpatialConvolution(planes, 1, 8, 8)):add(nn.Sigmoid()):add(nn.View(-1))
   return trainer(net, nn.BCECriterion(), torch.randn(batch, code, 1, 1), torch.rand(batch):round(), 0.05)
end

return networks
