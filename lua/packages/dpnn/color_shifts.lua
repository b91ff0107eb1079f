-- nn.SimpleColorTransform: while training, adds a random number within a range to each plane of a sample.
-- nn.PCAColorTransform: adds random amounts of the principal components of the colours instead (Krizhevsky, 2012).

local torch = require 'torch'
local check, mixins = require 'torch.base.check', require 'nn.module.mixins'

return function(Transform, parent, _, name)

   if name == 'SimpleColorTransform' then
      function Transform:__init(inputChannels, range)
         parent.__init(self)
         if range:nElement() ~= inputChannels then
            check.argument_error(name, 'range', string.format('a tensor of %d elements', inputChannels), range)
         end
         self.inputChannels, self.range, self.train = inputChannels, range:clone(), true
      end

      -- Random numbers for each plane of each sample, plane by plane: batch x planes.
      function Transform:shifts(batch)
         local noise = self.range.new(batch, self.inputChannels)
         for i = 1, self.inputChannels do noise:narrow(2, i, 1):uniform(-self.range[i], self.range[i]) end
         return noise
      end

      function Transform:__tostring__() return 'SimpleColorTransform' end
   else
      function Transform:__init(inputChannels, eigenVectors, eigenValues, std)
         parent.__init(self)
         check.dimensions(name, 'eigenvectors', eigenVectors, 2, 2)
         if eigenVectors:size(1) ~= inputChannels or eigenVectors:size(2) ~= eigenValues:nElement() then
            check.argument_error(name, 'eigenvectors', string.format('a tensor of %d x %d', inputChannels,
               eigenValues:nElement()), eigenVectors)
         end
         self.inputChannels, self.train, self.std = inputChannels, true, std or 0.1
         self.eigenVectors, self.eigenValues = eigenVectors:clone(), eigenValues:clone()
      end

      function Transform:shifts(batch)
         local values = self.eigenValues
         local amounts = values.new(values:nElement(), batch):normal(0, self.std)
         return (self.eigenVectors * amounts:cmul(values:contiguous():view(-1, 1):expandAs(amounts))):t():contiguous()
      end

      function Transform:__tostring__()
         return string.format('%s channels: %d, std: %f', torch.type(self), self.inputChannels, self.std)
      end
   end

   mixins.on_copies(Transform, function(self, output, input)
      check.dimensions(self, 'input', input, 3, 4)
      local d = input:dim()
      local planes = input:size(d - 2)
      if planes ~= self.inputChannels then
         check.argument_error(self, 'input', self.inputChannels .. ' planes', input)
      end
      if self.train == false then return end
      self.noise = self:shifts(d == 4 and input:size(1) or 1)
      local broadcast = d == 4 and self.noise:view(-1, planes, 1, 1) or self.noise:view(planes, 1, 1)
      output:add(broadcast:expandAs(input))
   end, function(self)
      if self.train == false then check.fail(self, 'backward is defined in training alone') end
   end)
end
