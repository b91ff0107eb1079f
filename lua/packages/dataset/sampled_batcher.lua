-- The batches of a data set, from samples in the order of a sampler.

local torch, Sampler = require 'torch', require 'dataset.Sampler'
local check, sources = require 'torch.base.check', require 'dataset.sources'

local NAME = 'sampledBatcher'

-- The input of a processor: the tensor, or the bytes of the file.
local function content(item)
   if type(item) ~= 'string' then return item end
   local file, why = io.open(sources.local_path(item), 'rb')
   if not file then check.fail(NAME, '%s', why) end
   local bytes = file:read '*a'
   file:close()
   return bytes or check.fail(NAME, '%s is not a file', item)
end

-- Without a processor tensors are copied.
local function copied(x, _, input)
   if not torch.isTensor(x) and type(x) ~= 'number' then
      check.fail(NAME, 'processor must turn the bytes of a file into a tensor (got nil)')
   end
   if type(x) == 'number' then input:fill(x) else input:copy(x) end
   return true
end

-- The sizes of a sample in a batch.
local function dims_of(index, given)
   if given == nil and index.isTensor then
      local first = index.itemAt(1)
      return type(first) == 'number' and {} or first:size():totable()
   end
   if torch.isStorage(given) then given = given:totable() end
   check.kind(NAME, 'inputDims', given, 'table')
   for i = 1, #given do check.size(NAME, 'inputDims[' .. i .. ']', given[i]) end
   return given
end

-- Options: samplerKind='linear', distribution for 'label-distribution', batchSize=1, inputDims, processor(x, options,
-- input), which fills in the input of a sample and returns whether to keep it, processorOpt, cuda, verbose. poolSize
-- was the number of threads that processors ran in; here they run in the program.
-- Returns getBatch, numberOfBatches and reset, which are functions.
return function(index, options)
   options = check.kind(NAME, 'options', options or {}, 'table')
   local size = check.size(NAME, 'batchSize', options.batchSize or 1)
   local dims = dims_of(index, options.inputDims)
   local process = check.callable(NAME, 'processor', options.processor or copied)
   local sample, reset = Sampler(options.samplerKind, index, options.distribution)
   local labelled = #index.labels > 0
   if options.cuda then require 'cutorch' end

   -- The next sample that the processor keeps, filled into the input; nil at the end of a pass.
   local function keep_next(input)
      for _ = 1, index.itemCount do
         local item, label = sample()
         if item == nil then return nil end
         if process(content(item), options.processorOpt or {}, input) then return item, label end
      end
      check.fail(NAME, 'processor kept none of %d samples: it must return true for those to keep', index.itemCount)
   end

   local function getBatch()
      local input = torch.Tensor(size, unpack(dims)):zero()
      local target = labelled and torch.LongTensor(size):zero() or nil
      local items, count = {}, 0
      while count < size do
         local item, label = keep_next(#dims == 0 and input:narrow(1, count + 1, 1) or input[count + 1])
         if item ~= nil then
            count = count + 1
            items[count] = item
            if label ~= nil then target[count] = index.labelIndex[label] end
         elseif count > 0 then
            break
         end
      end
      if count < size then input, target = input:narrow(1, 1, count), target and target:narrow(1, 1, count) end
      if options.cuda then input, target = input:cuda(), target and target:cuda() end
      return { batchSize = count, input = input, target = target, item = items }
   end

   local function numberOfBatches() return math.ceil(index.itemCount / size) end

   if options.verbose then
      print(string.format('%d samples, %d labels, %d batches', index.itemCount, #index.labels, numberOfBatches()))
   end
   return getBatch, numberOfBatches, reset
end
