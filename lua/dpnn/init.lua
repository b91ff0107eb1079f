-- dpnn: what the framework dp added to nn, as far as scripts use it: steps of training as methods of modules,
-- containers, modules of attention, and training by rewards.

local ipairs, require = ipairs, require
local nn = require 'nn'

for _, part in ipairs {
   'module',          -- updateGradParameters, weightDecay, maxParamNorm, gradParamClip, sharedClone, reinforce, outside
   'Serial',
   'ReverseTable',
   'CopyGrad',
   'Inception',
   'FireModule',
   'SpatialGlimpse',
   'reinforce',       -- ReinforceNormal, ReinforceBernoulli, ReinforceCategorical
   'VRClassReward',
   'NCEModule',
   'NCECriterion',
} do
   require('dpnn.' .. part)(nn)
end

return nn
