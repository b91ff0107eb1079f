-- Several updates in turn, as one function:
--
--    step = sequence('x gradient m', [[
--       m = mean(m, gradient, beta, rest)
--       x = scaled_step(x, gradient, m, rate)]])
--    step(x, gradient, m, beta, rest, rate)
--
-- Functions are the programs of optim/updates.lua. Arguments are the tensors, then the numbers in the order in which
-- the updates name them. Many elements are updated block by block, so that each tensor is read from memory once, with
-- the same bits.

local ffi, torch, updates = require 'ffi', require 'torch', require 'optim.updates'
local buffers, dimension_names = require 'torch.memory.buffers', require 'torch.base.dimension_names'
local element, geometry = require 'torch.loops.element', require 'torch.base.geometry'
local fused, kernels = require 'torch.kernels.elementwise.fused', require 'torch.native.kernels'
local lazy_table, native = require 'torch.jit.lazy_table', require 'torch.native.native'
local template, types = require 'torch.jit.template', require 'torch.base.types'

-- Fewer elements stay in the caches from one update to the next.
local MIN_BLOCKED = 16384

local function words(text)
   local list = {}
   for word in string.gmatch(text, '[%w_]+') do list[#list + 1] = word end
   return list
end

-- The updates, { program =, result =, operands =, numbers = }, and the names of the numbers in their order.
local function parse(tensors, text)
   local is_tensor, seen, steps, numbers = {}, {}, {}, {}
   for i, name in ipairs(words(tensors)) do is_tensor[name] = i - 1 end
   for result, program, arguments in string.gmatch(text, '([%w_]+) = ([%w_]+)(%b())') do
      local step = { program = program, result = result, operands = {}, numbers = {} }
      for _, name in ipairs(words(arguments)) do
         table.insert(is_tensor[name] and step.operands or step.numbers, name)
         if not is_tensor[name] and not seen[name] then
            seen[name] = true
            table.insert(numbers, name)
         end
      end
      steps[#steps + 1] = step
   end
   return steps, numbers, is_tensor
end

-- The call that does all updates of elements of a type, and the memory of its numbers; false if there is none.
local function new_call(T, steps, numbers, index_of)
   if T ~= types.by_name.Float and T ~= types.by_name.Double then return false end
   local lib = kernels 'elementwise'
   local record, call, memory, size = ffi.new 't7_steps', ffi.new 't7_call', {}, 0
   for i, name in ipairs(numbers) do
      memory[i] = native.buffer(T.c, 1)
      memory[name] = memory[i]
   end
   for _ in pairs(index_of) do
      call.step[size], call.sizes[size], size = T.size, T.size, size + 1
   end
   for k, step in ipairs(steps) do
      local kernel, time = fused.find(T, updates.programs[step.program])
      if not kernel then return false end
      local to = record.steps[k - 1]
      to.kernel, to.count, call.work = kernel, #step.operands + 1, call.work + time
      for i, name in ipairs(step.operands) do to.operands[i - 1] = index_of[name] end
      to.operands[#step.operands] = index_of[step.result]
      for i, name in ipairs(step.numbers) do to.numbers[i - 1] = memory[name] end
   end
   record.operands, record.registers, record.count = size, size, #steps
   call.kernel, call.operands, call.numbers[4] = lib.t7_run_steps, size, record
   buffers.anchor[call] = { record, memory }
   return { call = call, memory = memory, lib = lib }
end

-- Whether a tensor's elements can be updated with those of the ones before it.
local function fits(T, list, k)
   local t, first = list[k], list[1]
   if types.of_tensor(t) ~= T or not geometry.contiguous(t) or geometry.numel(t) ~= geometry.numel(first) then
      return false
   end
   if dimension_names.get(t) or not geometry.same_size(t, first) then return false end
   for i = 1, k - 1 do
      if T.shares(t, list[i]) and geometry.overlap(t, list[i]) then return false end
   end
   return true
end

local source = [[
return function($tensors, $numbers)
   if istensor($first) and count($first) >= $limit and in_blocks({ $tensors }, { $numbers }) then return end
$steps
end]]

return function(tensors, text)
   local steps, numbers, index_of = parse(tensors, text)
   local calls = lazy_table(function(T) return new_call(T, steps, numbers, index_of) end)

   -- Does all updates and returns true, if the tensors are of a type and size and apart.
   local function in_blocks(list, values)
      local T = types.of_tensor(list[1])
      local made = calls[T]
      if not made then return false end
      for k = 1, #list do
         if not fits(T, list, k) then return false end
      end
      local set = element.setter(T)
      for i, value in ipairs(values) do set(made.memory[i], 0, value) end
      for k, t in ipairs(list) do made.call.begin[k - 1] = ffi.cast('char *', buffers.start(t)) end
      made.lib.t7_run(made.call, geometry.numel(list[1]))
      buffers.keep_alive(list)
      return true
   end

   local lines, upvalues = {}, { istensor = torch.isTensor, count = geometry.numel, in_blocks = in_blocks }
   for i, step in ipairs(steps) do
      local arguments = table.concat(step.operands, ', ')
      if #step.numbers > 0 then arguments = arguments .. ', ' .. table.concat(step.numbers, ', ') end
      lines[i] = string.format('   %s(%s, %s)', step.program, step.result, arguments)
      upvalues[step.program] = updates[step.program]
   end
   return template.compile('optim', source, { tensors = table.concat(words(tensors), ', '), first = words(tensors)[1],
      numbers = table.concat(numbers, ', '), limit = MIN_BLOCKED, steps = table.concat(lines, '\n') }, upvalues)
end
