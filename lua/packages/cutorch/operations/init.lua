-- Kernels of the device by the names of the CPU's factories: operations[factory](context) returns a function of the
-- arguments of the signature in order, or nil if the device has none. It returns `fallback` if the CPU should compute,
-- which also raises the errors: these kernels accept valid arguments only and have no messages of their own.
--
-- The context is { T = row of the type, options = parameters of the case, signature, call, name }.

local parts, results = require 'cutorch.operations.parts', require 'cutorch.operations.results'

-- Kernels without a factory here are looked up by the name of their row, see results.lua.
local operations = setmetatable({}, { __index = function() return results end })

for _, part in ipairs { 'elementwise', 'products', 'joining', 'distributions' } do
   require('cutorch.operations.' .. part)(operations)
end

return { factories = operations, fallback = parts.fallback }
