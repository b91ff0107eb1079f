-- Kernels of the device by the makers of the CPU's, as the rows name them: operations[maker](context) returns a
-- function of the arguments of the form in their order, or nil where the device has none. It returns `refused` where
-- the CPU is to compute, which raises the errors, too: these kernels take what fits, and have no messages for the rest.
--
-- The context is { T = row of the type, how = parameters of the case, form, call, name }.

local parts, results = require 'cutorch.operations.parts', require 'cutorch.operations.results'

-- Kernels without a maker here go by the name of their row, see results.lua.
local operations = setmetatable({}, { __index = function() return results end })

for _, part in ipairs { 'elementwise', 'products', 'joining', 'distributions' } do
   require('cutorch.operations.' .. part)(operations)
end

return { makers = operations, refused = parts.refused }
