-- optnet: less memory for networks that only compute outputs, how much memory a network uses, and graphs of one.

local optnet = {}
rawset(_G, 'optnet', optnet)

for _, part in ipairs {
   'share_buffers',     -- optimizeMemory, removeOptimization
   'memory_use',        -- countUsedMemory
   'network_graph',     -- generateGraph
} do
   require('optnet.' .. part)(optnet)
end

return optnet
