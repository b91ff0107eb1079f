-- Element-wise modules and operations in float32, compared with elementwise.py: prints name, tab, microseconds,
-- the least of many.
--
--    t7 elementwise.lua [part of a name]

require 'torch'
require 'nn'
torch.setdefaulttensortype('torch.FloatTensor')
torch.manualSeed(1)

local measuring = require 'measuring'
local row, layer = measuring.row, measuring.layer

local function normal(...)
   local size = { ... }
   return function() return torch.randn(unpack(size)) end
end

layer('LayerNormalization 1000, batch 128', nn.LayerNormalization(1000), normal(128, 1000))
layer('LayerNormalization 1000, batch 1000', nn.LayerNormalization(1000), normal(1000, 1000))
layer('Normalize 1000, batch 128', nn.Normalize(2), normal(128, 1000))
layer('GatedLinearUnit 1000, batch 128', nn.GatedLinearUnit(), normal(128, 1000))
layer('SoftMin 128x1000', nn.SoftMin(), normal(128, 1000))
layer('Power 2 10^6', nn.Power(2), normal(1000, 1000))
layer('LeakyReLU 10^6', nn.LeakyReLU(0.1), normal(1000, 1000))
local function gate() return torch.randn(32, 512):narrow(2, 1, 128) end
layer('Sigmoid of a gate, 128 of 512, batch 32', nn.Sigmoid(), gate)
layer('Tanh of a gate, 128 of 512, batch 32', nn.Tanh(), gate)

row('larger of two tables 10^6', function()
   local module, input, gradient = nn.CMaxTable(), { normal(1000, 1000)(), normal(1000, 1000)() }, normal(1000, 1000)()
   return function() module:forward(input) end, function() module:backward(input, gradient) end
end)

row('hinge embedding 10^6', function()
   local criterion, x, y = nn.HingeEmbeddingCriterion(), normal(10 ^ 6)(), normal(10 ^ 6)():sign()
   return function() criterion:forward(x, y) end, function() criterion:backward(x, y) end
end)

-- Copies between types, into memory that is there.
for _, pair in ipairs { 'Byte Float', 'Short Float', 'Int Float', 'Long Float', 'Float Byte', 'Float Int', 'Float Long',
   'Byte Double', 'Long Double', 'Double Byte', 'Byte Long', 'Long Int' } do
   local from, to = pair:match '(%a+) (%a+)'
   row(('%s to %s 10^6'):format(from, to), function()
      local x, r = normal(1000, 1000)():abs():mul(50):type('torch.' .. from .. 'Tensor'),
         torch[to .. 'Tensor'](1000, 1000)
      return function() r:copy(x) end
   end)
end

row('slice added 1000x1000', function()
   local r, x, y = normal(1000, 1000)(), normal(1000, 2000)():narrow(2, 1, 1000), normal(1000, 1000)()
   return function() torch.add(r, x, y) end
end)
row('slice clamped 1000x1000', function()
   local r, x = normal(1000, 1000)(), normal(1000, 2000)():narrow(2, 1, 1000)
   return function() torch.clamp(r, x, -1, 1) end
end)
row('row added 1000x1000', function()
   local r, x, y = normal(1000, 1000)(), normal(1000, 1000)(), normal(1, 1000)():expand(1000, 1000)
   return function() torch.add(r, x, y) end
end)

-- The inside of images, and some of their channels.
local images = normal(16, 64, 28, 28)
row('crop of images scaled 16x64x28x28', function()
   local r, x = normal(16, 64, 26, 26)(), images()[{ {}, {}, { 2, 27 }, { 2, 27 } }]
   return function() torch.mul(r, x, 2) end
end)
row('channels of images added 16x64x28x28', function()
   local r, x = normal(16, 32, 28, 28)(), images():narrow(2, 17, 32)
   return function() torch.add(r, x, r) end
end)
