-- nn.ClassNLLCriterion and nn.SpatialClassNLLCriterion: minus the logarithm of the probability of the target class.

local torch = require 'torch'
local expect, mixins, kernel = require 'nn.checks.expect', require 'nn.module.mixins', require 'nn.kernels.kernel'
local lib, returned = require 'torch.native.kernels' 'nn/classes', require('torch.loops.element').returned

local loss_of = kernel.functions(lib, 't7_class_loss')
local gradient_of = kernel.functions(lib, 't7_class_gradient')
local weight_sum = require('ffi').new 'double[1]'

return function(Class, parent, _, name)

   local spatial = name == 'SpatialClassNLLCriterion'

   -- The mean by default. Targets that are `ignoreIndex` do not count.
   function Class:__init()
      self.weights = self.weights and expect.dimensions(self, 'weights', self.weights, 1, 1) or nil
      self.output_tensor, self.total_weight_tensor = torch.zeros(1), torch.ones(1)
      self.target = torch.zeros(1):long()
   end

   -- The samples, the classes, and the stride between classes in memory.
   local function extent(self, x)
      local dim, size = x._dim, x._size
      if spatial then
         if dim ~= 4 then expect.fail(self, 'input must have 4 dimensions (got %s)', expect.describe(x)) end
         return size[0], size[1], size[2] * size[3]
      end
      if dim == 1 then return 1, size[0], 1 end
      if dim == 2 then return size[0], size[1], 1 end
      expect.fail(self, 'input must have 1 or 2 dimensions (got %s)', expect.describe(x))
   end

   -- Targets as a contiguous LongTensor: their own, or a copy.
   local function targets_of(self, target)
      if torch.typename(self.target) ~= 'torch.LongTensor' then self.target = torch.LongTensor() end
      if type(target) == 'number' then
         self.target:resize(1)[1] = target
         target = self.target
      elseif torch.typename(target) ~= 'torch.LongTensor' then
         expect.tensor(self, target, 'target')
         target = self.target:resize(target:size()):copy(target)
      end
      return kernel.indices(target)
   end

   local function check_count(self, x, target, t, count)
      if t:nElement() == count and t:dim() == (spatial and 3 or 1) then return end
      local size = x._size
      local wanted = spatial and string.format('of size %dx%dx%d', size[0], size[2], size[3]) or
         x._dim == 1 and 'one class' or string.format('%d classes', count)
      expect.fail(self, 'target must be %s (got %s)', wanted, expect.describe(target))
   end

   local function check_weights(self, k, weights, classes)
      if weights ~= nil and not (k.is(weights) and k.numel(weights) == classes) then
         expect.fail(self, '%d weights must be of type %s (got %s)', classes, k.TYPE, expect.describe(weights))
      end
   end

   -- Checks a call and returns the values that both passes need.
   local function parts(self, input, target)
      local k, weights = kernel.of(self, input), self.weights
      local count, classes, step = extent(self, input)
      local t = targets_of(self, target)
      -- If a single row of scores comes with several classes, the first one counts, as in the original.
      if not spatial and input._dim == 1 and t:nElement() > 1 then t = t:narrow(1, 1, 1) end
      check_count(self, input, target, t, count * step)
      check_weights(self, k, weights, classes)
      local index = kernel.long_pointer(t)
      local wrong = lib.t7_find_invalid_class(count * step, index, classes, self.ignoreIndex or -100)
      if wrong >= 0 then
         expect.fail(self, 'target must be from 1 to %d (got %.0f)', classes, tonumber(index[wrong]))
      end
      return k, count, classes, step, t, index, weights ~= nil and k.as_contiguous(weights) or nil
   end

   -- The loss, and the sum of the weights of the targets.
   function Class:updateOutput(input, target)
      local k, count, classes, step, to, index, weights = parts(self, input, target)
      local x = k.as_contiguous(input)
      local loss = returned(loss_of[k](count, classes, step, k.ptr(x), index, weights and k.ptr(weights),
         self.ignoreIndex or -100, weight_sum))
      local total = returned(weight_sum[0])
      k.keep_alive(x, to, weights)
      if self.sizeAverage and total ~= 0 then loss = loss / total end
      self.total_weight = total
      if self.total_weight_tensor then self.total_weight_tensor:fill(total) end
      self.output = loss
      return loss, total
   end

   -- As in the original, the sum of the weights is that of the last call of forward, or 1 before the first. Where it is
   -- not above 0 there is no gradient; NaN counts as such, but not in pictures.
   function Class:updateGradInput(input, target)
      local k, count, classes, step, to, index, weights = parts(self, input, target)
      local r = k.resize_as(self.gradInput, input)
      local total = self.total_weight_tensor and self.total_weight_tensor[1] or self.total_weight or 1
      if total <= 0 or total ~= total and not spatial then return r:zero() end
      local divisor = self.sizeAverage and total or 1
      if input._dim == 1 then
         -- The mean of a single row has no weight.
         if self.sizeAverage then weights = nil end
         divisor = 1
      end
      gradient_of[k](count, classes, step, index, weights and k.ptr(weights), self.ignoreIndex or -100, divisor,
         k.ptr(r))
      k.keep_alive(r, to, weights)
      return r
   end

   -- Targets stay whole numbers.
   mixins.keep_type(Class, parent, 'target')
end
