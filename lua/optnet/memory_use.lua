-- optnet.countUsedMemory(net): bytes of the tensors of a network; memory that is shared counts once.

local torch = require 'torch'
local check = require 'torch.base.check'
local each_tensor = require('optnet.execution_trace').each_tensor

return function(optnet)

   -- Returns a table of outputs, gradInputs, params, gradParams, buffers (all other fields) and total_size. With an
   -- input the network computes its output first.
   function optnet.countUsedMemory(net, input)
      if type(net) ~= 'table' or type(net.listModules) ~= 'function' then
         check.refuse('countUsedMemory', 'net', 'a module', net)
      end
      if input ~= nil then net:forward(input) end
      local seen, result = {}, { outputs = 0, gradInputs = 0, params = 0, gradParams = 0, buffers = 0, total_size = 0 }
      local function count(kind, value)
         each_tensor(value, function(t)
            local storage = t:nElement() > 0 and t:storage()
            local key = storage and torch.pointer(storage)
            if not key or seen[key] then return end
            seen[key] = true
            local bytes = storage:size() * t:elementSize()
            result[kind], result.total_size = result[kind] + bytes, result.total_size + bytes
         end)
      end
      local modules = net:listModules()
      local params, gradParams = net:parameters()
      count('params', params or {})
      count('gradParams', gradParams or {})
      for _, module in ipairs(modules) do count('outputs', module.output) end
      for _, module in ipairs(modules) do count('gradInputs', module.gradInput) end
      for _, module in ipairs(modules) do
         for _, value in pairs(module) do
            if torch.isTensor(value) then
               count('buffers', value)
            elseif type(value) == 'table' and not torch.typename(value) then
               for _, inner in pairs(value) do
                  if torch.isTensor(inner) then count('buffers', inner) end
               end
            end
         end
      end
      return result
   end
end
