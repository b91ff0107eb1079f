-- nn.SpatialAdaptiveMaxPooling and nn.SpatialAdaptiveAveragePooling: windows that divide inputs of any size into
-- outputs of one size.

local ffi = require 'ffi'
local expect, kernel, sizes = require 'nn.expect', require 'nn.kernel', require 'nn.sizes'
local geometry = require 'nn.geometry'
local pooling_engine, pooling_layer = require 'nn.kernels.pooling_engine', require 'nn.pooling.pooling_layer'
local fail, describe = expect.fail, expect.describe

local kernels_of = kernel.load 'kernels/adaptive_windows'

return function(Pool, _, _, name)

   local maxima = name == 'SpatialAdaptiveMaxPooling'

   local wanted = {}

   -- Beginnings and ends of the windows of one dimension, rounded as floats are.
   local function windows(size, out)
      local from, to, f = ffi.new('int32_t[?]', out), ffi.new('int32_t[?]', out), ffi.new 'float[1]'
      local function bound(i)
         f[0] = i / out
         f[0] = f[0] * size
         return f[0]
      end
      for i = 0, out - 1 do
         from[i], to[i] = math.floor(bound(i)), math.ceil(bound(i + 1))
         if to[i] > size then to[i] = size end
      end
      return from, to
   end

   -- Checks a call; returns the number of planes.
   local function prepare(self, x)
      local n = x._dim
      if n ~= 3 and n ~= 4 then fail(self, 'input must have 3 or 4 dimensions (got %s)', describe(x)) end
      for d = 1, n - 2 do wanted[d] = x._size[d - 1] end
      wanted[n - 1], wanted[n] = geometry.whole(self, 'H', self.H, 1), geometry.whole(self, 'W', self.W, 1)
      geometry.area(self, 'a plane of the output', wanted[n - 1], wanted[n])
      geometry.elements(self, 'output', wanted, n)
      return n == 4 and x._size[0] * x._size[1] or x._size[0]
   end

   -- The windows of rows and columns, once there is an output of their number.
   local function all_windows(self, x)
      local top, bottom = windows(x._size[x._dim - 2], self.H)
      local left, right = windows(x._size[x._dim - 1], self.W)
      return top, bottom, left, right
   end

   local numbers = {}

   -- The plan of windows that do not overlap where averages are of windows of one size; nil elsewhere.
   local function even_windows(self, h, w)
      if maxima or h % self.H ~= 0 or w % self.W ~= 0 then return nil end
      for d = 1, 18 do numbers[d] = (d >= 10 and d <= 12) and 0 or 1 end
      numbers[2], numbers[3], numbers[17], numbers[18] = h, w, self.H, self.W
      numbers[5], numbers[6], numbers[8], numbers[9] = h / self.H, w / self.W, h / self.H, w / self.W
      return pooling_engine.plan(self, numbers, false)
   end

   function Pool:updateOutput(input)
      local k = kernel.of(self, input)
      local planes = prepare(self, input)
      local x, n = k.plain(input), input._dim
      local y = sizes.resized(k, self.output, wanted, n)
      self.output = y
      local even = even_windows(self, input._size[n - 2], input._size[n - 1])
      if even then
         pooling_engine.run(k, pooling_engine.AVERAGE, even, planes, x, y)
         return y
      end
      local top, bottom, left, right = all_windows(self, input)
      local h, w, f = input._size[n - 2], input._size[n - 1], kernels_of(k)
      if maxima then
         local indices = pooling_layer.resized_indices(self, y:size())
         f.max(planes, h, w, self.H, self.W, top, bottom, left, right, k.ptr(x), k.ptr(y),
            indices._memory._data + indices._offset)
         k.alive(indices)
      else
         f.average(planes, h, w, self.H, self.W, top, bottom, left, right, k.ptr(x), k.ptr(y))
      end
      k.alive(x, y)
      return y
   end

   function Pool:updateGradInput(input, gradOutput)
      local k = kernel.of(self, input)
      local planes = prepare(self, input)
      local n = input._dim
      sizes.check(self, k, gradOutput, wanted, n)
      local g, r = k.plain(gradOutput), k.like(self.gradInput, input)
      local h, w = input._size[n - 2], input._size[n - 1]
      local even = even_windows(self, h, w)
      if even then
         pooling_engine.run(k, pooling_engine.SPREAD, even, planes, r, g)
         return r
      end
      if maxima then return pooling_layer.add_at_indices_of_planes(self, k, h * w, self.H * self.W, planes, r, g) end
      local top, bottom, left, right = all_windows(self, input)
      local own = k.own(r)
      kernels_of(k).spread(planes, h, w, self.H, self.W, top, bottom, left, right, k.ptr(own), k.ptr(g))
      k.bring(r, own)
      k.alive(g, r)
      return r
   end

   function Pool:empty() self:clearState() end

end
