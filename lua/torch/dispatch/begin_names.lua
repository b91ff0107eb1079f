-- Names of dimensions come with the first tensor that gets some: until then their layer is not loaded.

local require = require
local layers, names = require 'torch.dispatch.layers', require 'torch.core.dimension_names'

local begin_names = {}

function begin_names.install()
   names.watch(function() layers.add(require 'torch.dispatch.names') end)
end

return begin_names
