-- inn: modules for images, originally for GPUs: spatial pyramids, pooling of regions, stochastic pooling.

local nn = require 'nn'

local inn = {}
rawset(_G, 'inn', inn)

for _, part in ipairs { 'fixed_layers', 'composed_layers', 'SpatialStochasticPooling', 'ROIPooling' } do
   require('inn.' .. part)(inn, nn)
end

inn.utils = require 'inn.utils'

return inn
