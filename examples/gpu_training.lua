-- A training script as it was written for GPUs: it runs as it is, on the CPU.
--
--    t7 examples/gpu_training.lua [-gpuid 0] [-backend cudnn] [-save DIR]

require 'nn'
require 'optim'
require 'xlua'

local cmd = torch.CmdLine()
cmd:option('-gpuid', 0, 'GPU to use; -1 is the CPU')
cmd:option('-backend', 'cudnn', 'nn or cudnn')
cmd:option('-seed', 7, 'seed of the random numbers')
cmd:option('-epochs', 8, 'passes over the data')
cmd:option('-batchSize', 20, 'samples in a batch')
cmd:option('-save', 'checkpoints', 'folder of the checkpoints')
local opt = cmd:parse(arg or {})

torch.manualSeed(opt.seed)
torch.setdefaulttensortype 'torch.FloatTensor'
if opt.gpuid >= 0 then
   local ok, cunn = pcall(require, 'cunn')
   local ok2, cutorch = pcall(require, 'cutorch')
   if not ok then print 'package cunn not found!' end
   if not ok2 then print 'package cutorch not found!' end
   if ok and ok2 then
      cutorch.setDevice(opt.gpuid + 1)
      cutorch.manualSeed(opt.seed)
      local free, total = cutorch.getMemoryUsage(opt.gpuid + 1)
      assert(cunn and free <= total)
      if opt.backend == 'cudnn' then
         require 'cudnn'
         cudnn.benchmark, cudnn.fastest = true, true
      end
   else
      opt.gpuid = -1
   end
end

-- Moves a network, a criterion or a tensor to where the work is done.
local function move(x) return opt.gpuid >= 0 and x:cuda() or x:float() end

-- Pictures of a bright bar: upright (class 1), lying (class 2) or aslant (class 3).
local function picture()
   local class, x = torch.random(3), torch.randn(1, 12, 12):mul(0.3)
   local at = torch.random(2, 11)
   if class == 1 then
      x[{ 1, {}, at }]:add(1)
   elseif class == 2 then
      x[{ 1, at, {} }]:add(1)
   else
      for i = 1, 12 do x[{ 1, i, (i + at) % 12 + 1 }] = 1 end
   end
   return x, class
end

local function dataset(count)
   local data = { inputs = torch.Tensor(count, 1, 12, 12), targets = torch.Tensor(count) }
   for i = 1, count do
      local x, class = picture()
      data.inputs[i]:copy(x)
      data.targets[i] = class
   end
   return data
end

local train, test = dataset(600), dataset(200)

local net = nn.Sequential()
net:add(nn.SpatialConvolution(1, 8, 3, 3, 1, 1, 1, 1))
net:add(nn.SpatialBatchNormalization(8))
net:add(nn.ReLU(true))
net:add(nn.SpatialMaxPooling(2, 2))
net:add(nn.SpatialConvolution(8, 8, 3, 3, 1, 1, 1, 1))
net:add(nn.ReLU(true))
net:add(nn.SpatialMaxPooling(2, 2))
net:add(nn.View(8 * 3 * 3):setNumInputDims(3))
net:add(nn.Linear(8 * 3 * 3, 3))
net:add(nn.LogSoftMax())
net = move(net)
if opt.gpuid >= 0 and opt.backend == 'cudnn' then
   cudnn.convert(net, cudnn)
   print('first layer: ' .. torch.type(net:get(1)))
end

local model = net
if opt.gpuid >= 0 then
   model = nn.DataParallelTable(1, true, true):add(net, torch.range(1, cutorch.getDeviceCount()):totable())
   model:threads(function() require 'cudnn' end)
end
local criterion = move(nn.ClassNLLCriterion())
local params, gradients = model:getParameters()
print('parameters: ' .. params:nElement())

local confusion = optim.ConfusionMatrix { 'upright', 'lying', 'aslant' }
local config = { learningRate = 0.05, momentum = 0.9, weightDecay = 1e-4 }

for _ = 1, opt.epochs do
   model:training()
   local order = torch.randperm(train.targets:size(1)):long():split(opt.batchSize)
   for _, indices in ipairs(order) do
      local inputs = move(train.inputs:index(1, indices))
      local targets = move(train.targets:index(1, indices))
      local function feval(x)
         if x ~= params then params:copy(x) end
         gradients:zero()
         local outputs = model:forward(inputs)
         local loss = criterion:forward(outputs, targets)
         model:backward(inputs, criterion:backward(outputs, targets))
         confusion:batchAdd(outputs, targets)
         return loss, gradients
      end
      optim.sgd(feval, params, config)
   end
   if opt.gpuid >= 0 then cutorch.synchronize() end
   confusion:updateValids()
   confusion:zero()
end

-- Checkpoints are written from the CPU, and read where there may be no GPU.
paths.mkdir(opt.save)
local path = paths.concat(opt.save, 'model.t7')
torch.save(path, { model = net:clearState(), config = config })
local restored = torch.load(path).model:float()
restored:evaluate()
local outputs = restored:forward(test.inputs)
confusion:batchAdd(outputs, test.targets)
confusion:updateValids()
print('right on new pictures: ' .. (confusion.totalValid > 0.95 and 'more than 95%' or 'less than 95%'))
