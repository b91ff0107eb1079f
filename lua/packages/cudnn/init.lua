-- cudnn: classes of nn under other names; algorithm selection has no effect. On a device of PyTorch the recurrent
-- networks have their own implementation.

require 'cutorch'
require 'nn'
local device_buffers = require 'torch.memory.device_buffers'

local cudnn = { benchmark = false, fastest = false, verbose = false, version = 5110, numDevices = 1,
   useFindEx = false, propagateNaN = 0 }
rawset(_G, 'cudnn', cudnn)

for _, part in ipairs {
   'classes',     -- those of nn by the same names
   'temporal_convolution',
   'losses',      -- SpatialCrossEntropyCriterion and others that classify each pixel
   'recurrent',   -- LSTM, GRU, RNNReLU, RNNTanh, BLSTM, ...
   'convert',     -- cudnn.convert
} do
   require('cudnn.' .. part)(cudnn)
end

if device_buffers.active then
   require 'cunn'
   require('cudnn.device_recurrent')(cudnn)
   require('cudnn.device_switches')(cudnn)
end

return cudnn
