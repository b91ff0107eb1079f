-- nn.PReLU: x where it is positive, else x times a learned slope; one slope, or one for each plane.

local min = math.min
local ffi, torch = require 'ffi', require 'torch'
local expect, kernel = require 'nn.expect', require 'nn.kernel'
local fail, describe = expect.fail, expect.describe

return function(PReLU, parent)

   -- 0 planes: one slope for all.
   function PReLU:__init(nOutputPlane)
      parent.__init(self)
      self.nOutputPlane = nOutputPlane or 0
      local count = self.nOutputPlane == 0 and 1 or self.nOutputPlane
      self.weight, self.gradWeight = torch.Tensor(count):fill(0.25), torch.Tensor(count)
   end

   local programs = {}
   local function of(k)
      local p = programs[k]
      if not p then
         p = {
            output = k.map 'a = minimum x 0; a = multiply a v; b = fmax x 0; z = add a b',
            gradient = k.map('a = multiply x BIG; a = multiply a BIG; a = minimum a 1; a = maximum a 0; ' ..
               'b = subtract 1 a; b = multiply b v; a = add a b; z = multiply a y'),
            weight = k.total 'a = fmin x 0; z = multiply a y', get = k.getter(),
            -- Of rows with a slope for each element.
            row_output = k.map 'a = minimum x 0; a = multiply a y; b = fmax x 0; z = add a b',
            row_gradient = k.map('a = multiply x BIG; a = multiply a BIG; a = minimum a 1; a = maximum a 0; ' ..
               'b = subtract 1 a; b = multiply b w; a = add a b; z = multiply a y'),
            row_weight = k.map 'a = fmin x 0; a = multiply a y; z = add w a',
         }
         programs[k] = p
      end
      return p
   end

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
      local x, y, w, run = k.plain(input), k.like(self.output, input), k.plain(self.weight), of(k).output
      local from, to, slope, get = k.ptr(x), k.ptr(y), k.ptr(w), of(k).get
      if inner == 1 then
         local row_output = of(k).row_output
         for i = 0, samples * planes - 1, planes do row_output(from + i, slope, nil, to + i, planes) end
      else
         for i = 0, samples * planes - 1 do
            run(from + i * inner, nil, nil, to + i * inner, inner, get(slope, i % planes))
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
      local w, run = k.plain(self.weight), of(k).gradient
      local from, back, to, slope, get = k.ptr(x), k.ptr(g), k.ptr(r), k.ptr(w), of(k).get
      if inner == 1 then
         local row_gradient = of(k).row_gradient
         for i = 0, samples * planes - 1, planes do row_gradient(from + i, back + i, slope, to + i, planes) end
      else
         for i = 0, samples * planes - 1 do
            run(from + i * inner, back + i * inner, nil, to + i * inner, inner, get(slope, i % planes))
         end
      end
      k.alive(x, g, r, w)
      return r
   end

   -- Adds up ROWS rows in the type, and these sums in double precision.
   local ROWS = 32

   local function add_rows(k, samples, planes, from, back, to, scale)
      local run, get, sums, totals = of(k).row_weight, of(k).get, k.buffer(planes), ffi.new('double[?]', planes)
      for first = 0, samples - 1, ROWS do
         k.fill(sums, planes * k.SIZE)
         for i = first, min(first + ROWS, samples) - 1 do
            run(from + i * planes, back + i * planes, sums, sums, planes)
         end
         for p = 0, planes - 1 do totals[p] = totals[p] + get(sums, p) end
      end
      for p = 0, planes - 1 do to[p] = get(to, p) + scale * totals[p] end
   end

   function PReLU:accGradParameters(input, gradOutput, scale)
      local k = kernel.of(self, input)
      local samples, planes, inner = extent(self, k, input, self.gradWeight)
      if not k.is(gradOutput) then expect.grad_output(self, k, gradOutput, self.output) end
      expect.same_count(self, input, gradOutput)
      local x, g, run, gw = k.plain(input), k.plain(gradOutput), of(k).weight, self.gradWeight
      local from, back = k.ptr(x), k.ptr(g)
      local slope = k.plain(gw)
      local to, get = k.ptr(slope), of(k).get
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

   function PReLU:clearState()
      for _, name in ipairs { 'gradWeightBuf', 'gradWeightBuf2' } do
         if self[name] then self[name]:set() end
      end
      return parent.clearState(self)
   end
end
