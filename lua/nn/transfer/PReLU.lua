-- nn.PReLU: x where it is positive, else x times a learned slope; one slope, or one for each plane.

local ffi, torch, lazy_table = require 'ffi', require 'torch', require 'torch.jit.lazy_table'
local expect, kernel = require 'nn.expect', require 'nn.kernel'
local get_double = require('torch.base.element').getter(require('torch.base.types').by_name.Double)
local fail, describe = expect.fail, expect.describe

return function(PReLU, parent)

   -- 0 planes: one slope for all.
   function PReLU:__init(nOutputPlane)
      parent.__init(self)
      self.nOutputPlane = nOutputPlane or 0
      local count = self.nOutputPlane == 0 and 1 or self.nOutputPlane
      self.weight, self.gradWeight = torch.Tensor(count):fill(0.25), torch.Tensor(count)
   end

   -- x is the input; the slope is y, and w beside y, the gradient of the output.
   local OUTPUT = 'q = greater x 0; a = multiply x y; z = select q x a'
   local GRADIENT = 'q = greater x 0; a = multiply y w; z = select q y a'
   local WEIGHT = 'a = fmin x 0; z = multiply a y'

   local programs = lazy_table(function(k)
      return {
         output = k.row_map(OUTPUT, { y = true }), gradient = k.row_map(GRADIENT, { w = true }),
         weight = k.total(WEIGHT), get = k.getter(),
         -- Of rows with a slope for each element.
         row_output = k.row_map(OUTPUT), row_gradient = k.row_map(GRADIENT), row_weight = k.row_totals(WEIGHT),
      }
   end)

   -- How many samples, planes and elements of a plane an input has.
   local function extent(self, k, x, weight)
      if not k.is(weight) then fail(self, 'weight must be of type %s (got %s)', k.TYPE, describe(weight)) end
      if self.nOutputPlane == 0 then
         if k.count(weight) ~= 1 then fail(self, 'weight must have one element (got %s)', describe(weight)) end
         return x._dim > 0 and 1 or 0, 1, k.count(x)
      end
      local dim, size = x._dim, x._size
      if dim < 1 then fail(self, 'input must have elements (got %s)', describe(x)) end
      local samples, planes = 1, size[0]
      -- Three dimensions are a batch of rows, as in Torch7; maps without a batch where only that fits.
      local single = dim == 3 and size[1] ~= self.nOutputPlane and size[0] == self.nOutputPlane
      if dim > 1 and not single then samples, planes = size[0], size[1] end
      local inner = k.count(x) / (samples * planes)
      if planes ~= self.nOutputPlane or k.count(weight) ~= planes then
         fail(self, 'input must have %d planes (got %s)', self.nOutputPlane, describe(x))
      end
      return samples, planes, inner
   end

   function PReLU:updateOutput(input)
      local k = kernel.of(self, input)
      local samples, planes, inner = extent(self, k, input, self.weight)
      local x, y, w, p = k.plain(input), k.like(self.output, input), k.plain(self.weight), programs[k]
      local from, to, slope, size = k.ptr(x), k.ptr(y), k.ptr(w), planes * inner
      if inner == 1 then
         p.row_output(samples, planes, from, planes, slope, 0, to, planes)
      else
         for i = 0, samples - 1 do
            p.output(planes, inner, from + i * size, inner, slope, 1, to + i * size, inner)
         end
      end
      k.alive(x, y, w)
      return y
   end

   function PReLU:updateGradInput(input, gradOutput)
      local k = kernel.of(self, input)
      local samples, planes, inner = extent(self, k, input, self.weight)
      if not k.is(gradOutput) then expect.grad_output(self, k, gradOutput, self.output) end
      expect.same_count(self, input, gradOutput)
      local x, g, r = k.plain(input), k.plain(gradOutput), k.like(self.gradInput, input)
      local w, p = k.plain(self.weight), programs[k]
      local from, back, to, slope, size = k.ptr(x), k.ptr(g), k.ptr(r), k.ptr(w), planes * inner
      if inner == 1 then
         p.row_gradient(samples, planes, from, planes, back, planes, slope, 0, to, planes)
      else
         for i = 0, samples - 1 do
            local at = i * size
            p.gradient(planes, inner, from + at, inner, back + at, inner, slope, 1, to + at, inner)
         end
      end
      k.alive(x, g, r, w)
      return r
   end

   local function add_rows(k, samples, planes, from, back, to, scale)
      local totals, get = ffi.new('double[?]', planes), programs[k].get
      programs[k].row_weight(samples, planes, from, planes, back, planes, totals)
      for p = 0, planes - 1 do to[p] = get(to, p) + scale * get_double(totals, p) end
   end

   function PReLU:accGradParameters(input, gradOutput, scale)
      local k = kernel.of(self, input)
      local samples, planes, inner = extent(self, k, input, self.gradWeight)
      if not k.is(gradOutput) then expect.grad_output(self, k, gradOutput, self.output) end
      expect.same_count(self, input, gradOutput)
      local x, g, run, gw = k.plain(input), k.plain(gradOutput), programs[k].weight, self.gradWeight
      local from, back = k.ptr(x), k.ptr(g)
      local slope = k.plain(gw)
      local to, get = k.ptr(slope), programs[k].get
      if inner == 1 then
         add_rows(k, samples, planes, from, back, to, scale or 1)
      else
         for i = 0, samples * planes - 1 do
            local p = i % planes
            to[p] = get(to, p) + (scale or 1) * run(from + i * inner, back + i * inner, nil, inner)
         end
      end
      k.alive(x, g, slope)
      if not k.contiguous(gw) then gw:copy(slope) end
   end
end
