-- Records the calls of updateOutput of all modules of a network, in their order: a list of { module, leaf, first, last,
-- input, output }, where `first` and `last` count the beginnings and ends of calls.

local torch = require 'torch'
local check, expect = require 'torch.base.check', require 'nn.checks.expect'

local execution_trace = {}

-- Calls f for each tensor in a value, a tensor or a nested table.
function execution_trace.each_tensor(value, f)
   if torch.isTensor(value) then
      f(value)
   elseif type(value) == 'table' then
      for _, inner in pairs(value) do execution_trace.each_tensor(inner, f) end
   end
end

-- Identifies the memory of a tensor; nil for one without any.
function execution_trace.memory(t)
   return t:nElement() > 0 and t:storage() and torch.pointer(t:storage()) or nil
end

function execution_trace.record(name, net, input)
   expect.updates_output(name, 'net', net)
   if type(input) ~= 'table' then check.tensor(name, 'input', input) end
   local modules, own, calls, clock = net:listModules(), {}, {}, 0
   for i, module in ipairs(modules) do
      local method = module.updateOutput
      own[i] = rawget(module, 'updateOutput') or false
      rawset(module, 'updateOutput', function(self, x, ...)
         clock = clock + 1
         local call = { module = module, leaf = not module.modules, first = clock, input = x }
         calls[#calls + 1] = call
         local result = method(self, x, ...)
         clock = clock + 1
         call.last, call.output = clock, result
         return result
      end)
   end
   local ok, why = pcall(net.forward, net, input)
   for i, module in ipairs(modules) do rawset(module, 'updateOutput', own[i] or nil) end
   if not ok then error(why, 0) end
   return calls
end

return execution_trace
