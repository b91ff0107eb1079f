-- nn.PReLU: x where it is positive, else x times a learned slope; one slope, or one for each plane.

local ffi, torch, lazy_table = require 'ffi', require 'torch', require 'torch.jit.lazy_table'
local doubles = ffi.typeof 'double[?]'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local get_double = require('torch.loops.element').getter(require('torch.base.types').by_name.Double)
local fail, describe = expect.fail, expect.describe

return function(PReLU, parent)

   -- 0 planes: one slope for all.
   function PReLU:__init(nOutputPlane)
      parent.__init(self)
      self.nOutputPlane = nOutputPlane or 0
      local count = self.nOutputPlane == 0 and 1 or self.nOutputPlane
      self.weight, self.gradWeight = torch.Tensor(count):fill(0.25), torch.Tensor(count)
   end

   -- x is the input and y the gradient of the output; the slope is w, or v for a row.
   local WEIGHT = 'z = fmin(x, 0) * y'

   local programs = lazy_table(function(k)
      return {
         output = k.row_map 'z = where(x > 0, x, x * v)',
         gradient = k.row_map 'z = where(x > 0, y, y * v)',
         weight = k.row_sums(WEIGHT), single_weight = k.total(WEIGHT), get = k.getter(),
         -- Of rows with a slope for each element.
         row_output = k.row_map 'z = where(x > 0, x, x * w)',
         row_gradient = k.row_map 'z = where(x > 0, y, y * w)',
         row_weight = k.column_sums(WEIGHT),
      }
   end)

   -- How many samples, planes and elements of a plane an input has.
   local function extent(self, k, x, weight)
      if not k.is(weight) then fail(self, 'weight must be of type %s (got %s)', k.TYPE, describe(weight)) end
      if self.nOutputPlane == 0 then
         if k.numel(weight) ~= 1 then fail(self, 'weight must have one element (got %s)', describe(weight)) end
         return x._dim > 0 and 1 or 0, 1, k.numel(x)
      end
      local dim, size = x._dim, x._size
      if dim < 1 then fail(self, 'input must have elements (got %s)', describe(x)) end
      local samples, planes = 1, size[0]
      -- Three dimensions are a batch of rows, as in Torch7; maps without a batch where only that fits.
      local single = dim == 3 and size[1] ~= self.nOutputPlane and size[0] == self.nOutputPlane
      if dim > 1 and not single then samples, planes = size[0], size[1] end
      local inner = k.numel(x) / (samples * planes)
      if planes ~= self.nOutputPlane or k.numel(weight) ~= planes then
         fail(self, 'input must have %d planes (got %s)', self.nOutputPlane, describe(x))
      end
      return samples, planes, inner
   end

   -- The slopes of the planes of all samples: a program goes over all of them as rows at once.
   local function repeated(k, slope, samples, planes)
      if samples == 1 then return slope end
      local all = k.buffer(samples * planes)
      k.set_rows(samples, planes, slope, all)
      return all
   end

   function PReLU:updateOutput(input)
      local k = kernel.of(self, input)
      local samples, planes, inner = extent(self, k, input, self.weight)
      local x, y, w, p = k.as_contiguous(input), k.resize_as(self.output, input), k.as_contiguous(self.weight),
         programs[k]
      local from, to, slope = k.ptr(x), k.ptr(y), k.ptr(w)
      if inner == 1 then
         p.row_output(samples, planes, from, planes, slope, 0, to, planes)
      else
         p.output(samples * planes, inner, from, inner, repeated(k, slope, samples, planes), 1, to, inner)
      end
      k.keep_alive(x, y, w)
      return y
   end

   function PReLU:updateGradInput(input, gradOutput)
      local k = kernel.of(self, input)
      local samples, planes, inner = extent(self, k, input, self.weight)
      if not k.is(gradOutput) then expect.grad_output(self, k, gradOutput, self.output) end
      expect.same_count(self, input, gradOutput)
      local x, g, r = k.as_contiguous(input), k.as_contiguous(gradOutput), k.resize_as(self.gradInput, input)
      local w, p = k.as_contiguous(self.weight), programs[k]
      local from, back, to, slope = k.ptr(x), k.ptr(g), k.ptr(r), k.ptr(w)
      if inner == 1 then
         p.row_gradient(samples, planes, from, planes, back, planes, slope, 0, to, planes)
      else
         local slopes = repeated(k, slope, samples, planes)
         p.gradient(samples * planes, inner, from, inner, back, inner, slopes, 1, to, inner)
      end
      k.keep_alive(x, g, r, w)
      return r
   end

   -- Adds the sums of columns, or of the planes of all samples, to the gradient of the slopes.
   local function add_sums(k, samples, planes, inner, from, back, to, scale)
      local p = programs[k]
      local totals = doubles(inner == 1 and planes or samples * planes)
      if samples * planes == 1 then
         -- Shared between cores in blocks.
         totals[0] = p.single_weight(from, back, nil, inner)
      elseif inner == 1 then
         p.row_weight(samples, planes, from, planes, back, planes, totals)
      else
         p.weight(samples * planes, inner, from, inner, back, inner, totals)
         for i = planes, samples * planes - 1 do
            local j = i % planes
            totals[j] = get_double(totals, j) + get_double(totals, i)
         end
      end
      for j = 0, planes - 1 do to[j] = p.get(to, j) + scale * get_double(totals, j) end
   end

   function PReLU:accGradParameters(input, gradOutput, scale)
      local k = kernel.of(self, input)
      local samples, planes, inner = extent(self, k, input, self.gradWeight)
      if not k.is(gradOutput) then expect.grad_output(self, k, gradOutput, self.output) end
      expect.same_count(self, input, gradOutput)
      local x, g, slope = k.as_contiguous(input), k.as_contiguous(gradOutput), k.as_contiguous(self.gradWeight)
      if samples > 0 then add_sums(k, samples, planes, inner, k.ptr(x), k.ptr(g), k.ptr(slope), scale or 1) end
      k.keep_alive(x, g, slope)
      if not k.contiguous(self.gradWeight) then self.gradWeight:copy(slope) end
   end
end
