-- optnet.generateGraph(net, input): the tensors of one forward as a graph.Graph, an edge from each output of a module
-- to those that are computed from it. graph.dot(g, title, file) draws it.

local torch = require 'torch'
local execution_trace = require 'optnet.execution_trace'

return function(optnet)

   -- Nodes are labelled with the class of the module and the sizes of its output; `storages = true` in options adds
   -- numbers of the storages, the same where memory is shared.
   function optnet.generateGraph(net, input, options)
      local graph = require 'graph'
      local result, producer, storages, count = graph.Graph(), {}, {}, 0

      local function label(name, t)
         local text = name .. '\n' .. table.concat(t:size():totable(), 'x')
         if not (options and options.storages) then return text end
         local key = execution_trace.memory(t)
         if key and not storages[key] then
            count = count + 1
            storages[key] = count
         end
         return key and string.format('%s\nstorage %d', text, storages[key]) or text
      end

      local calls = execution_trace.record('generateGraph', net, input)
      execution_trace.each_tensor(input, function(t) producer[torch.pointer(t)] = graph.Node(label('Input', t)) end)
      for _, call in ipairs(calls) do
         if call.leaf then
            local sources = {}
            execution_trace.each_tensor(call.input, function(t) sources[#sources + 1] = producer[torch.pointer(t)] end)
            execution_trace.each_tensor(call.output, function(t)
               local node = graph.Node(label(torch.typename(call.module), t))
               for _, source in ipairs(sources) do result:add(graph.Edge(source, node)) end
               producer[torch.pointer(t)] = node
            end)
         end
      end
      -- Containers that compute, such as Concat, read the outputs of their modules. Others pass tensors on.
      for _, call in ipairs(calls) do
         if not call.leaf and torch.isTensor(call.output) and not producer[torch.pointer(call.output)] then
            local node = graph.Node(label(torch.typename(call.module), call.output))
            for _, inner in ipairs(call.module.modules) do
               local source = torch.isTensor(inner.output) and producer[torch.pointer(inner.output)]
               if source then result:add(graph.Edge(source, node)) end
            end
            producer[torch.pointer(call.output)] = node
         end
      end
      return result
   end
end
