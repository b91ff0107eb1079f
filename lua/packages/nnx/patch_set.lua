-- Data sets of patches of pictures whose pixels have classes: patch_set(Class, parent, kind) gives a class the methods.
-- `kind` says where the files are:
--
--    kind.files(set)            the list of pictures: { imgfile =, maskfile =, annotfile = }
--    kind.classes_of(set, x)    the classes of pixels, from a mask as image.load gives it; 0 if there is none
--    kind.names                 names of the classes, where the program gives none

local torch = require 'torch'
local annotations, patch_options = require 'nnx.annotations', require 'nnx.patch_options'
local check = require 'torch.base.check'
local paths, xlua = require 'paths', require 'xlua'

return function(Class, parent, kind)

   local function say(self, text, ...)
      if self.verbose then _G.print(torch.type(self) .. ': ' .. string.format(text, ...)) end
   end

   function Class:__init(...)
      parent.__init(self)
      xlua.unpack_class(self, { ... }, torch.type(self), 'patches of pictures', unpack(patch_options))
      local name = string.gsub(torch.type(self), '^nn%.', '')
      check.kind(name, 'path', self.path, 'string')
      self.classNames = check.kind(name, 'classNames', self.classNames or kind.names or { 'no name' }, 'table')
      self.nbClasses = check.size(name, 'nbClasses', self.nbClasses or #self.classNames)
      self.patchSize = check.size(name, 'patchSize', self.patchSize)
      self.nbPatchPerSample = check.size(name, 'nbPatchPerSample', self.nbPatchPerSample)
      check.one_of(name, 'samplingMode', self.samplingMode, { 'random', 'equal' })
      check.one_of(name, 'labelType', self.labelType, { 'center', 'pixelwise' })
      if self.labelGenerator then check.callable(name, 'labelGenerator', self.labelGenerator) end
      self.rawdata, self.currentIndex = kind.files(self), -1
      if #self.rawdata == 0 then check.fail(name, 'no pictures in %s', self.path) end
      for _, one in ipairs(self.rawdata) do one.size = require('image').getSize(one.imgfile) end
      self.nbRawSamples = math.min(self.nbRawSamples or math.huge, #self.rawdata)
      self.maxX, self.maxY = self:getsizes()
      self:parseAllMasks()
      local count = 0
      for class, tag in ipairs(self.tags) do
         if class ~= self.classToSkip then count = count + tag.size end
      end
      if count == 0 then
         check.fail(name, 'no picture in %s has a patch of %d x %d with a class', self.path, self.patchSize,
            self.patchSize)
      end
      self.nbRandomPatches = count
      if self.preloadSamples then self:preload() end
   end

   function Class:size() return rawget(self, 'nbRawSamples') and self.nbRawSamples * self.nbPatchPerSample or 0 end

   -- The largest width and height of the pictures.
   function Class:getsizes()
      local width, height = 0, 0
      for _, one in ipairs(self.rawdata) do
         width, height = math.max(width, one.size[3]), math.max(height, one.size[2])
      end
      return width, height
   end

   function Class:__tostring__()
      local lines = { torch.type(self) .. ':', 'path: ' .. self.path, string.format('pictures: %d', self.nbRawSamples),
         string.format('patches: %d%s of %d x %d, %s', self:size(), self.infiniteSet and ' and more' or '',
            self.patchSize,
            self.patchSize, self.samplingMode),
         'target: ' .. (self.labelGenerator and 'made by a function' or self.labelType),
         'classes: ' .. table.concat(self.classNames, ' | ') }
      return table.concat(lines, '\n  ')
   end

   -- The classes of the pixels of a picture, from its mask, or else from its annotation.
   local function mask_of(self, one, height, width)
      if paths.filep(one.maskfile) then
         local mask = kind.classes_of(self, require('image').load(one.maskfile))
         if mask:size(1) ~= height or mask:size(2) ~= width then
            check.argument_error(self, 'mask ' .. one.maskfile, string.format('of %d x %d, as its picture', height,
               width),
               mask)
         end
         return mask
      end
      if not paths.filep(one.annotfile) then
         check.fail(self, 'no classes for %s: neither %s nor %s is there', one.imgfile, one.maskfile, one.annotfile)
      end
      return annotations.mask(annotations.read(self, one.annotfile), self.classNames, height, width)
   end

   -- The size at which a picture is used.
   local function used_size(self, height, width)
      if self.rawSampleSize then return self.rawSampleSize.h, self.rawSampleSize.w end
      local share = math.min(1, (self.rawSampleMaxSize or math.huge) / math.max(height, width))
      return math.max(1, math.floor(height * share)), math.max(1, math.floor(width * share))
   end

   -- Makes a picture and its mask currentSample and currentMask.
   function Class:loadSample(index)
      check.index(self, 'index', index, #self.rawdata)
      if index == self.currentIndex then return end
      if self.preloaded then
         self.currentSample = torch.Tensor(self.preloaded.samples[index]:size()):copy(self.preloaded.samples[index])
            :div(255)
         self.currentMask = torch.Tensor(self.preloaded.masks[index]:size()):copy(self.preloaded.masks[index])
      else
         local image, one = require 'image', self.rawdata[index]
         local sample = image.load(one.imgfile, 3)
         local mask = mask_of(self, one, sample:size(2), sample:size(3)):typeAs(sample)
         local height, width = used_size(self, sample:size(2), sample:size(3))
         if height ~= sample:size(2) or width ~= sample:size(3) then
            sample, mask = image.scale(sample, width, height), image.scale(mask, width, height, 'simple')
         end
         self.currentSample, self.currentMask = sample, mask
      end
      self.currentIndex = index
   end

   -- The result of make(), or of an earlier call, from the cache file with this ending.
   local function cached(self, ending, make)
      local path = self.cacheFile and paths.concat(self.path, self.cacheFile .. ending)
      if path and paths.filep(path) then return torch.load(path) end
      local made = make()
      if path then torch.save(path, made) end
      return made
   end

   -- Keeps all pictures in memory, a byte for each element; also in a file.
   function Class:preload(saveFile)
      self.preloaded = cached(self, '-samples', function()
         local samples, masks = {}, {}
         for i = 1, self.nbRawSamples do
            say(self, 'loading picture %d of %d', i, self.nbRawSamples)
            self:loadSample(i)
            samples[i], masks[i] = torch.mul(self.currentSample, 255):add(0.5):floor():byte(), self.currentMask:short()
         end
         return { samples = samples, masks = masks }
      end)
      if saveFile then torch.save(saveFile, self.preloaded) end
   end

   -- Adds the centers of the patches of the current picture to tags: by class, the count, and rows x, y by picture.
   function Class:parseMask(existing_tags)
      local tags, patch = existing_tags or {}, self.patchSize
      local before = math.ceil(patch / 2)
      local rows, columns = self.currentMask:size(1) - patch + 1, self.currentMask:size(2) - patch + 1
      local centers = rows > 0 and columns > 0 and
         self.currentMask:narrow(1, before, rows):narrow(2, before, columns)
      for class = 1, self.nbClasses do
         local tag = tags[class] or { size = 0, parts = {} }
         local found = centers and centers:eq(class):nonzero()
         if found and found:nElement() > 0 then
            tag.parts[#tag.parts + 1] = { image = self.currentIndex,
               at = torch.cat(found:select(2, 2), found:select(2, 1), 2):add(before - 1):int() }
            tag.size = tag.size + found:size(1)
         end
         tags[class] = tag
      end
      return tags
   end

   -- Finds the centers of all patches; also in a file.
   function Class:parseAllMasks(saveFile)
      self.tags = cached(self, '-tags', function()
         local tags = {}
         for i = 1, self.nbRawSamples do
            self:loadSample(i)
            tags = self:parseMask(tags)
         end
         return tags
      end)
      for class, tag in ipairs(self.tags) do
         say(self, '%d patches of class %d, %s', tag.size, class, self.classNames[class] or '')
      end
      if saveFile then torch.save(saveFile, self.tags) end
   end

   -- A class and the number of one of its patches, for an index.
   local function choose(self, key)
      local tags, skip = self.tags, self.classToSkip
      if self.samplingMode == 'equal' then
         local class = (key - 1) % self.nbClasses + 1
         if tags[class].size > 0 and class ~= skip then
            -- The samples of a class are broadcast over its patches.
            local count = math.ceil(self:size() / self.nbClasses)
            local i = math.floor((key - 1) / self.nbClasses)
            return class, math.floor(i * tags[class].size / count) % tags[class].size + 1
         end
      end
      local k = torch.random(self.nbRandomPatches)
      for class, tag in ipairs(tags) do
         if class ~= skip then
            if k <= tag.size then return class, k end
            k = k - tag.size
         end
      end
   end

   -- The picture, column and row of a patch of a class.
   local function location_of(tag, k)
      for _, part in ipairs(tag.parts) do
         if k <= part.at:size(1) then return part.image, part.at[k][1], part.at[k][2] end
         k = k - part.at:size(1)
      end
   end

   -- The sample of a number. Which patch it is depends on torch's generator if they are random.
   function Class:__index__(key)
      if type(key) ~= 'number' then return rawget(self, key) end
      if key % 1 ~= 0 or key < 1 or key > self:size() and not self.infiniteSet then return nil end
      local class, k = choose(self, key)
      local index, x, y = location_of(self.tags[class], k)
      self:loadSample(index)
      local size = self.patchSize
      local left, top = x - math.ceil(size / 2) + 1, y - math.ceil(size / 2) + 1
      local sample = self.currentSample:narrow(2, top, size):narrow(3, left, size)
      local mask = self.currentMask:narrow(1, top, size):narrow(2, left, size)
      if self.labelGenerator then
         local made = self:labelGenerator(self.currentSample, sample, self.currentMask, mask, class, x, y, left, top,
            size)
         return made, true
      end
      if self.labelType == 'pixelwise' then return { sample, mask }, true end
      local target = torch.Tensor(self.nbClasses):fill(-1)
      target[class] = 1
      return { sample, target }, true
   end

   -- Shows pictures with their masks over them.
   function Class:display(...)
      local options = xlua.unpack({ ... }, 'display', 'show pictures with their classes',
         { arg = 'title', type = 'string', help = 'title of the window', default = torch.type(self) },
         { arg = 'samples', type = 'number', help = 'number of pictures', default = 50 },
         { arg = 'zoom', type = 'number', help = 'scale', default = 0.5 })
      local image, shown = require 'image', {}
      local colors = image.colormap(self.nbClasses + 1):t()
      for i = 1, math.min(check.size(self, 'samples', options.samples), self.nbRawSamples) do
         self:loadSample(i)
         local mask = self.currentMask
         local over = colors:index(2, mask:long():add(1):view(-1)):view(3, mask:size(1), mask:size(2))
         shown[i] = torch.add(self.currentSample, over):div(2)
      end
      return image.display { image = shown, legend = options.title, zoom = options.zoom }
   end
end
