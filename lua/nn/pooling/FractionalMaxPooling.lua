-- nn.SpatialFractionalMaxPooling and nn.VolumetricFractionalMaxPooling: windows of one size that begin at random
-- distances, drawn for each plane.

local floor = math.floor
local ffi = require 'ffi'
local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local geometry = require 'nn.checks.geometry'
local pooling_engine, pooling_layer = require 'nn.kernels.pooling_engine', require 'nn.pooling.pooling_layer'
local lazy_table = require 'torch.jit.lazy_table'
local fail, describe = expect.fail, expect.describe

local getters = lazy_table(function(k) return k.getter() end)

return function(Pool, parent, _, name)

   -- Letters of the dimensions in the order of sizes, and in that of arguments and samples, which is the reverse. As in
   -- the original, volumes have time last.
   local volumetric = name == 'VolumetricFractionalMaxPooling'
   local order = volumetric and { 'H', 'W', 'T' } or { 'H', 'W' }
   local given = volumetric and { 'T', 'W', 'H' } or { 'W', 'H' }
   local n = #order

   function Pool:__init(...)
      parent.__init(self)
      local list = { ... }
      local whole = true
      for i = 1, 2 * n do
         if type(list[i]) ~= 'number' then fail(self, 'argument %d must be a number (got %s)', i, describe(list[i])) end
         whole = whole and (i <= n or list[i] >= 1)
      end
      for i, letter in ipairs(given) do
         self['poolSize' .. letter] = list[i]
         local value = list[n + i]
         if whole then
            self['out' .. letter] = value
         elseif value > 0 and value < 1 then
            self['ratio' .. letter] = value
         else
            fail(self, 'sizes of outputs must be from 1 on, or ratios between 0 and 1 (got %s)', describe(value))
         end
      end
      if list[1] < 2 or list[2] < 2 or volumetric and list[3] < 2 then
         fail(self, 'windows must have at least 2 elements in each dimension')
      end
   end

   -- Images and planes of the input, and a number for each dimension.
   function Pool:getBufferSize_(input)
      local batch, planes = 1, nil
      if input:nDimension() == n + 2 then
         batch, planes = input:size(1), input:size(2)
      elseif input:nDimension() == n + 1 then
         planes = input:size(1)
      else
         fail(self, 'input must have %d or %d dimensions (got %s)', n + 1, n + 2, describe(input))
      end
      return torch.LongStorage { batch, planes, n }
   end

   -- Draws the numbers that windows follow from; fixed ones stay as long as they fit.
   function Pool:initSampleBuffer_(input)
      local size, samples = self:getBufferSize_(input), self.randomSamples
      if not torch.isTensor(samples) or samples:type() ~= input:type() then
         self.randomSamples = input.new():resize(size):uniform()
      elseif not samples:isSize(size) or not self.newRandomPool then
         samples:resize(size):uniform()
      end
   end

   function Pool:fixPoolingRegions(value)
      self.newRandomPool = value == nil or value
      return self
   end

   -- The sizes of the output in the order of arguments.
   function Pool:getOutputSizes_(input)
      local from, list = input:nDimension() - n, {}
      for i, letter in ipairs(given) do
         local out = self['out' .. letter] or floor(input:size(from + n + 1 - i) * self['ratio' .. letter])
         list[i] = geometry.integer(self, 'out' .. letter, out, 1)
      end
      return list[1], list[2], list[3]
   end

   local wanted = {}

   -- Checks a call; returns lists of the sizes of input, window and output, in the order of sizes.
   local function extent(self, x)
      local count = x._dim
      local outs, into, window, out = { self:getOutputSizes_(x) }, {}, {}, {}
      for d, letter in ipairs(order) do
         into[d], out[d] = x._size[count - n + d - 1], outs[n + 1 - d]
         window[d] = geometry.integer(self, 'poolSize' .. letter, self['poolSize' .. letter], 1)
         if window[d] + out[d] - 1 > into[d] then
            fail(self, 'input must have at least %d elements in dimension %d (got %s)', window[d] + out[d] - 1,
               count - n + d, describe(x))
         end
         wanted[count - n + d] = out[d]
      end
      for d = 1, count - n do wanted[d] = x._size[d - 1] end
      geometry.area(self, 'a plane of the input', into[1], into[2], into[3])
      return into, window, out
   end

   local function product(list) return list[1] * list[2] * (list[3] or 1) end

   -- A number in the precision of the buffer's type.
   local function rounded(buffer, value)
      buffer[0] = value
      return buffer[0]
   end

   -- Lists the windows of one dimension from number `at` of both lists on, in the precision of the buffer's type.
   local function set_windows(self, buffer, sample, size, window, out, begin, ends, at)
      local step = out > 1 and rounded(buffer, (size - window) / (out - 1)) or 0
      local first = floor(rounded(buffer, sample * step))
      for i = 0, out - 1 do
         local from = i == out - 1 and size - window
            or floor(rounded(buffer, rounded(buffer, i + sample) * step)) - first
         if not (from >= 0 and from <= size - window) then
            fail(self, 'randomSamples must be from 0 to 1 (got %s)', describe(sample))
         end
         begin[at + i], ends[at + i] = from, from + window
      end
   end

   local integers = ffi.typeof 'int32_t[?]'

   function Pool:updateOutput(input)
      local k = kernel.of(self, input)
      self:initSampleBuffer_(input)
      local into, window, out = extent(self, input)
      local x = k.as_contiguous(input)
      local y = geometry.resized(k, self.output, wanted, input._dim)
      self.output = y
      local indices = pooling_layer.resized_indices(self, y:size())
      local samples = self.randomSamples:view(-1, n)
      local w, planes, keep = pooling_engine.windows_t(), samples:size(1), { samples }
      local buffer, get, drawn = k.buffer(1), getters[k], k.ptr(samples)
      w.planes, w.own = planes, 1
      for d = 0, 2 do
         -- Two dimensions are three with a first of 1.
         local e = d - 2 + n
         local size, wide, count = into[e] or 1, window[e] or 1, out[e] or 1
         local begin, ends = integers(planes * count), integers(planes * count)
         for p = 0, planes - 1 do
            local sample = e > 0 and get(drawn, p * n + n - e) or 0
            set_windows(self, buffer, sample, size, wide, count, begin, ends, p * count)
         end
         w.size[d], w.out[d], w.begin[d], w['end'][d] = size, count, begin, ends
         keep[#keep + 1], keep[#keep + 2] = begin, ends
      end
      pooling_engine.max_windows(k, w, x, y, indices)
      k.keep_alive(keep)
      return y
   end

   function Pool:updateGradInput(input, gradOutput)
      if self.randomSamples == nil then fail(self, 'backward called before forward') end
      local k = kernel.of(self, input)
      local into, _, out = extent(self, input)
      geometry.check_gradient(self, k, gradOutput, wanted, input._dim)
      local g, r = k.as_contiguous(gradOutput), k.resize_as(self.gradInput, input)
      local outputs = product(out)
      return pooling_layer.add_at_indices_of_planes(self, k, product(into), outputs, k.numel(g) / outputs, r, g)
   end

   function Pool:empty() self:clearState() end

   -- Ratios are shown as integers, which is 0.
   function Pool:__tostring__()
      local outs, windows = {}, {}
      for i, letter in ipairs(given) do
         outs[i] = string.format('%d', self['out' .. letter] or self['ratio' .. letter])
         windows[i] = string.format('%d', self['poolSize' .. letter])
      end
      return string.format('%s(%s, %s)', torch.type(self), table.concat(outs, 'x'), table.concat(windows, ','))
   end

end
