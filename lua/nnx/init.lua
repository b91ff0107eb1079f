-- nnx: experimental modules of the first years, as far as scripts use them.

local ipairs, require = ipairs, require
local nn = require 'nn'

for _, part in ipairs {
   'SpatialLinear', 'SpatialClassifier', 'SpatialReSampling', 'SpatialColorTransform', 'DropoutEx',
   'SoftMaxTree',      -- and TreeNLLCriterion
} do
   require('nnx.' .. part)(nn)
end

-- It moved to optim.
nn.ConfusionMatrix = require('optim').ConfusionMatrix

return nn
