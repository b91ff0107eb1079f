-- optnet.countUsedMemory(net): bytes of the tensors of a network; memory that tensors of a kind share counts once.

local torch = require 'torch'
local check = require 'torch.base.check'
local each_tensor = require('optnet.execution_trace').each_tensor

-- What the fields of a module are; other tensors are buffers.
local KINDS = { output = 'outputs', gradInput = 'gradInputs', weight = 'params', bias = 'params', gradWeight = 'params',
   gradBias = 'params' }

return function(optnet)

   -- Returns a table of outputs, gradInputs, params (with their gradients), buffers and total_size.
   function optnet.countUsedMemory(net)
      if type(net) ~= 'table' or type(net.listModules) ~= 'function' then
         check.argument_error('countUsedMemory', 'net', 'a module', net)
      end
      local seen = { outputs = {}, gradInputs = {}, params = {}, buffers = {} }
      local result = { outputs = 0, gradInputs = 0, params = 0, buffers = 0, total_size = 0 }
      local function count(kind, value)
         each_tensor(value, function(t)
            local storage = t:storage()
            local key = storage and torch.pointer(storage)
            if not key or seen[kind][key] then return end
            seen[kind][key] = true
            local bytes = storage:size() * t:elementSize()
            result[kind], result.total_size = result[kind] + bytes, result.total_size + bytes
         end)
      end
      for _, module in ipairs(net:listModules()) do
         for field, value in pairs(module) do
            if KINDS[field] then
               count(KINDS[field], value)
            elseif torch.isTensor(value) then
               count('buffers', value)
            end
         end
      end
      return result
   end
end
