-- nn.Kmeans: the nearest of k centres for each sample; centres move towards the means of their samples.

local torch = require 'torch'
local initialization = require 'nn.module.initialization'
local expect = require 'nn.checks.expect'

return function(Kmeans, _, nn)

   function Kmeans:__init()
      local k, dim = self.k, self.dim
      if not (k > 0 and dim > 0) then expect.fail(self, 'k and dim must be at least 1 (got %s, %s)', k, dim) end
      self.weight, self.gradWeight = torch.Tensor(k, dim), torch.Tensor(k, dim)
      self.loss = 0
      self:reset()
   end

   function Kmeans:reset(stdv) initialization.uniform(nn, self, stdv, self.weight:size(2)) end

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
   -- before it.
   function Kmeans:initKmeansPlus(input, p)
      expect.rows(self, input, self.dim)
      p = p or self.p or 0.95
      if not (p >= 0 and p <= 1) then expect.fail(self, 'p must be from 0 to 1 (got %s)', p) end
      self.p = p
      local n = input:size(1)
      local farthest = math.max(1, math.ceil((1 - p) * n))
      self.weight[1]:copy(input[torch.random(n)])
      for i = 2, self.k do
         local _, order = distances(input, self.weight:narrow(1, 1, i - 1)):min(2):view(n):sort()
         self.weight[i]:copy(input[order[n - farthest + torch.random(farthest)]])
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
      local sums = self.weight.new(self.k, self.dim):zero():indexAdd(1, self._which, input)
      local counts = self.weight.new(self.k, 1):zero()
      counts:indexAdd(1, self._which, self.weight.new(input:size(1), 1):fill(1))
      -- A centre without samples stays.
      local empty = counts:eq(0)
      sums:cdiv(counts:maskedFill(empty, 1):expandAs(sums))
      local step = torch.add(self.weight, -1, sums)
      step:maskedFill(empty:expandAs(step), 0)
      self.gradWeight:add(scale, step)
   end
end
