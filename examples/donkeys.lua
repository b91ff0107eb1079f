-- Training as the ImageNet programs of 2015 did it: threads ("donkeys") load, crop and scale pictures, while the main
-- thread trains on the batches that come out of a queue.

require 'torch'
require 'nn'
require 'image'
require 'optim'
require 'paths'
local ffi = require 'ffi'
local threads = require 'threads'

torch.setdefaulttensortype('torch.FloatTensor')
torch.manualSeed(2)

local opt = { classes = 3, perClass = 12, loadSize = 24, sampleSize = 16, batchSize = 9, batches = 160, nDonkeys = 2 }

-- Synthetic pictures: stripes along one direction for each class, as small JPEG files.
opt.data = paths.tmpname()
os.remove(opt.data)
for class = 1, opt.classes do
   local folder = paths.concat(opt.data, 'class' .. class)
   paths.mkdir(opt.data)
   paths.mkdir(folder)
   for k = 1, opt.perClass do
      local picture = torch.Tensor(3, 32, 40)
      local phase = torch.uniform(0, 6)
      for y = 1, 32 do
         for x = 1, 40 do
            local t = class == 1 and x or class == 2 and y or (x + y) / 1.4
            picture[{ {}, y, x }]:fill(0.5 + 0.4 * math.sin(t + phase))
         end
      end
      image.save(paths.concat(folder, k .. '.jpg'), picture:clamp(0, 1))
   end
end

-- The names of all files in one tensor of chars, which threads share: a table of a million strings they would copy.
local names, labels = {}, {}
for class = 1, opt.classes do
   for k = 1, opt.perClass do
      names[#names + 1] = paths.concat(opt.data, 'class' .. class, k .. '.jpg')
      labels[#labels + 1] = class
   end
end
local longest = 0
for _, name in ipairs(names) do longest = math.max(longest, #name + 1) end
local imagePath = torch.CharTensor(#names, longest):zero()
local first = imagePath:data()
for i, name in ipairs(names) do ffi.copy(first + (i - 1) * longest, name) end
local imageClass = torch.LongTensor(labels)

-- What each donkey does before all jobs: it loads its packages, and defines the loader.
threads.Threads.serialization('threads.sharedserialize')
local donkeys = threads.Threads(
   opt.nDonkeys,
   function()
      require 'torch'
      require 'image'
   end,
   function(id)
      torch.setdefaulttensortype('torch.FloatTensor')
      local Loader = torch.class('donkey.Loader', {})
      function Loader:load(index)
         local picture = image.load(ffi.string(torch.data(imagePath[index])), 3, 'float')
         picture = image.scale(picture, opt.loadSize, opt.loadSize)
         local room = opt.loadSize - opt.sampleSize
         local x, y = torch.random(0, room), torch.random(0, room)
         picture = image.crop(picture, x, y, x + opt.sampleSize, y + opt.sampleSize)
         return torch.uniform() > 0.5 and image.vflip(picture) or picture
      end
      function Loader:sample(indices)
         local inputs = torch.FloatTensor(indices:size(1), 3, opt.sampleSize, opt.sampleSize)
         local targets = torch.LongTensor(indices:size(1))
         for i = 1, indices:size(1) do
            inputs[i]:copy(self:load(indices[i]))
            targets[i] = imageClass[indices[i]]
         end
         return inputs, targets
      end
      loader = setmetatable({}, Loader)
      tid = id
      collectgarbage()
   end
)

local nSamples = 0
donkeys:addjob(function() return imageClass:size(1) end, function(count) nSamples = count end)
donkeys:synchronize()
print(string.format('%d pictures of %d classes, %d donkeys', nSamples, opt.classes, opt.nDonkeys))

local model = nn.Sequential()
   :add(nn.SpatialConvolution(3, 8, 3, 3))
   :add(nn.ReLU())
   :add(nn.SpatialMaxPooling(2, 2))
   :add(nn.View(-1):setNumInputDims(3))
   :add(nn.Linear(8 * 7 * 7, opt.classes))
   :add(nn.LogSoftMax())
local criterion = nn.ClassNLLCriterion()
local parameters, gradients = model:getParameters()
local state = { learningRate = 0.1, momentum = 0.9 }
local confusion, trained = optim.ConfusionMatrix(opt.classes), 0

-- What the main thread does with a batch.
local inputs, targets = torch.Tensor(), torch.Tensor()
local function trainBatch(inputsOfDonkey, targetsOfDonkey)
   inputs:resize(inputsOfDonkey:size()):copy(inputsOfDonkey)
   targets:resize(targetsOfDonkey:size()):copy(targetsOfDonkey)
   optim.sgd(function()
      gradients:zero()
      local outputs = model:forward(inputs)
      local loss = criterion:forward(outputs, targets)
      model:backward(inputs, criterion:backward(outputs, targets))
      if trained >= opt.batches - 30 then confusion:batchAdd(outputs, targets) end
      return loss, gradients
   end, parameters, state)
   trained = trained + 1
end

for _ = 1, opt.batches do
   local indices = torch.randperm(nSamples):narrow(1, 1, opt.batchSize):long()
   donkeys:addjob(
      function() return loader:sample(indices) end,
      trainBatch
   )
end
donkeys:synchronize()
donkeys:terminate()

confusion:updateValids()
print(string.format('%d batches of %d', trained, opt.batchSize))
print('most pictures of the last batches are right: ' .. tostring(confusion.totalValid > 0.7))
paths.rmall(opt.data, 'yes')
