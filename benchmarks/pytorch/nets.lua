-- Training steps and layers in float32, compared with nets.py: prints name, tab, microseconds, the least of many.
--
--    t7 nets.lua [part of a name]

require 'torch'
require 'nn'
require 'nngraph'
require 'optim'
torch.setdefaulttensortype('torch.FloatTensor')
torch.manualSeed(1)

local measuring = require 'measuring'
local training, row, layer = measuring.training, measuring.row, measuring.layer

local function classes(count, n) return torch.LongTensor(count):random(n):float() end

local function pixels(...)
   local size = { ... }
   return function() return torch.rand(unpack(size)) end
end

row('XOR, a sample', function()
   local net = nn.Sequential():add(nn.Linear(2, 20)):add(nn.Tanh()):add(nn.Linear(20, 1))
   local criterion, x, y = nn.MSECriterion(), torch.randn(2), torch.ones(1)
   return function()
      criterion:forward(net:forward(x), y)
      net:zeroGradParameters()
      net:backward(x, criterion:backward(net.output, y))
      net:updateParameters(0.01)
   end
end)

row('MLP 784-300-10, batch 32', function()
   local net = nn.Sequential():add(nn.Linear(784, 300)):add(nn.ReLU()):add(nn.Linear(300, 10)):add(nn.LogSoftMax())
   return training(net, nn.ClassNLLCriterion(), torch.rand(32, 784), classes(32, 10))
end)

row('LeNet, batch 32', function()
   local net = nn.Sequential()
      :add(nn.SpatialConvolution(1, 32, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2, 2, 2))
      :add(nn.SpatialConvolution(32, 64, 5, 5)):add(nn.ReLU()):add(nn.SpatialMaxPooling(2, 2, 2, 2))
      :add(nn.View(1024)):add(nn.Linear(1024, 200)):add(nn.ReLU()):add(nn.Linear(200, 10)):add(nn.LogSoftMax())
   return training(net, nn.ClassNLLCriterion(), torch.rand(32, 1, 28, 28), classes(32, 10))
end, 1.5)

-- The text of a batch as rows of 50 vectors, of which convolutions of 3 neighbors make features.
row('TemporalConvolution classifier, batch 32', function()
   local net = nn.Sequential():add(nn.LookupTable(5000, 64)):add(nn.TemporalConvolution(64, 128, 3)):add(nn.ReLU())
      :add(nn.Max(2)):add(nn.Linear(128, 5)):add(nn.LogSoftMax())
   return training(net, nn.ClassNLLCriterion(), torch.LongTensor(32, 50):random(5000), classes(32, 5))
end, 1)

-- Memory cells of `size` in nngraph: their input, state and output before and after a step.
local function cell(size)
   local x, c, h = nn.Identity()(), nn.Identity()(), nn.Identity()()
   local sum = nn.CAddTable() { nn.Linear(size, 4 * size)(x), nn.Linear(size, 4 * size)(h) }
   local gates = { nn.SplitTable(2)(nn.Reshape(4, size)(sum)):split(4) }
   local input, forget, output = nn.Sigmoid()(gates[1]), nn.Sigmoid()(gates[2]), nn.Sigmoid()(gates[3])
   local value = nn.CMulTable() { input, nn.Tanh()(gates[4]) }
   local after = nn.CAddTable() { nn.CMulTable() { forget, c }, value }
   return nn.gModule({ x, c, h }, { after, nn.CMulTable() { output, nn.Tanh()(after) } })
end

-- `layers` of cells over `steps`, a clone of each for each step, which share their parameters.
local function recurrent(size, batch, steps, layers)
   local whole, clones = nn.Sequential(), {}
   for l = 1, layers do
      local first = cell(size)
      whole:add(first)
      clones[l] = { first }
   end
   local w, g = whole:getParameters()
   for l = 1, layers do
      for t = 2, steps do clones[l][t] = clones[l][1]:clone('weight', 'bias', 'gradWeight', 'gradBias') end
   end
   local zeros, ones, xs = torch.zeros(batch, size), torch.ones(batch, size), {}
   for t = 1, steps do xs[t] = torch.randn(batch, size) end
   return function()
      g:zero()
      local inputs, given = {}, xs
      for l = 1, layers do
         local c, h, outputs = zeros, zeros, {}
         inputs[l] = {}
         for t = 1, steps do
            inputs[l][t] = { given[t], c, h }
            c, h = unpack(clones[l][t]:forward(inputs[l][t]))
            outputs[t] = h
         end
         given = outputs
      end
      local gradients = { [steps] = ones }
      for l = layers, 1, -1 do
         local dc, dh, below = zeros, zeros, {}
         for t = steps, 1, -1 do
            if gradients[t] then dh = t == steps and gradients[t] or gradients[t] + dh end
            below[t], dc, dh = unpack(clones[l][t]:backward(inputs[l][t], { dc, dh }))
         end
         gradients = below
      end
      w:add(-0.01, g)
   end
end

row('LSTM 128, batch 32, 25 steps', function() return recurrent(128, 32, 25, 1) end, 1.5)
row('LSTM 2 layers of 256, batch 32, 25 steps', function() return recurrent(256, 32, 25, 2) end, 3)

layer('Linear 1000x1000, batch 128', nn.Linear(1000, 1000), pixels(128, 1000))
layer('BatchNormalization 512, batch 128', nn.BatchNormalization(512), pixels(128, 512))
layer('SpatialBatchNormalization 64x28x28, batch 16', nn.SpatialBatchNormalization(64), pixels(16, 64, 28, 28))
layer('max pooling 2x2 64x56x56, batch 8', nn.SpatialMaxPooling(2, 2, 2, 2), pixels(8, 64, 56, 56))
local function million() return torch.randn(1000, 1000) end

layer('ReLU 10^6', nn.ReLU(), million)
layer('Sigmoid 10^6', nn.Sigmoid(), million)
layer('Tanh 10^6', nn.Tanh(), million)
layer('SoftPlus 10^6', nn.SoftPlus(), million)
layer('PReLU of 1000 slopes 10^6', nn.PReLU(1000), million)
layer('PReLU of 64 maps 28x28, batch 16', nn.PReLU(64), function() return torch.randn(16, 64, 28, 28) end)
layer('CMul 10000x100', nn.CMul(100), function() return torch.randn(10000, 100) end)
layer('SoftMax 10^5', nn.SoftMax(), pixels(100000))
layer('LogSoftMax 128x1000', nn.LogSoftMax(), pixels(128, 1000))
layer('lookup table 10000x128, 32x50', nn.LookupTable(10000, 128),
   function() return torch.LongTensor(32, 50):random(10000) end)

row('smooth L1 10^6', function()
   local criterion, x, y = nn.SmoothL1Criterion(), million(), million()
   return function() criterion:forward(x, y) end, function() criterion:backward(x, y) end
end)

row('addcmul and clamp 10^6', function()
   local r, x, y = million(), million(), million()
   return function() torch.addcmul(r, x, 0.5, x, y):clamp(-1, 1) end
end)

-- Operations on 10^6 numbers into memory that is there: a row for each kind of loop.
local function double(t) return t:double() end
local function magnitudes() return million():abs():clamp(0.01, 0.99) end

row('atan 10^6', function()
   local r, x = million(), magnitudes()
   return function() torch.atan(r, x) end
end)
row('acos 10^6', function()
   local r, x = million(), magnitudes()
   return function() torch.acos(r, x) end
end)
row('atan2 10^6', function()
   local r, x, y = million(), million(), million()
   return function() torch.atan2(r, x, y) end
end)
row('fmod 10^6', function()
   local r, x = million(), million()
   return function() torch.fmod(r, x, 1.5) end
end)
row('log of doubles 10^6', function()
   local r, x = double(million()), double(magnitudes())
   return function() torch.log(r, x) end
end)
for _, name in ipairs { 'sin', 'tan', 'asin', 'atan', 'exp' } do
   row(name .. ' of doubles 10^6', function()
      local r, x = double(million()), double(magnitudes())
      return function() torch[name](r, x) end
   end)
end
row('atan2 of doubles 10^6', function()
   local r, x, y = double(million()), double(million()), double(million())
   return function() torch.atan2(r, x, y) end
end)
row('fmod of doubles 10^6', function()
   local r, x = double(million()), double(million())
   return function() torch.fmod(r, x, 1.5) end
end)
row('pow of doubles 10^6', function()
   local r, x = double(million()), double(magnitudes())
   return function() torch.pow(r, x, 2.5) end
end)
row('rows of doubles added up 1000x1000', function()
   local r, x = torch.DoubleTensor(1000, 1), double(million())
   return function() torch.sum(r, x, 2) end
end)
row('columns of doubles added up 1000x1000', function()
   local r, x = torch.DoubleTensor(1, 1000), double(million())
   return function() torch.sum(r, x, 1) end
end)
row('transposed matrix added 1000x1000', function()
   local r, x, y = million(), million(), million():t()
   return function() torch.add(r, x, y) end
end)
row('linspace 10^6', function()
   local r = torch.Tensor(1000000)
   return function() torch.linspace(r, 0, 1, 1000000) end
end)
row('range 10^6', function()
   local r = torch.Tensor(1000000)
   return function() torch.range(r, 1, 1000000) end
end)

row('cross entropy 128x1000', function()
   local criterion, x, y = nn.CrossEntropyCriterion(), torch.rand(128, 1000), classes(128, 1000)
   return function() criterion:forward(x, y) end, function() criterion:backward(x, y) end
end)

-- Steps over 10^6 parameters, with a gradient that costs nothing but for L-BFGS, which must make progress.
for _, name in ipairs { 'adam', 'rmsprop' } do
   row(name .. ' 10^6', function()
      local x, g, state = torch.randn(1000000), torch.randn(1000000), {}
      local function evaluate() return 0, g end
      return function() optim[name](evaluate, x, { learningRate = 1e-6 }, state) end
   end)
end

row('lbfgs 10^6, 5 iterations', function()
   local x, scale = torch.Tensor(1000000), torch.rand(1000000):add(0.5)
   local g = torch.Tensor(1000000)
   local function evaluate()
      g:cmul(x, scale)
      return x:dot(g) / 2, g
   end
   return function()
      x:fill(1)
      optim.lbfgs(evaluate, x, { maxIter = 5, nCorrection = 10, learningRate = 0.5 }, {})
   end
end, 2)
