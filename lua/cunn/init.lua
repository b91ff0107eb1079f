-- cunn: networks on the device, and the modules that share a batch between devices, of which there is one.

local ipairs, require = ipairs, require
require 'cutorch'
local nn = require 'nn'

for _, part in ipairs { 'DataParallelTable', 'DataParallel' } do require('cunn.' .. part)(nn) end

return nn
