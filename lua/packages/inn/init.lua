-- inn: modules for images that were made for GPUs first: pyramids, regions, stochastic pooling.

local nn = require 'nn'

local inn = {}
rawset(_G, 'inn', inn)

for _, part in ipairs { 'fixed_layers', 'composed_layers', 'SpatialStochasticPooling', 'ROIPooling' } do
   require('inn.' .. part)(inn, nn)
end

inn.utils = require 'inn.utils'

return inn
