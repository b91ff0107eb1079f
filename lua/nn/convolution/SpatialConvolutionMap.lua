-- nn.SpatialConvolutionMap and nn.SpatialFullConvolutionMap: a kernel for each pair of planes in a connection table.
-- The kernels of one plane of the image, which is the side that is unfolded, make a small dense convolution.

local floor, ipairs = math.floor, ipairs
local torch = require 'torch'
local bound = require 'nn.bound'
local core, check = require 'torch.core.check', require 'nn.check'
local kernel, sizes = require 'nn.kernel', require 'nn.sizes'
local engine, layer, plan = require 'nn.convolution.engine', require 'nn.convolution.layer',
   require 'nn.convolution.plan'

return function(Conv, parent, _, name)

   local transposed = name == 'SpatialFullConvolutionMap'

   function Conv:__init(conMatrix, kW, kH, dW, dH)
      parent.__init(self)
      self.kW, self.kH, self.dW, self.dH = kW, kH, dW or 1, dH or 1
      if conMatrix:dim() ~= 2 or conMatrix:size(2) ~= 2 or conMatrix:min() < 1 or
         conMatrix:ne(conMatrix:clone():floor()):sum() > 0 then
         check.fail(self, 'table of connections expected, rows of an input and an output plane (got %s)',
            check.describe(conMatrix))
      end
      self.connTable = conMatrix
      self.nInputPlane, self.nOutputPlane = conMatrix:select(2, 1):max(), conMatrix:select(2, 2):max()
      self.weight = torch.Tensor(conMatrix:size(1), kH, kW)
      self.bias = torch.Tensor(self.nOutputPlane)
      self.gradWeight, self.gradBias = torch.zeros(self.weight:size()), torch.zeros(self.nOutputPlane)
      self:reset()
   end

   -- Each kernel is drawn for the number of kernels of its output.
   function Conv:reset(stdv)
      local outputs, inputs = self.connTable:select(2, 2), {}
      for o = 1, self.nOutputPlane do inputs[o] = 0 end
      for c = 1, outputs:size(1) do inputs[outputs[c]] = inputs[outputs[c]] + 1 end
      local function width(o) return bound(self, stdv, self.kW * self.kH * inputs[o]) end
      local function draw(t, w) t:apply(function() return torch.uniform(-w, w) end) end
      for c = 1, outputs:size(1) do draw(self.weight:select(1, c), width(outputs[c])) end
      for o = 1, self.nOutputPlane do draw(self.bias:narrow(1, o, 1), width(o)) end
   end

   -- Lists of the connections of each plane of the image: numbers of the kernels, and of the planes of the map.
   local function connections(self, count)
      local t = self.connTable
      if not torch.isTensor(t) or t:dim() ~= 2 or t:size(2) ~= 2 or t:size(1) ~= count then
         check.fail(self, 'connTable of %dx2 expected (got %s)', count, check.describe(t))
      end
      local image, map = transposed and 2 or 1, transposed and 1 or 2
      local planes = { self.nInputPlane, self.nOutputPlane }
      local lists = {}
      for i = 1, planes[image] do lists[i] = {} end
      for c = 1, count do
         local row = { t[c][1], t[c][2] }
         for side = 1, 2 do
            if not (row[side] >= 1 and row[side] <= planes[side] and row[side] == floor(row[side])) then
               check.fail(self, 'connTable of whole numbers from 1 to %d in column %d expected (got %s)', planes[side],
                  side, check.describe(row[side]))
            end
         end
         local list = lists[row[image]]
         list[#list + 1] = { kernel = c - 1, plane = row[map] - 1 }
      end
      return lists
   end

   local numbers, wanted = {}, {}

   -- Checks everything; gives the plan, the connections, and the number of images.
   local function prepare(self, k, x)
      local n = x._dim
      if n ~= 3 and n ~= 4 then
         check.fail(self, 'input of 3 or 4 dimensions expected (got %s)', check.describe(x))
      end
      if x._size[n - 3] ~= self.nInputPlane then
         check.fail(self, 'input of %d planes expected (got %s)', self.nInputPlane, check.describe(x))
      end
      for i = 1, 18 do numbers[i] = (i == 10 or i == 11 or i == 12) and 0 or 1 end
      numbers[5], numbers[6], numbers[8], numbers[9] = self.kH, self.kW, self.dH, self.dW
      for _, i in ipairs { 5, 6, 8, 9 } do
         if not (numbers[i] >= 1 and floor(numbers[i]) == numbers[i]) then
            check.fail(self, 'kernel and stride of at least 1 expected (got %s)', check.describe(numbers[i]))
         end
      end
      for d = 2, 3 do
         local size, kk, s = x._size[n - 4 + d], numbers[3 + d], numbers[6 + d]
         local other = transposed and (size - 1) * s + kk or plan.output(size, kk, s, 0, 1)
         if other < 1 then
            check.fail(self, 'input as large as the %dx%d kernel expected (got %s)', self.kW, self.kH,
               check.describe(x))
         end
         numbers[d], numbers[15 + d] = transposed and other or size, transposed and size or other
         wanted[n - 3 + d] = other
      end
      if n == 4 then wanted[1] = x._size[0] end
      wanted[n - 2] = self.nOutputPlane
      local count = k.is(self.weight) and self.weight._dim > 0 and self.weight._size[0] or 0
      if count < 1 or k.count(self.weight) ~= count * self.kH * self.kW then
         check.fail(self, 'weight of connections x %d x %d and type %s expected (got %s)', self.kH, self.kW, k.TYPE,
            check.describe(self.weight))
      end
      if not k.is(self.bias) or k.count(self.bias) ~= self.nOutputPlane then
         check.fail(self, 'bias of size %d and type %s expected (got %s)', self.nOutputPlane, k.TYPE,
            check.describe(self.bias))
      end
      return engine.plan(self, numbers), connections(self, count), n == 4 and x._size[0] or 1
   end

   -- Fills all planes of y with their bias.
   local function set_bias(self, y)
      local bias, area = self.bias, y._size[y._dim - 1] * y._size[y._dim - 2]
      local planes = y:view(-1, self.nOutputPlane, area)
      for o = 1, self.nOutputPlane do planes:select(2, o):fill(bias[o]) end
   end

   function Conv:updateOutput(input)
      local k = kernel.of(self, input)
      local p, lists, images = prepare(self, k, input)
      local x, weight = k.plain(input), k.plain(self.weight)
      local y = sizes.resized(k, self.output, wanted, input._dim)
      self.output = y
      set_bias(self, y)
      if transposed then
         engine.spread_each(k, p, lists, images, x, weight, y)
      else
         engine.correlate_each(k, p, lists, images, x, weight, y)
      end
      return y
   end

   function Conv:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local p, lists, images = prepare(self, k, input)
      sizes.check(self, k, gradOutput, wanted, input._dim)
      local g, weight = k.plain(gradOutput), k.plain(self.weight)
      local r = k.like(self.gradInput, input):zero()
      if transposed then
         engine.correlate_each(k, p, lists, images, g, weight, r)
      else
         engine.spread_each(k, p, lists, images, g, weight, r)
      end
      return r
   end

   function Conv:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      local k = kernel.of(self, input)
      local p, lists, images = prepare(self, k, input)
      sizes.check(self, k, gradOutput, wanted, input._dim)
      layer.check_gradients(self, k, self.gradWeight, self.gradBias)
      local x, g = k.plain(input), k.plain(gradOutput)
      local gw, gb = k.plain(self.gradWeight), k.plain(self.gradBias)
      if transposed then
         engine.weigh_each(k, p, lists, images, g, x, gw, scale)
      else
         engine.weigh_each(k, p, lists, images, x, g, gw, scale)
      end
      local area = k.count(g) / (images * self.nOutputPlane)
      engine.sum_planes(k, images, self.nOutputPlane, 1, area, scale, g, gb)
      if gw ~= self.gradWeight then self.gradWeight:copy(gw) end
      if gb ~= self.gradBias then self.gradBias:copy(gb) end
   end

   function Conv:decayParameters(decay)
      core.number(self, 'decay', decay)
      self.weight:add(-decay, self.weight)
      self.bias:add(-decay, self.bias)
   end

end
