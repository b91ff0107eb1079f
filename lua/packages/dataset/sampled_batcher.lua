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
   if offset and length and not file:seek('set', offset) then
      file:close()
      check.fail(NAME, 'offset must be at least 0 (got %s of %s)', tostring(offset), item)
   end
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

-- Sizes of a sample, from a table or a storage.
local function check_dims(what, given)
   if torch.isStorage(given) then given = given:totable() end
   check.kind(NAME, what, given, 'table')
   for i = 1, #given do check.size(NAME, what .. '[' .. i .. ']', given[i]) end
   return given
end

-- The sizes of a sample in a batch.
local function dims_of(index, given)
   if given ~= nil or not index.isTensor then return check_dims('inputDims', given) end
   local first = index.itemAt(1)
   return type(first) == 'number' and {} or first:size():totable()
end

-- An option of each source: a list, or a value for the only one.
local function each(value, count, default)
   if type(value) == 'table' and #value > 0 then return value end
   local list = {}
   for i = 1, count do list[i] = value == nil and default or value end
   return list
end

-- The same of options that are tables: labels may be 1, 2, ..., too.
local function each_table(value, count)
   return each(type(value) == 'table' and type(value[1]) ~= 'table' and { value } or value, count)
end

-- The memory of a batch, which later batches use again.
local function new_batch(options, size, dims)
   local make = check.callable(NAME, 'inputTensorType', options.inputTensorType or torch.FloatTensor)
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

-- The options as they were checked, and the samplers of all sources.
local function open(indices, options)
   options = check.kind(NAME, 'options', options or {}, 'table')
   local count = #indices
   local self = { indices = indices, size = check.size(NAME, 'batchSize', options.batchSize or 32),
      dims = dims_of(indices[1], options.inputDims),
      dims_of_batch = options.getBatchDims and check.callable(NAME, 'getBatchDims', options.getBatchDims),
      process = check.callable(NAME, 'processor', options.processor or copied),
      process_options = options.processorOpt or {}, get = each(options.get, count, content), samplers = {},
      resets = {}, batches = {} }
   local kinds, labels = each(options.samplerKind, count, 'uniform'), each(options.samplerLabel, count)
   local distributions = each_table(options.samplerOptions or options.distribution, count)
   for i, index in ipairs(indices) do
      self.samplers[i], self.resets[i] = Sampler(kinds[i], index, labels[i], distributions[i])
      check.callable(NAME, 'get', self.get[i])
   end
   if options.cuda then require 'cutorch' end
   for i = 1, check.size(NAME, 'numBuffers', options.numBuffers or 2) do
      self.batches[i] = new_batch(options, self.size, self.dims)
   end
   self.count = math.ceil(indices[1].itemCount(labels[1]) / self.size)
   return self
end

-- The samples of a batch, fewer where a pass ends.
local function draw(self)
   local samples = {}
   for k = 1, self.size do
      local sample = {}
      for i, next_item in ipairs(self.samplers) do
         local item, label, offset, length = next_item()
         if i == 1 and item == nil then return samples end
         if i == 1 then sample.label = label ~= '' and label or nil end
         if item ~= nil then sample[i] = { url = item, offset = offset, length = length } end
      end
      samples[k] = sample
   end
   return samples
end

local function batch_of(self, number) return self.batches[number % #self.batches + 1] end

-- Samples are drawn as early as in the original, where threads prepared the next batches: up to the first batch whose
-- memory is in use.
local function draw_ahead(self, number)
   while number <= self.count and not batch_of(self, number).drawn do
      batch_of(self, number).drawn = draw(self)
      number = number + 1
   end
end

-- The processor's results for a sample: whether to keep it, and what else it returns.
local function processed(self, sample, input)
   local contents, count = {}, #self.indices
   for i = 1, count do
      local part = sample[i]
      if part then contents[i] = self.get[i](part.url, part.offset, part.length) end
   end
   if contents[1] == nil then return false end
   contents[count + 1], contents[count + 2] = self.process_options, input
   return self.process(unpack(contents, 1, count + 2))
end

-- Takes the k-th sample of a batch, whose input is `own`, as the one with the number `kept`.
local function keep(self, batch, k, kept, own, extra)
   local input, sample = batch.reader, batch.drawn[k]
   if self.size == 1 then
      -- The only sample of a batch may have its own sizes.
      local sizes = own:size():totable()
      if own:nElement() ~= input:nElement() then input:resize(1, unpack(sizes)):copy(own) end
      if input:dim() > 1 then batch.inputDims = torch.LongStorage(sizes) end
   elseif kept < k then
      input[kept] = input[k]
   end
   local part = sample[1]
   batch.item[kept] = { url = part.url, offset = part.offset, length = part.length, label = sample.label,
      extra = extra, index = k }
   batch.class[kept] = sample.label
   batch.targets[kept] = self.indices[1].labelIndex[sample.label] or 0
end

local function fill(self, batch, number)
   batch.class, batch.item = {}, {}
   local dims, input, kept = self.dims, batch.reader, 0
   if self.dims_of_batch then dims = check_dims('the result of getBatchDims', self.dims_of_batch(number)) end
   input:resize(self.size, unpack(dims))
   for k, sample in ipairs(batch.drawn) do
      local own = #dims == 0 and input:narrow(1, k, 1) or input[k]
      local is_kept, extra = processed(self, sample, own)
      if is_kept then
         kept = kept + 1
         keep(self, batch, k, kept, own, extra)
         batch.indices[kept] = (number - 1) * self.size + k
      end
   end
   if kept == 0 and #batch.drawn > 0 then
      warn.once(NAME .. ': processor kept no sample of a batch: it must return true for those to keep')
   end
   show(batch, kept, self.size)
end

-- Options: samplerKind='uniform', samplerLabel, samplerOptions, batchSize=32, inputDims, inputTensorType=FloatTensor,
-- getBatchDims(number), get(item, offset, length), processor(x, options, input), which fills in the input of a sample
-- and returns whether to keep it, processorOpt, cuda, numBuffers=2, verbose. poolSize was the number of threads that
-- processors ran in; here they run in the program.
-- Returns getBatch, numBatches and reset, which are functions.
return function(indices, options)
   local self = open(indices, options)
   local current, in_use = 0, nil

   local function restart()
      current = 0
      for _, reset in ipairs(self.resets) do reset() end
   end

   local function getBatch()
      if in_use then in_use.drawn = nil end
      current = current + 1
      if current == 1 then draw_ahead(self, 1) end
      local batch = batch_of(self, current)
      fill(self, batch, current)
      in_use = batch
      if current == self.count then restart() end
      draw_ahead(self, current + 1)
      return batch
   end

   local function reset()
      for _, batch in ipairs(self.batches) do batch.drawn = nil end
      in_use = nil
      restart()
   end

   if options and options.verbose then
      print(string.format('%d samples, %d labels, %d batches', indices[1].itemCount(), #indices[1].labels, self.count))
   end
   return getBatch, function() return self.count end, reset
end
