-- nn.DataParallel: the older module of the same purpose, (dimension) and add(network, device).

local torch = require 'torch'

return function(nn) torch.class('nn.DataParallel', 'nn.DataParallelTable', nn) end
