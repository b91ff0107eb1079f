-- cudnn: its classes are those of nn under other names; the choice among algorithms has no meaning here.

local ipairs, rawset, require = ipairs, rawset, require
require 'cutorch'
require 'nn'

local cudnn = { benchmark = false, fastest = false, verbose = false, version = 5110, numDevices = 1,
   useFindEx = false, propagateNaN = 0 }
rawset(_G, 'cudnn', cudnn)

for _, part in ipairs {
   'classes',     -- those of nn by the same names
   'losses',      -- SpatialCrossEntropyCriterion and what classifies at each place
   'recurrent',   -- LSTM, GRU, RNNReLU, RNNTanh, BLSTM, ...
   'convert',     -- cudnn.convert
} do
   require('cudnn.' .. part)(cudnn)
end

return cudnn
