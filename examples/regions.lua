-- Features of regions of a picture, as detectors of objects had them: convolutions once for the picture, inn.ROIPooling
-- for each region, and a linear classifier, on a device of OpenCL where there is one and on the CPU otherwise.

require 'clnn'
require 'optim'
local inn = require 'inn'

local cmd = torch.CmdLine()
cmd:option('-seed', 1, 'initial random seed')
cmd:option('-steps', 60, 'number of steps')
local opt = cmd:parse(arg or {})

torch.manualSeed(opt.seed)
cltorch.setDevice(1)

-- A picture of 32 x 32 with a bright and a dark square, and the regions of both: x1, y1, x2, y2.
local function scene()
   local picture = torch.randn(1, 1, 32, 32):mul(0.1)
   local regions = torch.Tensor(2, 5)
   for i, level in ipairs { 1, -1 } do
      local x, y = torch.random(1, 8) + (i - 1) * 14, torch.random(1, 20)
      picture[{ 1, 1, { y, y + 9 }, { x, x + 9 } }]:add(level)
      regions[i]:copy(torch.Tensor { 1, x, y, x + 9, y + 9 })
   end
   return picture:cl(), regions:cl()
end

local maps = nn.Sequential():add(nn.SpatialConvolution(1, 4, 3, 3, 1, 1, 1, 1)):add(nn.Tanh())
local head = nn.Sequential():add(inn.ROIPooling(2, 2)):add(nn.View(-1):setNumInputDims(3))
   :add(nn.Linear(4 * 2 * 2, 2)):add(nn.LogSoftMax())
local net = nn.Sequential():add(nn.ParallelTable():add(maps):add(nn.Identity())):add(head):cl()
local criterion = nn.ClassNLLCriterion():cl()
local target = torch.Tensor { 1, 2 }:cl()
local w, dw = net:getParameters()
local state = { learningRate = 0.1, momentum = 0.9 }

for _ = 1, opt.steps do
   local picture, regions = scene()
   optim.sgd(function()
      dw:zero()
      local loss = criterion:forward(net:forward { picture, regions }, target)
      net:backward({ picture, regions }, criterion:backward(net.output, target))
      return loss, dw
   end, w, state)
end
cltorch.synchronize()

local right = 0
for _ = 1, 50 do
   local picture, regions = scene()
   local _, class = net:forward { picture, regions }:max(2)
   right = right + class:view(-1):float():eq(target:float()):sum()
end
print('regions told apart: ' .. (right > 95 and 'more than 95%' or right .. '%'))
