-- inn.SpatialStochasticPooling(kW, kH [, dW, dH]): an element of each window, drawn with its value as the weight; in
-- evaluation the mean of the window with the values as weights. Inputs are not negative.

local torch = require 'torch'
local check = require 'torch.base.check'

return function(inn, nn)
   local Pool, parent = torch.class('inn.SpatialStochasticPooling', 'nn.Module', inn)

   function Pool:__init(kW, kH, dW, dH)
      parent.__init(self)
      self.kW = check.size('SpatialStochasticPooling', 'kW', kW)
      self.kH = check.size('SpatialStochasticPooling', 'kH', kH)
      self.dW = check.size('SpatialStochasticPooling', 'dW', dW or kW)
      self.dH = check.size('SpatialStochasticPooling', 'dH', dH or kH)
      self.train = true
   end

   -- Sizes are rounded up: windows over the edge have zeros there, which are never drawn.
   local function padded(self, input)
      check.dimensions(self, 'input', input, 3, 4)
      local dims = input:dim()
      local height, width = input:size(dims - 1), input:size(dims)
      if height < self.kH or width < self.kW then
         check.fail(self, 'input must be at least as large as the %dx%d window (got %s)', self.kW, self.kH,
            check.describe(input))
      end
      local rows, columns = math.ceil((height - self.kH) / self.dH), math.ceil((width - self.kW) / self.dW)
      local all = input:contiguous():view(-1, height, width)
      local x = input.new(all:size(1), rows * self.dH + self.kH, columns * self.dW + self.kW):zero()
      x:narrow(2, 1, height):narrow(3, 1, width):copy(all)
      return x, rows + 1, columns + 1
   end

   local function windows(self, x)
      return x:unfold(2, self.kH, self.dH):unfold(3, self.kW, self.dW)
   end

   function Pool:updateOutput(input)
      local x, rows, columns = padded(self, input)
      local values = windows(self, x):contiguous():view(-1, self.kH * self.kW)
      if values:min() < 0 then check.fail(self, 'inputs must not be negative (got %g)', values:min()) end
      local sums = values:sum(2)
      local safe = sums:clone():add(sums:eq(0):typeAs(sums))
      -- The weights of the elements in the output, which are those of the gradient too.
      if self.train then
         local limit = torch.cmul(sums, values.new(sums:size()):uniform()):expandAs(values)
         local chosen = values:cumsum(2):le(limit):long():sum(2):cmin(values:size(2) - 1):add(1)
         self.weights = values.new(values:size()):zero():scatter(2, chosen, 1)
         self.result = torch.cmul(values, self.weights):sum(2)
      else
         self.weights = torch.cdiv(values, safe:expandAs(values))
         self.result = torch.cmul(values, self.weights):sum(2)
      end
      local sizes = input:size()
      sizes[input:dim() - 1], sizes[input:dim()] = rows, columns
      self.output:resize(sizes):copy(self.result)
      return self.output
   end

   function Pool:updateGradInput(input, gradOutput)
      check.same_size(self, 'gradOutput', gradOutput, self.output)
      local x = padded(self, input):zero()
      local shape = windows(self, x):size()
      local parts = torch.cmul(self.weights, gradOutput:contiguous():view(-1, 1):expandAs(self.weights)):view(shape)
      -- Windows may overlap: each offset within them is added separately.
      for dy = 1, self.kH do
         for dx = 1, self.kW do
            windows(self, x):select(4, dy):select(4, dx):add(parts:select(4, dy):select(4, dx))
         end
      end
      local dims = input:dim()
      self.gradInput:resizeAs(input):copy(x:narrow(2, 1, input:size(dims - 1)):narrow(3, 1, input:size(dims)))
      return self.gradInput
   end

   function Pool:clearState()
      self.weights, self.result = nil, nil
      return parent.clearState(self)
   end

   local _ = nn
end
