-- nn.DataList: data sets, each of which is a class, as one: classes take turns, and small ones begin anew.

local torch = require 'torch'
local check, instance_of = require 'torch.base.check', require 'nn.instance_of'

return function(List, parent)

   -- Fields that a program may set: targetIsProbability, zeros instead of -1 in targets; spatialTarget, targets of
   -- classes x 1 x 1; hookOnSample, a function of the list and a sample that gives the sample.
   function List:__init()
      parent.__init(self)
      self.datasets, self.nbClass, self.ClassName = {}, 0, {}
      self.targetIsProbability, self.spatialTarget = false, false
   end

   function List:__tostring__()
      return ('nn.DataList:\n  %d samples\n  %d classes'):format(self.nbSamples, self.nbClass)
   end

   function List:appendDataSet(dataSet, className)
      instance_of('nn.DataSet', self, 'argument 1', dataSet)
      if dataSet:size() == 0 then check.refuse(self, 'argument 1', 'a set of samples', dataSet) end
      self.nbClass = self.nbClass + 1
      self.datasets[self.nbClass] = dataSet
      self.ClassName[self.nbClass] = className or ('class %d'):format(self.nbClass)
      local largest = 0
      for _, set in ipairs(self.datasets) do largest = math.max(largest, set:size()) end
      self.nbSamples = largest * self.nbClass
   end

   -- The sample of a number: an input of the class whose turn it is, and 1 at the class in the target.
   function List:__index__(key)
      if type(key) ~= 'number' then return rawget(self, key) end
      local count = rawget(self, 'nbClass') or 0
      if key % 1 ~= 0 or key < 1 or count == 0 or key > self.nbSamples then return nil end
      local class = (key - 1) % count + 1
      local set = self.datasets[class]
      local target = torch.Tensor(count):fill(self.targetIsProbability and 0 or -1)
      target[class] = 1
      if self.spatialTarget then target = target:view(count, 1, 1) end
      local sample = { set[math.floor((key - 1) / count) % set:size() + 1][1], target }
      if self.hookOnSample then sample = self.hookOnSample(self, sample) end
      return sample, true
   end
end
