-- Kernels of the device by the names of the CPU's makers: operations[maker](context) returns a function of the
-- arguments of the form in order, or nil if the device has none. It returns `refused` if the CPU should compute, which
-- also raises the errors: these kernels accept valid arguments only and have no messages of their own.
--
-- The context is { T = row of the type, how = parameters of the case, form, call, name }.

local parts, results = require 'cutorch.operations.parts', require 'cutorch.operations.results'

-- Kernels without a maker here go by the name of their row, see results.lua.
local operations = setmetatable({}, { __index = function() return results end })

for _, part in ipairs { 'elementwise', 'products', 'joining', 'distributions' } do
   require('cutorch.operations.' .. part)(operations)
end

return { makers = operations, refused = parts.refused }
