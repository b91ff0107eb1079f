-- dataset: batches of samples drawn from local tensors, folders and lists of files.
--
--    Dataset = require 'dataset'
--    getBatch, numBatches = Dataset(source).sampledBatcher{batchSize=, inputDims=, samplerKind=, processor=}

local Dataset = require 'dataset.Dataset'

return setmetatable({ Dataset = Dataset, Index = require 'dataset.Index', Sampler = require 'dataset.Sampler' },
   { __call = function(_, source, options) return Dataset(source, options) end })
