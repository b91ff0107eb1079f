-- nn.SpatialSubSampling and nn.TemporalSubSampling: sums of windows, times a weight and plus a bias for each plane, or
-- for each feature of frames.

local torch = require 'torch'
local initialization = require 'nn.module.initialization'
local expect, kernel, geometry = require 'nn.checks.expect', require 'nn.kernels.kernel', require 'nn.checks.geometry'
local pooling_engine, pooling_layer = require 'nn.kernels.pooling_engine', require 'nn.pooling.pooling_layer'
local fail, describe = expect.fail, expect.describe

local specs = {
   SpatialSubSampling = {
      dimensions = 2, kernel = { false, 'kH', 'kW' }, stride = { false, 'dH', 'dW' }, sums = true,
   },
   TemporalSubSampling = {
      dimensions = 1, kernel = { false, 'kW', false }, stride = { false, 'dW', false }, sums = true,
   },
}

return function(Sub, _, nn, name)

   local temporal, spec = name == 'TemporalSubSampling', specs[name]
   local field = temporal and 'inputFrameSize' or 'nInputPlane'

   function Sub:__init()
      local planes = self[field]
      self.weight, self.bias = torch.Tensor(planes), torch.Tensor(planes)
      self.gradWeight, self.gradBias = torch.zeros(planes), torch.zeros(planes)
      self:reset()
   end

   function Sub:reset(stdv) initialization.uniform(nn, self, stdv, self.kW * (self.kH or 1)) end

   -- Checks a call; returns the results of pooling_layer.prepare, and the dimension that weights are for.
   local function prepare(self, k, x)
      local count, shape = pooling_layer.prepare(self, spec, x)
      local dim, n = temporal and count or count - 2, self[field]
      if x._size[dim - 1] ~= n then
         fail(self, '%s %d must be the size of dimension %d (got %s)', field, n, dim, describe(x))
      end
      for _, parameter in ipairs { 'weight', 'bias' } do
         local t = self[parameter]
         -- As in Torch7, of weights of more elements the first are used.
         local whole = k.is(t) and k.numel(t) % n == 0 and t._dim > 0 and t._size[0] == n
         if not whole or temporal and k.numel(t) ~= n then
            fail(self, '%s must have %d elements of type %s (got %s)', parameter, n, k.TYPE, describe(t))
         end
      end
      return count, shape, dim
   end

   -- The first elements of a parameter, one for each plane, as a vector.
   local function first(t, n) return t:contiguous():view(-1):narrow(1, 1, n) end

   -- y = t, which is contiguous, times the weight, and plus the bias if it is there.
   local function scaled(self, k, t, y, biased)
      local n = self[field]
      local weight, bias = first(self.weight, n), biased and first(self.bias, n) or nil
      -- Each frame has an element of each feature.
      local area = temporal and 1 or t._size[t._dim - 2] * t._size[t._dim - 1]
      return pooling_engine.scale(k, k.numel(t) / area, n, area, t, weight, bias, y)
   end

   -- The sums of the windows, in y or a new tensor.
   local function sums(k, shape, x, count, y)
      y = geometry.resized(k, y, pooling_layer.wanted, count)
      pooling_engine.average(k, shape, k.as_contiguous(x), y)
      return y
   end

   function Sub:updateOutput(input)
      local k = kernel.of(self, input)
      local count, shape = prepare(self, k, input)
      local y = sums(k, shape, input, count, self.output)
      self.output = y
      return scaled(self, k, y, y, true)
   end

   function Sub:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local count, shape = prepare(self, k, input)
      geometry.check_gradient(self, k, gradOutput, pooling_layer.wanted, count)
      local r = k.resize_as(self.gradInput, input)
      local g = k.as_contiguous(gradOutput)
      g = scaled(self, k, g, geometry.resized(k, nil, pooling_layer.wanted, count))
      pooling_engine.average_back(k, shape, g, r)
      return r
   end

   -- Sums over all dimensions but one.
   local function summed(t, dim)
      for d = t:dim(), 1, -1 do
         if d ~= dim then t = t:sum(d) end
      end
      return t:view(-1)
   end

   function Sub:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      local k = kernel.of(self, input)
      local count, shape, dim = prepare(self, k, input)
      geometry.check_gradient(self, k, gradOutput, pooling_layer.wanted, count)
      local n = self[field]
      for _, gradient in ipairs { 'gradWeight', 'gradBias' } do
         local t = self[gradient]
         if not k.is(t) or k.numel(t) < n or not t:isContiguous() then
            fail(self, '%s must be contiguous and have %d elements of type %s (got %s)', gradient, n, k.TYPE,
               describe(t))
         end
      end
      first(self.gradWeight, n):add(scale, summed(sums(k, shape, input, count):cmul(gradOutput), dim))
      first(self.gradBias, n):add(scale, summed(gradOutput, dim))
   end

end
