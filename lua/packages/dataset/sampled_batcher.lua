-- The batches of a data set, from samples in the order of samplers.

local torch, Sampler = require 'torch', require 'dataset.Sampler'
local check, sources = require 'torch.base.check', require 'dataset.sources'
local warn = require 'torch.base.warn'

local NAME = 'sampledBatcher'

-- What a processor gets of an item: the tensor, or the bytes of the file.
local function content(item, offset, length)
   if type(item) ~= 'string' then return item end
   local file, why = io.open(sources.local_path(item), 'rb')
   if not file then check.fail(NAME, '%s', why) end
   if offset and length then file:seek('set', offset) end
   local bytes = file:read(offset and length and math.abs(length) or '*a')
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

-- An option of each source: a list, or a value for the only one.
local function each(value, count, default)
   if type(value) == 'table' and #value > 0 then return value end
   local list = {}
   for i = 1, count do list[i] = value == nil and default or value end
   return list
end

-- The memory of a batch, which later batches use again.
local function new_batch(options, size, dims)
   local make = options.inputTensorType or torch.FloatTensor
   if not torch.isTensor(make()) then check.argument_error(NAME, 'inputTensorType', 'a type of tensors', make) end
   local batch = { reader = make(size, unpack(dims)), targets = torch.FloatTensor(size),
      indices = torch.LongTensor(size), inputDims = torch.LongStorage(dims) }
   batch.inputs = options.cuda and batch.reader:cuda() or batch.reader
   if options.cuda then batch.targets = batch.targets:cuda() end
   return batch
end

-- The fields of a batch that programs read, of `count` samples.
local function show(batch, count, size)
   local function part(t)
      if count == 0 then return t.new() end
      return count < size and t:narrow(1, 1, count) or t
   end
   if batch.inputs ~= batch.reader then batch.inputs:resize(batch.reader:size()):copy(batch.reader) end
   batch.batchSize, batch.input, batch.target = count, part(batch.inputs), part(batch.targets)
   batch.index = part(batch.indices)
end

-- Options: samplerKind='uniform', samplerLabel, samplerOptions, batchSize=32, inputDims, inputTensorType=FloatTensor,
-- getBatchDims(number), get(item, offset, length), processor(x, options, input), which fills in the input of a sample
-- and returns whether to keep it, processorOpt, cuda, numBuffers=2, verbose. poolSize was the number of threads that
-- processors ran in; here they run in the program.
-- Returns getBatch, numBatches and reset, which are functions.
return function(indices, options)
   options = check.kind(NAME, 'options', options or {}, 'table')
   local size = check.size(NAME, 'batchSize', options.batchSize or 32)
   local buffers = check.size(NAME, 'numBuffers', options.numBuffers or 2)
   local dims = dims_of(indices[1], options.inputDims)
   local process = check.callable(NAME, 'processor', options.processor or copied)
   local kinds, labels = each(options.samplerKind, #indices, 'uniform'), each(options.samplerLabel, #indices)
   local distributions = each(options.samplerOptions or options.distribution, #indices)
   local get, samplers, resets = each(options.get, #indices, content), {}, {}
   for i, index in ipairs(indices) do
      samplers[i], resets[i] = Sampler(kinds[i], index, labels[i], distributions[i])
      check.callable(NAME, 'get', get[i])
   end
   if options.cuda then require 'cutorch' end

   local batches = {}
   for i = 1, buffers do batches[i] = new_batch(options, size, dims) end
   local function batch_of(number) return batches[number % buffers + 1] end
   local function numBatches() return math.ceil(indices[1].itemCount(labels[1]) / size) end

   -- The samples of a batch, fewer where a pass ends.
   local function draw()
      local samples = {}
      for k = 1, size do
         local sample = {}
         for i, next_item in ipairs(samplers) do
            local item, label, offset, length = next_item()
            if i == 1 and item == nil then return samples end
            if i == 1 then sample.label = label ~= '' and label or nil end
            if item ~= nil then sample[i] = { url = item, offset = offset, length = length } end
         end
         samples[k] = sample
      end
      return samples
   end

   -- Samples are drawn as early as in the original, where threads prepared the next batches: up to the first batch
   -- whose memory is in use.
   local function draw_ahead(number)
      while number <= numBatches() and not batch_of(number).drawn do
         batch_of(number).drawn = draw()
         number = number + 1
      end
   end

   -- The processor's results for a sample: whether to keep it, and what else it returns.
   local function processed(sample, input)
      local contents, count = {}, #indices
      for i = 1, count do
         local part = sample[i]
         if part then contents[i] = get[i](part.url, part.offset, part.length) end
      end
      if contents[1] == nil then return false end
      contents[count + 1], contents[count + 2] = options.processorOpt or {}, input
      return process(unpack(contents, 1, count + 2))
   end

   local function fill(batch, number)
      batch.class, batch.item = {}, {}
      local now = options.getBatchDims and options.getBatchDims(number) or dims
      batch.reader:resize(size, unpack(now))
      local input, kept = batch.reader, 0
      for k, sample in ipairs(batch.drawn) do
         local own = #now == 0 and input:narrow(1, k, 1) or input[k]
         local ok, extra = processed(sample, own)
         if ok then
            kept = kept + 1
            if size == 1 then
               -- The only sample of a batch may have its own sizes.
               local sizes = own:size():totable()
               if own:nElement() ~= input:nElement() then input:resize(1, unpack(sizes)):copy(own) end
               if #now > 0 then batch.inputDims = torch.LongStorage(sizes) end
            elseif kept < k then
               input[kept] = input[k]
            end
            local part = sample[1]
            batch.item[kept] = { url = part.url, offset = part.offset, length = part.length, label = sample.label,
               extra = extra, index = k }
            batch.class[kept], batch.indices[kept] = sample.label, (number - 1) * size + k
            batch.targets[kept] = indices[1].labelIndex[sample.label] or 0
         end
      end
      if kept == 0 and #batch.drawn > 0 then
         warn.once(NAME .. ': processor kept no sample of a batch: it must return true for those to keep')
      end
      show(batch, kept, size)
   end

   local current, in_use = 0, nil
   local function restart()
      current = 0
      for _, reset in ipairs(resets) do reset() end
   end

   local function getBatch()
      if in_use then in_use.drawn = nil end
      current = current + 1
      if current == 1 then draw_ahead(1) end
      local batch = batch_of(current)
      fill(batch, current)
      in_use = batch
      if current == numBatches() then restart() end
      draw_ahead(current + 1)
      return batch
   end

   local function reset()
      for _, batch in ipairs(batches) do batch.drawn = nil end
      in_use = nil
      restart()
   end

   if options.verbose then
      print(string.format('%d samples, %d labels, %d batches', indices[1].itemCount(), #indices[1].labels,
         numBatches()))
   end
   return getBatch, numBatches, reset
end
