-- nnx: experimental modules of the first years, as far as scripts use them.

local nn = require 'nn'
require 'xlua'
require 'sys'

for _, part in ipairs {
   'SpatialLinear', 'SpatialClassifier', 'SpatialReSampling', 'SpatialColorTransform', 'DropoutEx',
   'SoftMaxTree',      -- and TreeNLLCriterion
} do
   require('nnx.' .. part)(nn)
end

require('nn.classes').declare(nn, 'nnx', require 'nnx.chapter', 'nnx')

-- It moved to optim.
nn.ConfusionMatrix = require('optim').ConfusionMatrix

-- The global table of the original; what scripts look for in the result of require is in nn.
local nnx = setmetatable({}, { __index = nn })
-- The selftest of the original.
function nnx.test() return true end
rawset(_G, 'nnx', nnx)

return nnx
