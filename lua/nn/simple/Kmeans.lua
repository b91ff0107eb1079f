-- nn.Kmeans: the nearest of k centres for each sample; centres move towards the means of their samples.

local torch = require 'torch'
local expect = require 'nn.checks.expect'

return function(Kmeans)

   function Kmeans:__init()
      local k, dim = self.k, self.dim
      if not (k > 0 and dim > 0) then expect.fail(self, 'k and dim must be at least 1 (got %s, %s)', k, dim) end
      self.weight, self.gradWeight = torch.Tensor(k, dim), torch.Tensor(k, dim)
      self.loss = 0
      self.clusterSampleCount = torch.zeros(k)   -- how many samples each centre had in the last backward
      self:reset()
   end

   -- Uniform from -limit to limit.
   function Kmeans:reset(limit)
      limit = expect.number(self, 'stdev', limit or 1)
      self.weight:uniform(-limit, limit)
   end

   -- The squared distances: samples x centres.
   local function distances(input, centres)
      local n, k, dim = input:size(1), centres:size(1), input:size(2)
      local d = input.new(n, k, dim)
      d:copy(input:contiguous():view(n, 1, dim):expandAs(d))
      d:add(-1, centres:contiguous():view(1, k, dim):expandAs(d))
      return d:cmul(d):sum(3):view(n, k)
   end

   -- Centres from samples that are drawn, each on its own.
   function Kmeans:initRandom(input)
      expect.rows(self, input, self.dim)
      for i = 1, self.k do self.weight[i]:copy(input[torch.random(input:size(1))]) end
      return self.weight
   end

   -- Centres far from each other: each one is drawn among the share 1 - p of the samples that are farthest from those
   -- before it, in the original's order, so that a seed gives the same ones.
   function Kmeans:initKmeansPlus(input, p)
      expect.rows(self, input, self.dim)
      p = p or self.p or 0.95
      if not (p >= 0 and p <= 1) then expect.fail(self, 'p must be from 0 to 1 (got %s)', p) end
      self.p = p
      local n = input:size(1)
      local farthest = math.max(1, math.ceil((1 - p) * n))
      local samples = self.weight.new(n, self.dim):copy(input)
      self.weight[1]:copy(input[torch.random(n)])
      local nearest
      for i = 2, self.k do
         local centre = self.weight[i - 1]:view(1, self.dim):expandAs(samples)
         local squares = torch.add(samples, -1, centre):norm(2, 2):pow(2):view(n)
         nearest = nearest and torch.cmin(nearest, squares) or squares
         local _, order = nearest:sort(true)
         self.weight[i]:copy(input[order[torch.random(farthest)]])
      end
      return self.weight
   end

   function Kmeans:updateOutput(input)
      expect.rows(self, input, self.dim)
      local nearest, which = distances(input, self.weight):min(2)
      self._which = which:view(-1)
      self.loss = nearest:sum()
      self.output:resize(input:size(1)):copy(self._which)
      return self.output
   end

   function Kmeans:updateGradInput(input)
      expect.rows(self, input, self.dim)
      self.gradInput:resizeAs(input):zero()
      return self.gradInput
   end

   function Kmeans:accGradParameters(input, _, scale)
      expect.rows(self, input, self.dim)
      if not self._which or self._which:size(1) ~= input:size(1) then
         expect.fail(self, 'backward called before forward on this input')
      end
      scale = self.scale or scale or 1
      local counts = self.clusterSampleCount:zero()
      counts:indexAdd(1, self._which, counts.new(input:size(1)):fill(1))
      local steps = torch.add(input, -1, self.weight:index(1, self._which)):mul(-scale)
      local sums = self.weight.new(self.k, self.dim):zero():indexAdd(1, self._which, steps)
      -- The small number, which is the original's, is for centres without samples: they stay.
      sums:cdiv(torch.add(counts, 1e-7):view(self.k, 1):expandAs(sums))
      self.gradWeight:add(sums)
   end

   -- Files of this library's first versions have no counts.
   function Kmeans:upgrade()
      self.clusterSampleCount = self.clusterSampleCount or self.weight.new(self.k):zero()
   end
end
