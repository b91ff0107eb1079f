-- nnx: experimental modules of the first years. Its classes are loaded when they are first used.

local nn = require 'nn'
require 'xlua'
require 'sys'

require('nn.classes').declare(nn, 'nnx', require 'nnx.chapter', 'nnx')

-- It moved to optim.
nn.ConfusionMatrix = require('optim').ConfusionMatrix

-- The global table of the original; what scripts look for in the result of require is in nn.
local nnx = setmetatable({}, { __index = nn })
require 'nnx.QDRiemaNNLinear'(nnx)
-- The selftest of the original, and its measurement of threads.
function nnx.test() return true end
nnx.test_omp = nnx.test
rawset(_G, 'nnx', nnx)

return nnx
