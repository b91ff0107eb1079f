-- nn.SpatialAdaptiveMaxPooling and nn.SpatialAdaptiveAveragePooling: windows that divide inputs of any size into
-- outputs of one size.

local ffi, torch = require 'ffi', require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local geometry = require 'nn.checks.geometry'
local pooling_engine, pooling_layer = require 'nn.kernels.pooling_engine', require 'nn.pooling.pooling_layer'
local fail, describe = expect.fail, expect.describe

return function(Pool, _, _, name)

   local maxima = name == 'SpatialAdaptiveMaxPooling'

   local wanted = {}

   local list_t, f = ffi.typeof 'int32_t[?]', ffi.new 'float[1]'

   -- Beginnings and ends of the windows of one dimension, rounded as floats are.
   local function windows(size, out)
      local from, to = list_t(out), list_t(out)
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
      wanted[n - 1], wanted[n] = geometry.integer(self, 'H', self.H, 1), geometry.integer(self, 'W', self.W, 1)
      geometry.area(self, 'a plane of the output', wanted[n - 1], wanted[n])
      geometry.elements(self, 'output', wanted, n)
      return n == 4 and x._size[0] * x._size[1] or x._size[0]
   end

   local one, zero = ffi.new('int32_t[1]', 1), ffi.new 'int32_t[1]'

   -- The windows of rows and columns, once there is an output of their number; and lists to keep.
   local function all_windows(self, x, planes)
      local h, w, t = x._size[x._dim - 2], x._size[x._dim - 1], pooling_engine.windows_t()
      local keep = { windows(h, self.H) }
      keep[3], keep[4] = windows(w, self.W)
      t.planes, t.size[0], t.size[1], t.size[2] = planes, 1, h, w
      t.out[0], t.out[1], t.out[2] = 1, self.H, self.W
      t.begin[0], t.begin[1], t.begin[2] = zero, keep[1], keep[3]
      t['end'][0], t['end'][1], t['end'][2] = one, keep[2], keep[4]
      return t, keep
   end

   -- As in the original, programs find the rows and the columns of maxima in their windows, one after the other, while
   -- kernels count in a plane. `index` holds such numbers for all outputs.
   local function set_indices(self, t, index, sizes)
      self.indices = torch.isTensor(self.indices) and self.indices:long() or torch.LongTensor()
      self.indices:resize(torch.LongStorage { 2, unpack(sizes:totable()) })
      local both = geometry.contiguous(self.indices)
      pooling_engine.window_indices(t, index, both:select(1, 1), both:select(1, 2))
   end

   local function plane_indices(self, t, g)
      local both = self.indices
      -- On a device they are device tensors.
      if torch.typename(both) == 'torch.CudaLongTensor' then both = both:long() end
      if torch.typename(both) ~= 'torch.LongTensor' or both:nElement() ~= 2 * g:nElement() then
         fail(self, 'indices must be those of forward, 2x%s of them (got %s)', expect.shape(g), describe(both))
      end
      both = both:contiguous():view(2, -1)
      local index = torch.LongTensor(g:nElement())
      pooling_engine.plane_indices(t, both:select(1, 1), both:select(1, 2), index)
      return index
   end

   local shape = pooling_engine.shape()
   shape.divide = pooling_engine.ALL

   -- Tells whether windows are of one size and do not overlap; sets the shape of averages of such.
   local function are_even(self, planes, h, w)
      if maxima or h % self.H ~= 0 or w % self.W ~= 0 then return false end
      shape.planes, shape.size[1], shape.size[2], shape.out[1], shape.out[2] = planes, h, w, self.H, self.W
      shape.kernel[1], shape.kernel[2] = h / self.H, w / self.W
      shape.stride[1], shape.stride[2] = h / self.H, w / self.W
      return true
   end

   function Pool:updateOutput(input)
      local k = kernel.of(self, input)
      local planes = prepare(self, input)
      local x, n = k.as_contiguous(input), input._dim
      local y = geometry.resized(k, self.output, wanted, n)
      self.output = y
      if are_even(self, planes, input._size[n - 2], input._size[n - 1]) then
         pooling_engine.average(k, shape, x, y)
         return y
      end
      local t, keep = all_windows(self, input, planes)
      if maxima then
         local at = torch.LongTensor(planes, self.H, self.W)
         pooling_engine.max_windows(k, t, x, y, at)
         set_indices(self, t, at, y:size())
      else
         pooling_engine.average_windows(k, t, x, y)
      end
      k.keep_alive(keep)
      return y
   end

   function Pool:updateGradInput(input, gradOutput)
      local k = kernel.of(self, input)
      local planes = prepare(self, input)
      local n = input._dim
      geometry.check_gradient(self, k, gradOutput, wanted, n)
      local g, r = k.as_contiguous(gradOutput), k.resize_as(self.gradInput, input)
      local h, w = input._size[n - 2], input._size[n - 1]
      if are_even(self, planes, h, w) then
         pooling_engine.average_back(k, shape, g, r)
         return r
      end
      local t, keep = all_windows(self, input, planes)
      if maxima then
         local index = plane_indices(self, t, g)
         pooling_layer.add_at_indices_of_planes(self, k, h * w, self.H * self.W, planes, r, g, index)
      else
         pooling_engine.average_windows_back(k, t, g, r)
      end
      k.keep_alive(keep)
      return r
   end

   function Pool:empty() self:clearState() end

end
