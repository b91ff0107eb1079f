-- Names of dimensions come with the first tensor that gets some: until then their layer is not loaded.

local layers, dimension_names = require 'torch.dispatch.layers', require 'torch.base.dimension_names'

local lazy_names = {}

function lazy_names.install()
   dimension_names.watch(function() layers.add(require 'torch.features.dimension_names.names_layer') end)
end

return lazy_names
