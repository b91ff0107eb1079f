-- optnet.optimizeMemory(net, input, options): tensors of modules that are not needed at the same time get the same
-- memory: outputs in the mode 'inference', which has no backward from then on, gradients of inputs in 'training'.

local _G = _G
local torch = require 'torch'
local check = require 'torch.base.check'
local each_tensor = require('optnet.execution_trace').each_tensor

-- The time of the first write of inputs, and of the last read of tensors that nothing reads.
local NEVER, ALWAYS = 10000, 10000
-- Smaller tensors do not share memory.
local MIN_SIZE = 2

-- Fields of modules that one module of the class may use after the other, in inference and in training.
local BUFFERS = {
   ['nn.SpatialConvolution'] = { inference = { 'finput', 'fgradInput' }, training = { 'fgradInput' } },
   ['nn.SpatialConvolutionMM'] = { inference = { 'finput', 'fgradInput' }, training = { 'fgradInput' } },
   ['nn.Normalize'] = { inference = { 'norm', 'buffer', 'normp', '_indices' } },
   ['nn.SpatialCrossMapLRN'] = { inference = { 'scale' } },
   ['nn.SpatialMaxPooling'] = { inference = { 'indices' } },
}

-- Containers whose output is another tensor than those of their modules.
local JOINING = { ['nn.Concat'] = true, ['nn.Parallel'] = true, ['nn.DepthConcat'] = true }

-- Calls f for each field of `value`, a tensor or a table of them, that has memory, with the key of the memory.
local function each_block(value, f)
   each_tensor(value, function(t)
      local storage = t:storage()
      if storage then f(t, torch.pointer(storage)) end
   end)
end

local function copy_of(value)
   if torch.isTensor(value) then return value:clone() end
   local list = {}
   for i, inner in ipairs(value) do list[i] = copy_of(inner) end
   return list
end

-- The memory blocks of a run, in the order in which they were met: { tensor, used, defined }.
local function lifetimes(net, input, mode)
   local list, blocks, clock = {}, {}, 1
   local function block_of(t, key)
      if not blocks[key] then
         blocks[key] = { tensor = t, used = NEVER, defined = 0 }
         table.insert(list, blocks[key])
      end
      return blocks[key]
   end
   local function used(value)
      each_block(value, function(t, key)
         local block = block_of(t, key)
         block.used = block.used == NEVER and clock or math.max(block.used, clock)
      end)
   end
   local function defined(value)
      each_block(value, function(t, key)
         local block = block_of(t, key)
         block.defined = block.defined == 0 and clock or math.min(block.defined, clock)
      end)
   end
   local function keep(value)
      each_block(value, function(t, key)
         local block = block_of(t, key)
         block.used, block.defined = ALWAYS, -ALWAYS
      end)
   end

   local function watch_forward(module)
      local method = module.updateOutput
      rawset(module, 'updateOutput', function(self, x, ...)
         if mode == 'inference' then
            used(x)
            if not self.modules then
               defined(self.output)
            elseif JOINING[torch.typename(self)] then
               defined(self.output)
               for _, branch in ipairs(self.modules) do
                  defined((branch.modules and branch:get(branch:size()) or branch).output)
               end
            end
         end
         clock = clock + 1
         return method(self, x, ...)
      end)
   end
   local function watch_backward(module, name)
      local method = module[name]
      rawset(module, name, function(self, x, gradOutput, ...)
         if not torch.isTypeOf(self, 'nn.Sequential') then
            used(gradOutput)
            defined(self.gradInput)
         end
         clock = clock + 1
         return method(self, x, gradOutput, ...)
      end)
   end

   local methods, own = { 'updateOutput', 'updateGradInput', 'accGradParameters', 'backward' }, {}
   local modules = net:listModules()
   for _, module in ipairs(modules) do
      own[module] = {}
      for _, name in ipairs(methods) do own[module][name] = rawget(module, name) end
      watch_forward(module)
      for i = 2, #methods do watch_backward(module, methods[i]) end
   end
   local gradient
   local ok, why = pcall(function()
      local output = net:forward(input)
      if mode == 'training' then
         gradient = copy_of(output)
         net:backward(input, gradient)
      end
   end)
   for _, module in ipairs(modules) do
      for _, name in ipairs(methods) do rawset(module, name, own[module][name]) end
   end
   if not ok then error(why, 0) end
   keep(input)
   if gradient then keep(gradient) end
   return list
end

-- Lists of blocks that share memory: each block joins a list whose blocks are all free again, the one of the nearest
-- size.
local function assign(blocks)
   table.sort(blocks, function(a, b) return a.used < b.used end)
   local groups = {}
   for _, block in ipairs(blocks) do
      local size, best, min_distance = block.tensor:nElement(), nil, math.huge
      for _, group in ipairs(groups) do
         local free = block.used ~= NEVER and size >= MIN_SIZE and block.defined > group[#group].used
         local distance = math.abs(group.size - size)
         if free and distance < min_distance then best, min_distance = group, distance end
      end
      if best then
         table.insert(best, block)
         best.size = math.max(best.size, size)
      else
         table.insert(groups, { block, size = size })
      end
   end
   return groups
end

local function share(groups)
   for _, group in ipairs(groups) do
      local storage
      for _, block in ipairs(group) do
         if block.used == ALWAYS and block.defined == -ALWAYS then break end
         storage = storage or block.tensor.new(1):storage()
         block.tensor:set(storage)
      end
   end
end

-- Buffers of modules of a class become those of the first of them.
local function share_buffers(net, mode)
   local first, unpooling = {}, #net:findModules 'nn.SpatialMaxUnpooling' > 0
   for _, module in ipairs(net:listModules()) do
      local class = torch.typename(module)
      local fields = BUFFERS[class] and BUFFERS[class][mode] or {}
      if unpooling and class == 'nn.SpatialMaxPooling' then fields = {} end
      for _, field in ipairs(fields) do
         if torch.isTensor(module[field]) then
            local key = class .. ',' .. field
            first[key] = first[key] or module[field]:storage()
            if first[key] then module[field]:set(first[key]) end
         end
      end
   end
end

-- Empties the gradients of parameters, and remembers where they were.
local function remove_gradients(net)
   local places = {}
   for _, module in ipairs(net:listModules()) do
      for _, field in ipairs { 'gradWeight', 'gradBias' } do
         local t = module[field]
         if t and t:storage() then
            places[torch.pointer(t)] = { storage = torch.pointer(t:storage()), offset = t:storageOffset(),
               count = t:storage():size(), size = t:size(), stride = t:stride() }
            t:set()
         end
      end
      rawset(module, 'getParameters', function()
         error('getParameters was disabled by optnet (by option removeGradParams=true). '
            .. 'Call optnet.removeOptimization(net) to enable it back.')
      end)
   end
   net.__gradParamsInfo = places
end

local function restore_gradients(net)
   local places, made = net.__gradParamsInfo, {}
   if not places then return end
   for _, module in ipairs(net:listModules()) do
      for _, field in ipairs { 'gradWeight', 'gradBias' } do
         local t = module[field]
         local place = t and places[torch.pointer(t)]
         if place then
            made[place.storage] = made[place.storage] or t.new(place.count):zero():storage()
            t:set(made[place.storage], place.offset, place.size, place.stride)
         end
      end
      rawset(module, 'getParameters', nil)
   end
   net.__gradParamsInfo = nil
end

local function check_module(name, net)
   if type(net) ~= 'table' or type(net.listModules) ~= 'function' then
      check.argument_error(name, 'net', 'a module', net)
   end
end

return function(optnet)

   -- Options: mode, 'inference' or 'training'; inplace, reuseBuffers and removeGradParams, true unless they are false.
   function optnet.optimizeMemory(net, input, options)
      check_module('optimizeMemory', net)
      options = check.kind('optimizeMemory', 'options', options or {}, 'table')
      local mode = check.one_of('optimizeMemory', 'mode', options.mode or 'inference', { 'inference', 'training' })
      if net.__memoryOptimized then
         _G.print(string.format('Skipping memory optimization. Network is already optimized for %s mode.',
            net.__memoryOptimized))
         return
      end
      local output = net:forward(input)
      if mode == 'training' then net:backward(input, copy_of(output)) end
      if options.inplace ~= false then
         for _, module in ipairs(net:listModules()) do
            if module.inplace ~= nil and torch.typename(module) ~= 'nn.Threshold' then module.inplace = true end
         end
      end
      if options.reuseBuffers ~= false then share_buffers(net, mode) end
      if options.removeGradParams ~= false and mode == 'inference' then remove_gradients(net) end
      local blocks = lifetimes(net, input, mode)
      if mode == 'inference' then
         for _, module in ipairs(net:listModules()) do
            rawset(module, 'updateGradInput', function()
               error('Backward pass disabled! You are using inference optimization. '
                  .. 'Call optnet.removeOptimization(net) to enable backward again')
            end)
         end
      end
      share(assign(blocks))
      net.__memoryOptimized = mode
   end

   -- Undoes it: the tensors of each module are empty, and have memory of their own from then on.
   function optnet.removeOptimization(net)
      check_module('removeOptimization', net)
      if not net.__memoryOptimized then
         _G.print 'Skipping memory optimization removal, as the network was not optimized.'
         return
      end
      local function empty(t) t:set() end
      for _, module in ipairs(net:listModules()) do
         each_tensor(module.output, empty)
         each_tensor(module.gradInput, empty)
         local buffers = BUFFERS[torch.typename(module)]
         for _, field in ipairs(buffers and buffers.inference or {}) do
            if torch.isTensor(module[field]) then module[field]:set() end
         end
         rawset(module, 'updateGradInput', nil)
      end
      restore_gradients(net)
      net.__memoryOptimized = nil
   end
end
