-- nn.StochasticGradient: trains a module, one example after the other, on a data set: dataset:size() and
-- dataset[i], a table of an input and a target.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(StochasticGradient)

   function StochasticGradient:__init(module, criterion)
      self.learningRate, self.learningRateDecay = 0.01, 0
      self.maxIteration = 25
      self.shuffleIndices, self.verbose = true, true
      self.module, self.criterion = module, criterion
   end

   -- Calls hookExample(self, example) and hookIteration(self, iteration, error) where they are set.
   function StochasticGradient:train(dataset)
      if not dataset or not dataset.size then
         check.argument_error('StochasticGradient', 'the data set', 'an object with a method size', dataset)
      end
      local module, criterion = self.module, self.criterion
      local rate, iteration = self.learningRate, 1
      local order = torch.randperm(dataset:size(), 'torch.LongTensor')
      if not self.shuffleIndices then
         for t = 1, dataset:size() do order[t] = t end
      end

      _G.print '# StochasticGradient: training'
      while true do
         local sum = 0
         for t = 1, dataset:size() do
            local example = dataset[order[t]]
            local input, target = example[1], example[2]
            sum = sum + criterion:forward(module:forward(input), target)
            module:updateGradInput(input, criterion:updateGradInput(module.output, target))
            module:accUpdateGradParameters(input, criterion.gradInput, rate)
            if self.hookExample then self.hookExample(self, example) end
         end
         local mean = sum / dataset:size()
         if self.hookIteration then self.hookIteration(self, iteration, mean) end
         if self.verbose then _G.print('# current error = ' .. mean) end
         iteration = iteration + 1
         rate = self.learningRate / (1 + iteration * self.learningRateDecay)
         if self.maxIteration > 0 and iteration > self.maxIteration then
            _G.print '# StochasticGradient: you have reached the maximum number of iterations'
            _G.print('# training error = ' .. mean)
            break
         end
      end
   end
end
