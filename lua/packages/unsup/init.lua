-- unsup: unsupervised learning: autoencoders, sparse codes found by FISTA, k-means, PCA and whitening.

require 'optim'
local nn = require 'nn'

local unsup = {}
rawset(_G, 'unsup', unsup)

for _, part in ipairs {
   'UnsupModule',    -- the base class of the modules below
   'Diag',           -- nn.Diag
   'AutoEncoder',    -- and unsup.SparseAutoEncoder
   'FistaL1',        -- and unsup.LinearFistaL1, SpatialConvFistaL1
   'PSD',            -- and unsup.LinearPSD, ConvPSD
   'UnsupTrainer',
   'kmeans',
   'pca',            -- pca, pcacov, whitening and colouring, as functions and as layers
} do
   require('unsup.' .. part)(unsup, nn)
end

return unsup
