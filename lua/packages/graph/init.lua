-- graph: directed graphs of nodes that hold data, their orders, and pictures of them by Graphviz.

if rawget(_G, 'graph') == nil then rawset(_G, 'graph', {}) end
local graph = _G.graph

for _, part in ipairs { 'node', 'edge', 'graph', 'dot' } do require('graph.' .. part)(graph) end

return graph
