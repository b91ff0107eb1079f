-- nn.TemporalRowConvolution: a kernel of kW frames for each feature. Where machine code exists, trailing features are
-- columns with separate kernels; otherwise they are moved to the front and treated as planes.

local torch = require 'torch'
local expect, kernel, sizes = require 'nn.expect', require 'nn.kernel', require 'nn.sizes'
local geometry = require 'nn.geometry'
local convolution_engine, direct_engine = require 'nn.kernels.convolution_engine', require 'nn.kernels.direct_engine'
local convolution_layer = require 'nn.convolution.convolution_layer'
local draw_parameters = require 'nn.draw_parameters'

return function(Conv, parent, nn)

   function Conv:__init(inputFrameSize, kW, dW, featFirst)
      parent.__init(self)
      self.inputFrameSize, self.kW, self.dW = inputFrameSize, kW, dW or 1
      self.weight, self.bias = torch.Tensor(inputFrameSize, 1, kW), torch.Tensor(inputFrameSize)
      self.gradWeight, self.gradBias = torch.zeros(inputFrameSize, 1, kW), torch.zeros(inputFrameSize)
      self.featFirst = featFirst and true or false
      self:reset()
   end

   function Conv:reset(stdv) draw_parameters(nn, self, stdv, self.kW * self.inputFrameSize) end

   function Conv:noBias()
      self.bias, self.gradBias = nil, nil
      return self
   end

   local numbers, shape, wanted = {}, { planes = 1, outputs = 1 }, {}

   -- Checks a call; returns the plan, the dimensions of x, and whether features are columns.
   local function prepare(self, k, x)
      local n, features = x._dim, self.inputFrameSize
      if n ~= 2 and n ~= 3 then
         expect.fail(self, 'input must have two or three dimensions (got %s)', expect.describe(x))
      end
      local feature = self.featFirst and n - 2 or n - 1
      local time = self.featFirst and n - 1 or n - 2
      if x._size[feature] ~= features then
         expect.fail(self, 'input must have %d features (got %s)', features, expect.describe(x))
      end
      local frames, kW, dW = x._size[time], self.kW, self.dW
      geometry.whole(self, 'kW', kW, 1)
      geometry.whole(self, 'dW', dW, 1)
      if frames < kW then expect.fail(self, 'input must have at least %d frames (got %s)', kW, expect.describe(x)) end
      if not k.is(self.weight) or k.count(self.weight) ~= features * kW then
         expect.fail(self, 'weight must have %d elements of type %s (got %s)', features * kW, k.TYPE,
            expect.describe(self.weight))
      end
      if self.bias and not (k.is(self.bias) and k.count(self.bias) == features) then
         expect.fail(self, 'bias must have %d elements of type %s (got %s)', features, k.TYPE,
            expect.describe(self.bias))
      end
      local outputs = math.floor((frames - kW) / dW) + 1
      for i = 1, 18 do numbers[i] = 1 end
      numbers[10], numbers[11], numbers[12] = 0, 0, 0
      numbers[2], numbers[3], numbers[5], numbers[8], numbers[17], numbers[18] = frames, features, kW, dW, outputs,
         features
      local columns = not self.featFirst and direct_engine.has_columns(k, numbers)
      if not columns then
         for i = 2, 17, 3 do numbers[i], numbers[i + 1] = i == 11 and 0 or 1, numbers[i] end
      end
      shape.groups, shape.images = features, n == 3 and x._size[0] or 1
      if n == 3 then wanted[1] = shape.images end
      wanted[feature + 1], wanted[time + 1] = features, outputs
      return convolution_engine.plan(self, numbers), n, columns
   end

   -- The tensor with features first, contiguous.
   local function turned(self, k, t) return k.plain(self.featFirst and t or t:transpose(t:dim() - 1, t:dim())) end

   -- Copies a tensor with features first into t.
   local function take(self, k, t, from, n)
      t = sizes.resized(k, t, wanted, n)
      return t:copy(self.featFirst and from or from:transpose(n - 1, n))
   end

   -- A new tensor of n frames with features first.
   local function room(self, k, n, frames)
      if n == 3 then return k.new(shape.images, self.inputFrameSize, frames) end
      return k.new(self.inputFrameSize, frames)
   end

   function Conv:updateOutput(input)
      local k = kernel.of(self, input)
      local p, n, columns = prepare(self, k, input)
      if columns then
         self.output = sizes.resized(k, self.output, wanted, n)
         direct_engine.correlate_columns(k, p, shape.images, self.kW, k.plain(input), k.plain(self.weight),
            self.bias and k.plain(self.bias), self.output)
         return self.output
      end
      local y = room(self, k, n, numbers[18])
      convolution_engine.correlate(k, p, shape, turned(self, k, input), k.plain(self.weight),
         self.bias and k.plain(self.bias), y)
      self.output = take(self, k, self.output, y, n)
      return self.output
   end

   function Conv:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local p, n, columns = prepare(self, k, input)
      sizes.check(self, k, gradOutput, wanted, n)
      if columns then
         self.gradInput = k.like(self.gradInput, input)
         direct_engine.spread_columns(k, p, shape.images, self.kW, k.plain(gradOutput), k.plain(self.weight),
            self.gradInput)
         return self.gradInput
      end
      local r = room(self, k, n, numbers[3])
      convolution_engine.spread(k, p, shape, turned(self, k, gradOutput), k.plain(self.weight), nil, r)
      self.gradInput = k.like(self.gradInput, input):copy(self.featFirst and r or r:transpose(n - 1, n))
      return self.gradInput
   end

   function Conv:accGradParameters(input, gradOutput, scale)
      local k = kernel.of(self, input)
      local p, n, columns = prepare(self, k, input)
      scale = scale or 1
      sizes.check(self, k, gradOutput, wanted, n)
      convolution_layer.check_gradients(self, k, self.gradWeight, self.gradBias)
      local g, gw = columns and k.plain(gradOutput) or turned(self, k, gradOutput), k.plain(self.gradWeight)
      if columns then
         direct_engine.weigh_columns(k, p, shape.images, self.kW, k.plain(input), g, gw, scale)
      else
         convolution_engine.weigh(k, p, shape, turned(self, k, input), g, gw, scale)
      end
      if gw ~= self.gradWeight then self.gradWeight:copy(gw) end
      if not self.bias then return end
      local gb = k.plain(self.gradBias)
      local features = self.inputFrameSize
      if columns then
         k.add_rows(k.count(g) / features, features, scale, k.ptr(g), k.ptr(gb))
         k.alive(g, gb)
      else
         convolution_engine.sum_planes(k, shape.images, 1, features, numbers[18], scale, g, gb)
      end
      if gb ~= self.gradBias then self.gradBias:copy(gb) end
   end

   function Conv:__tostring__()
      local s = ('%s(%d, %d'):format(torch.type(self), self.inputFrameSize, self.kW)
      if self.dW ~= 1 then s = ('%s, %d'):format(s, self.dW) end
      return s .. ')' .. (self.bias == nil and ' without bias' or '')
   end
end
