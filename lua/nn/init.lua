-- nn: neural networks from modules. The list of chapters is the table of contents; each names its classes,
-- which are loaded when they are first used.

local _G = _G
local torch = require 'torch'

local nn = {}
_G.nn = nn

local classes = require 'nn.class.classes'

for _, chapter in ipairs {
   'module',         -- Module and Criterion, the base classes of all others
   'containers',     -- Sequential, Concat, ParallelTable, ...: modules made of modules
   'simple',         -- Linear, View, Dropout, LookupTable, ...
   'tables',         -- JoinTable, CAddTable, SelectTable, ...: inputs or outputs that are tables
   'transfer',       -- Tanh, ReLU, SoftMax, ...: the same function for each element or row
   'convolution',    -- TemporalConvolution, SpatialConvolution, VolumetricConvolution, ...
   'pooling',        -- SpatialMaxPooling, padding, upsampling, ...
   'normalization',  -- BatchNormalization, SpatialCrossMapLRN, ...
   'criterions',     -- MSECriterion, ClassNLLCriterion, ...
   'tools',          -- Jacobian, StochasticGradient, utils, ...
} do
   classes.declare(nn, chapter, require('nn.' .. chapter))
end

nn.THNN = require 'nn.THNN'

-- What handlers of errors say of modules.
require 'nn.checks.field_errors'

-- Draws as many numbers as loading drew in Torch7: programs that seed before they require nn rely on it.
for _ = 1, 4 do torch.random() end

return nn
