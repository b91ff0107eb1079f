-- optnet.optimizeMemory(net, input, {mode = 'inference'}): outputs of modules that are not needed at the same time get
-- the same memory. In the mode 'training' nothing is shared: backward needs the outputs.

local torch = require 'torch'
local check = require 'torch.base.check'
local execution_trace = require 'optnet.execution_trace'
local each_tensor, memory = execution_trace.each_tensor, execution_trace.memory

-- Containers that pass tensors on without reading them.
local PASSING = {
   ['nn.Sequential'] = true, ['nn.ConcatTable'] = true, ['nn.ParallelTable'] = true, ['nn.gModule'] = true,
}

-- The lifetime of each memory block that is an output: when it is first written and last read, and the module that
-- produced it.
local function lifetimes(net, calls)
   local blocks, pinned = {}, {}
   local function pin(value)
      each_tensor(value, function(t)
         local key = memory(t)
         if key then pinned[key] = true end
      end)
   end
   pin(calls[1].input)
   pin(net.output)
   each_tensor(net:parameters() or {}, pin)
   local function used(value, time)
      each_tensor(value, function(t)
         local block = blocks[memory(t) or false]
         if block then block.last = math.max(block.last, time) end
      end)
   end
   for _, call in ipairs(calls) do
      local class = torch.typename(call.module) or ''
      local known = string.find(class, '^nn%.') or string.find(class, '^cudnn%.')
      used(call.input, call.leaf and call.last or call.first)
      if not PASSING[class] then
         local output = call.module.output
         if torch.isTensor(output) and memory(output) and output:isContiguous() then
            local key = memory(output)
            local block = blocks[key]
            if not block then
               blocks[key] = { module = call.module, first = call.first, last = call.last,
                  size = output:storage():size(), type = output:type() }
            else
               block.last = math.max(block.last, call.last)
            end
            -- An output that is also a buffer of the module may be needed later.
            for field, value in pairs(call.module) do
               if field ~= 'output' and torch.isTensor(value) and memory(value) == key then pinned[key] = true end
            end
         end
         if not known then
            pin(call.input)
            pin(call.output)
         end
      end
   end
   -- The times at which other containers read their modules' outputs are not visible from outside.
   for _, call in ipairs(calls) do
      if not call.leaf and not PASSING[torch.typename(call.module) or ''] then
         for _, inner in ipairs(call.module:listModules()) do
            each_tensor(inner.output, function(t)
               local block = blocks[memory(t) or false]
               if block then
                  block.first, block.last = math.min(block.first, call.first), math.max(block.last, call.last)
               end
            end)
         end
      end
   end
   local list = {}
   for key, block in pairs(blocks) do
      if not pinned[key] then list[#list + 1] = block end
   end
   table.sort(list, function(a, b) return a.first < b.first or a.first == b.first and a.last < b.last end)
   return list
end

local function check_module(name, net)
   if type(net) ~= 'table' or type(net.listModules) ~= 'function' then check.refuse(name, 'net', 'a module', net) end
end

return function(optnet)

   -- Undoes optimizeMemory: the output of each module has separate memory again.
   function optnet.removeOptimization(net)
      check_module('removeOptimization', net)
      for _, module in ipairs(net:listModules()) do
         if module._shared_output then
            module.output, module._shared_output = module.output.new(), nil
         end
      end
      return net
   end

   function optnet.optimizeMemory(net, input, options)
      options = check.kind('optimizeMemory', 'options', options or {}, 'table')
      local mode = check.one_of('optimizeMemory', 'mode', options.mode or 'inference', { 'inference', 'training' })
      if mode == 'training' or options.reuseBuffers == false then return net end
      check_module('optimizeMemory', net)
      optnet.removeOptimization(net)
      local list = lifetimes(net, execution_trace.record('optimizeMemory', net, input))
      local pool = {}
      for _, block in ipairs(list) do
         -- The smallest free storage that is large enough, or else the largest free one, which grows.
         local best
         for _, entry in ipairs(pool) do
            if entry.free < block.first and entry.type == block.type and (not best
               or (entry.size >= block.size and (best.size < block.size or entry.size < best.size))
               or (entry.size > best.size and best.size < block.size)) then
               best = entry
            end
         end
         if not best then
            best = { type = block.type, size = 0, modules = {}, free = -math.huge }
            pool[#pool + 1] = best
         end
         best.size, best.free = math.max(best.size, block.size), block.last
         best.modules[#best.modules + 1] = block.module
      end
      for _, entry in ipairs(pool) do
         if #entry.modules > 1 then
            local storage = entry.modules[1].output.new(entry.size):storage()
            for _, module in ipairs(entry.modules) do
               module.output = module.output.new():set(storage, 1, module.output:size())
               module._shared_output = true
            end
         end
      end
      net:forward(input)
      return net
   end
end
