-- nn.DataList: combines data sets, each of which is a class. Samples come from the classes in turn, and small classes
-- start over.

local torch = require 'torch'

return function(List, parent)

   -- Fields that a program may set: targetIsProbability, for zeros instead of -1 in targets; spatialTarget, for targets
   -- of classes x 1 x 1; hookOnSample, a function of the list and a sample that returns the sample to use.
   function List:__init()
      parent.__init(self)
      self.datasets, self.nbClass, self.ClassName, self.ClassMax = {}, 0, {}, 0
      self.targetIsProbability, self.spatialTarget = false, false
   end

   function List:__tostring__()
      return string.format('DataList:\n + nb samples : %d\n + nb classes : %d', self.nbSamples, self.nbClass)
   end

   -- Adds a data set: any object with size() and samples by index. ClassName maps indices to names, and names to
   -- numbers of samples. Sets with the same name count as one class, although each of them has its turn.
   function List:appendDataSet(dataSet, className)
      table.insert(self.datasets, dataSet)
      if self.ClassName[className] then
         self.ClassName[className] = self.ClassName[className] + dataSet:size()
      else
         self.ClassName[className] = dataSet:size()
         self.nbClass = self.nbClass + 1
         self.ClassName[self.nbClass] = className
      end
      self.ClassMax = math.max(self.ClassMax, self.ClassName[className])
      self.nbSamples = self.ClassMax * self.nbClass
   end

   -- The sample at an index: that of the class whose turn it is, whose target has a 1 at the class.
   function List:__index__(key)
      local count = rawget(self, 'nbClass') or 0
      if type(key) ~= 'number' or count == 0 then return rawget(self, key) end
      if key < 1 or key > self.nbSamples or key % 1 ~= 0 then return nil end
      local class = (key - 1) % count + 1
      local set = self.datasets[class]
      local sample = set[math.floor((key - 1) / count) % set:size() + 1]
      local target = torch.Tensor(count):fill(self.targetIsProbability and 0 or -1)
      target[class] = 1
      sample[2] = self.spatialTarget and target:view(count, 1, 1) or target
      if self.hookOnSample then sample = self.hookOnSample(self, sample) end
      return sample, true
   end
end
