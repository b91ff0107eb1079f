-- Photographs in folders become batches: GraphicsMagick writes and reads them, dataset draws them, and a small network
-- learns which way their stripes go. optnet then has the network use less memory.

require 'nn'
require 'optim'
local gm = require 'graphicsmagick'
local Dataset = require 'dataset'
local optnet = require 'optnet'

local cmd = torch.CmdLine()
cmd:option('-seed', 1, 'initial random seed')
cmd:option('-folder', 'stripes', 'where the pictures are written')
cmd:option('-epochs', 4, 'passes over the pictures')
cmd:option('-display', false, 'show pictures on the page of `t7 display`')
local opt = cmd:parse(arg or {})

torch.manualSeed(opt.seed)

-- A JPEG file for each picture; the names of the folders are the labels.
local side = 24
for i = 1, 64 do
   local wave = torch.range(1, side):mul(torch.uniform(0.6, 1.2)):add(torch.uniform(6)):sin():add(1):div(2)
   local picture = gm.Image(wave:view(1, side):expand(side, side):contiguous(), 'I', 'HW')
   local label = i % 2 == 0 and 'upright' or 'level'
   if label == 'level' then picture:rotate(90) end
   local folder = paths.concat(opt.folder, label)
   paths.mkdir(opt.folder)
   paths.mkdir(folder)
   picture:save(paths.concat(folder, ('%02d.jpg'):format(i)), 90)
end

local data = Dataset(opt.folder)
print('labels: ' .. table.concat(data.index.labels, ', '))

-- Reads the bytes of a file into the input of a sample, half as large.
local function read(bytes, options, input)
   local picture = require('graphicsmagick').Image():fromString(bytes):size(options.side, options.side)
   input:copy(picture:toTensor('double', 'I', 'DHW'))
   return true
end

local getBatch, numberOfBatches = data.sampledBatcher {
   batchSize = 16, inputDims = { 1, side / 2, side / 2 }, inputTensorType = torch.DoubleTensor,
   samplerKind = 'permutation', processor = read, processorOpt = { side = side / 2 },
}
print(numberOfBatches() .. ' batches')

local net = nn.Sequential()
   :add(nn.SpatialConvolution(1, 4, 3, 3)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2, 2, 2))
   :add(nn.View(4 * 5 * 5)):add(nn.Linear(4 * 5 * 5, 2)):add(nn.LogSoftMax())
local criterion = nn.ClassNLLCriterion()
local w, dw = net:getParameters()
local state = { learningRate = 0.02 }

for _ = 1, opt.epochs do
   for _ = 1, numberOfBatches() do
      local batch = getBatch()
      optim.adam(function()
         dw:zero()
         local output = net:forward(batch.input)
         local loss = criterion:forward(output, batch.target)
         net:backward(batch.input, criterion:backward(output, batch.target))
         return loss, dw
      end, w, state)
   end
end

net:evaluate()
local batch = getBatch()
local _, predicted = net:forward(batch.input):max(2)
print('right: ' .. predicted:view(-1):eq(batch.target:long()):sum() .. ' of ' .. batch.batchSize)
if opt.display then require('display').image(batch.input, { title = 'a batch' }) end

local before = optnet.countUsedMemory(net).outputs
optnet.optimizeMemory(net, batch.input, { mode = 'inference' })
net:forward(batch.input)
print('optnet saves memory: ' .. tostring(optnet.countUsedMemory(net).outputs < before))
