-- dataset.Dataset(source [, {partition=, partitions=}]): an index of samples, with samplers and batches. A list of
-- sources has a list of indices, and batches of samples that have a part from each.

local torch = require 'torch'
local Index, Sampler, sampled_batcher = require 'dataset.Index', require 'dataset.Sampler',
   require 'dataset.sampled_batcher'

local function is_list(source)
   return type(source) == 'table' and not torch.typename(source) and source.x == nil and #source > 0
end

return function(source, options)
   local indices = {}
   for i, each in ipairs(is_list(source) and source or { source }) do indices[i] = Index(each, options) end
   local made = { index = #indices == 1 and indices[1] or indices }

   -- Programs call these with a dot; a colon hands over the data set itself.
   function made.sampler(kind, label, more, last)
      if kind == made then kind, label, more = label, more, last end
      if type(label) == 'table' then label, more = nil, label end
      return Sampler(kind, indices[1], label, more)
   end

   function made.sampledBatcher(given, more)
      if given == made then given = more end
      return sampled_batcher(indices, given)
   end

   return made
end
