-- dataset.Dataset(source [, {partition=, partitions=}]): an index of samples, with samplers and batches.

local Index, Sampler, sampled_batcher = require 'dataset.Index', require 'dataset.Sampler',
   require 'dataset.sampled_batcher'

return function(source, options)
   local made = { index = Index(source, options) }

   -- Programs call these with a dot; a colon hands over the data set itself.
   function made.sampler(kind, distribution, more)
      if kind == made then kind, distribution = distribution, more end
      return Sampler(kind, made.index, distribution)
   end

   function made.sampledBatcher(given, more)
      if given == made then given = more end
      return sampled_batcher(made.index, given)
   end

   return made
end
