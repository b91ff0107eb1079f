-- nngraph: networks as graphs. A module that is called on nodes makes a node; nn.gModule makes a module of the graph
-- between input nodes and output nodes.

require 'nn'
require 'graph'

local nngraph = {}
rawset(_G, 'nngraph', nngraph)

for _, part in ipairs {
   'node',       -- nngraph.Node: a module and the nodes its inputs come from
   'operators',  -- module(node), - module, node - module
   'adapters',   -- JustTable, JustElement, nest, and criterions as modules
   'gmodule',    -- nn.gModule
   'pictures',   -- display, simple_print, annotateNodes, setDebug
} do
   require('nngraph.' .. part)(nngraph)
end

return nngraph
