-- nn.DataSet: a list of samples { input, target } from folders of pictures.

local _G = _G
local torch = require 'torch'
local check = require 'torch.base.check'
local image_folder, paths = require 'nnx.image_folder', require 'paths'
local xlua = require 'xlua'

-- Options of append, after the folder; load has the first ones, too.
local FOLDER = { arg = 'dataSetFolder', type = 'string', help = 'folder of pictures', req = true }
local CHANNELS = { arg = 'channels', type = 'number', help = 'planes of an input', default = 3 }
local SIZE = { arg = 'sampleSize', type = 'table', help = 'planes, width and height of all inputs' }
local PADDING = { arg = 'padding', type = 'boolean', help = 'center pictures instead of scaling them' }

return function(DataSet, _, nn)

   function DataSet:__init(...)
      self.nbSamples = 0
      if select('#', ...) > 0 then self:load(...) end
   end

   function DataSet:size() return self.nbSamples end

   function DataSet:__tostring__()
      return 'DataSet:\n + nb samples : ' .. self.nbSamples
   end

   -- Samples are read from this file if it exists, else load writes them into it.
   function DataSet:useCacheFile(fileName)
      self.cacheFileName = check.kind(self, 'fileName', fileName, 'string')
   end

   function DataSet:emptySet()
      for i = self.nbSamples, 1, -1 do self[i] = nil end
      self.nbSamples = 0
   end

   -- add(input, target), or a table of both, with or without these names.
   function DataSet:add(input, target)
      if type(input) == 'table' then
         input, target = input.input or input[1], input.target or input.output or input[2]
      end
      check.tensor(self, 'input', input)
      self.nbSamples = self.nbSamples + 1
      self[self.nbSamples] = { input, target == nil and torch.Tensor() or target }
   end

   -- The centre of a picture at the given size, padded with zeros.
   local function centered(x, width, height)
      local r = x.new(x:size(1), height, width):zero()
      local function span(from, to) return math.max(0, math.floor((from - to) / 2)) + 1, math.min(from, to) end
      local top, rows = span(x:size(2), height)
      local left, columns = span(x:size(3), width)
      r:narrow(2, span(height, x:size(2)), rows):narrow(3, span(width, x:size(3)), columns)
         :copy(x:narrow(2, top, rows):narrow(3, left, columns))
      return r
   end

   -- The target of a picture: the numbers in its name, 'id|0.5|2.png', or the number that the folder is called.
   local function target_of(self, options, name)
      if options.useDirAsLabel then
         local folder = paths.basename((string.gsub(options.dataSetFolder, '/+$', '')))
         local class = tonumber(folder)
         if not class or class % 1 ~= 0 or class < 1 or class > options.nbLabels then
            check.fail(self, 'the name of the folder must be a class from 1 to %d (got %s)', options.nbLabels, folder)
         end
         local target = torch.Tensor(options.nbLabels):fill(-1)
         target[class] = 1
         return target
      end
      local numbers = {}
      if options.useLabelPiped then
         for field in string.gmatch(string.gsub(name, '%.%w+$', ''), '|([^|]*)') do
            numbers[#numbers + 1] = check.number(self, 'label in the name of ' .. name, field)
         end
      end
      return #numbers > 0 and torch.Tensor(numbers):view(#numbers, 1) or torch.Tensor()
   end

   -- Reads pictures of a folder, at most nbSamplesRequired of them.
   function DataSet:append(...)
      local options = xlua.unpack({ ... }, 'DataSet.append', 'append a folder of pictures', FOLDER, CHANNELS,
         { arg = 'nbSamplesRequired', type = 'number', help = 'the most samples', default = 'all' },
         { arg = 'useLabelPiped', type = 'boolean', help = 'targets are numbers in the names: id|0.5|2.png' },
         { arg = 'useDirAsLabel', type = 'boolean', help = 'the name of the folder is the class' },
         { arg = 'nbLabels', type = 'number', help = 'number of classes', default = 1 }, SIZE, PADDING)
      check.kind(self, 'dataSetFolder', options.dataSetFolder, 'string')
      local max_count, size = options.nbSamplesRequired, options.sampleSize
      max_count = max_count == 'all' and math.huge or check.integer(self, 'nbSamplesRequired', max_count, 0)
      local channels = check.integer(self, 'channels', size and size[1] or options.channels, 1, 4)
      local width, height
      if size then width, height = check.size(self, 'width', size[2]), check.size(self, 'height', size[3]) end
      local image = require 'image'
      local names = image_folder.pictures(self, options.dataSetFolder)
      for i = 1, math.min(#names, max_count) do
         local x = image.load(paths.concat(options.dataSetFolder, names[i]), channels)
         if x:dim() == 2 then x = x:view(1, x:size(1), x:size(2)) end
         if size and options.padding then
            x = centered(x, width, height)
         elseif size then
            x = image.scale(x, width, height)
         end
         self:add(x, target_of(self, options, names[i]))
      end
   end

   -- Reads the samples of a folder, or of the cache, if there is one.
   function DataSet:load(...)
      local options = xlua.unpack({ ... }, 'DataSet.load', 'load a folder of pictures', FOLDER,
         { arg = 'nbSamplesRequired', type = 'number', help = 'the most samples', default = 'all' },
         { arg = 'cacheFile', type = 'string', help = 'file of the samples, for the next time' }, CHANNELS, SIZE,
         PADDING)
      if options.cacheFile then self:useCacheFile(options.cacheFile) end
      local cache = self.cacheFileName
      if cache and paths.filep(cache) then
         local stored = torch.load(cache)
         if torch.type(stored) ~= 'nn.DataSet' then
            check.argument_error(self, 'cache ' .. cache, 'an nn.DataSet', stored)
         end
         for i = 1, stored:size() do self:add(stored[i]) end
         return
      end
      self:append { dataSetFolder = options.dataSetFolder, nbSamplesRequired = options.nbSamplesRequired,
         channels = options.channels, sampleSize = options.sampleSize, padding = options.padding }
      if cache then torch.save(cache, self) end
   end

   -- Adds copies of the samples of another set.
   function DataSet:appendDataSet(dataset)
      _G.print(string.format('<DataSet> Merging dataset of size = %d into dataset of size = %d', dataset:size(),
         self:size()))
      for i = 1, dataset:size() do
         local sample = dataset[i]
         self:add(sample[1]:clone(), torch.isTensor(sample[2]) and sample[2]:clone() or sample[2])
      end
   end

   -- Moves the last samples to another set: nElement of them, or the share `ratio`, by default 0.1.
   function DataSet:popSubset(args)
      args = args == nil and {} or check.kind(self, 'argument 1', args, 'table')
      local count = args.nElement or self:size() - math.floor((1 - (args.ratio or 0.1)) * self:size())
      count = check.integer(self, 'nElement', count, 0, self:size())
      local subset = args.outputSet or nn.DataSet()
      _G.print('<DataSet> Popping ' .. count .. ' samples dataset')
      for _ = 1, count do
         subset:add(self[self.nbSamples])
         self[self.nbSamples] = nil
         self.nbSamples = self.nbSamples - 1
      end
      return subset
   end

   function DataSet:shuffle()
      for n = self.nbSamples, 2, -1 do
         local k = torch.random(n)
         self[n], self[k] = self[k], self[n]
      end
   end

   -- Replaces each input by a function of it.
   function DataSet:apply(toapply)
      check.callable(self, 'argument 1', toapply)
      for i = 1, self.nbSamples do self[i][1] = toapply(self[i][1]) end
   end

   function DataSet:resize(w, h)
      w = check.size(self, 'w', w)
      h = check.size(self, 'h', h or w)
      self:apply(function(x) return require('image').scale(x, w, h) end)
   end

   -- Scales the square in the middle of each input to side x side.
   function DataSet:cropAndResize(side)
      side = check.size(self, 'side', side)
      self:apply(function(x)
         local smaller = math.min(x:size(2), x:size(3))
         return require('image').scale(centered(x, smaller, smaller), side, side)
      end)
   end

   -- Shows the first samples.
   function DataSet:display(nSamples, legend)
      local inputs = {}
      for i = 1, check.integer(self, 'nSamples', nSamples or self:size(), 1, self:size()) do inputs[i] = self[i][1] end
      return require('image').display { image = inputs, legend = legend }
   end

   function DataSet:write(file)
      local fields = {}
      for key, value in pairs(self) do fields[key] = value end
      file:writeObject(fields)
   end

   function DataSet:read(file)
      for key, value in pairs(file:readObject()) do rawset(self, key, value) end
   end
end
