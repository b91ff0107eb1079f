-- nn.SpatialUpSamplingNearest, nn.SpatialUpSamplingBilinear and nn.UpSampling: larger planes, with repeated
-- elements, or by linear interpolation with aligned corners.

local ffi = require 'ffi'
local torch = require 'torch'
local expect, kernel, sizes = require 'nn.expect', require 'nn.kernel', require 'nn.sizes'
local geometry = require 'nn.geometry'
local pooling_engine = require 'nn.kernels.pooling_engine'
local native, parallel_for = require 'torch.native.native', require 'torch.parallel.parallel_for'
local fail, describe = expect.fail, expect.describe
local byte_p = ffi.typeof 'char *'

require 'nn.kernels.interpolation_chunks'

local run_parts = parallel_for.kind('nn.kernels.interpolation_chunks', 'run')

-- Nanoseconds for an element of the output.
local WORK = 2

return function(Up, parent, _, name)

   local fixed = name == 'SpatialUpSamplingNearest' and 'nearest' or name == 'SpatialUpSamplingBilinear' and 'linear'

   -- A whole scale, or a table of sizes of the output.
   local function set_size(self, params)
      self.scale_factor, self.odepth, self.oheight, self.owidth = nil, nil, nil, nil
      if type(params) == 'table' then
         if self.mode == 'nearest' or not params.oheight or not params.owidth then
            fail(self, self.mode == 'nearest' and 'scale must be a whole number (got %s)'
               or 'scale must be a number, or a table of oheight and owidth (got %s)', describe(params))
         end
         self.odepth, self.oheight, self.owidth = params.odepth, params.oheight, params.owidth
      elseif type(params) == 'number' and params >= 1 and math.floor(params) == params then
         self.scale_factor = params
      else
         fail(self, 'scale must be a whole number of at least 1 (got %s)', describe(params))
      end
   end

   function Up:__init(params, mode)
      parent.__init(self)
      mode = fixed or mode or 'nearest'
      if mode ~= 'nearest' and mode ~= 'linear' and mode ~= 'bilinear' then
         fail(self, "mode must be 'nearest' or 'linear' (got %s)", describe(mode))
      end
      self.mode = mode == 'bilinear' and 'linear' or mode
      set_size(self, params)
      self.inputSize, self.outputSize = torch.LongStorage(4), torch.LongStorage(4)
   end

   function Up:setSize(input)
      expect.dimensions(self, 'input', input, 3, 5)
      -- Torch7's methods write at least four sizes.
      local from = torch.LongStorage(math.max(input:dim(), 4)):fill(1)
      for d = 1, input:dim() do from[d] = input:size(d) end
      local to = torch.LongStorage(#from):copy(from)
      local list = { self.odepth, self.oheight, self.owidth }
      local n = input:dim() == 5 and 3 or 2
      for d = 1, n do
         local at = input:dim() - n + d
         local scale = self.scale_factor and geometry.whole(self, 'scale_factor', self.scale_factor, 1)
         local size = scale and from[at] * scale or list[3 - n + d] or from[at]
         to[at] = geometry.whole(self, 'output size', size, 1)
      end
      self.inputSize, self.outputSize = from, to
   end

   local wanted, shape = {}, pooling_engine.shape()
   shape.divide = pooling_engine.SUMS

   -- Checks the input; returns the number of planes.
   local function prepare(self, x)
      local count = x._dim
      if count ~= 4 and not (count == 3 and fixed) and not (count == 5 and not fixed) then
         fail(self, 'input must have %s dimensions (got %s)', fixed and '3 or 4' or '4 or 5', describe(x))
      end
      -- Modules of files have no mode, and a table of sizes in fields.
      self.mode = self.mode or fixed or 'nearest'
      self:setSize(x)
      local n, planes = count == 5 and 3 or 2, 1
      for d = 1, count do wanted[d] = self.outputSize[d] end
      geometry.area(self, 'a plane of the output', wanted[count], wanted[count - 1], n == 3 and wanted[3] or 1)
      geometry.elements(self, 'output', wanted, count)
      for d = 1, count - n do planes = planes * x._size[d - 1] end
      -- A window is what an element is repeated to.
      for d = 0, 2 do
         local at, scale = count - 2 + d, d >= 3 - n and self.scale_factor or 1
         shape.size[d], shape.out[d] = d >= 3 - n and wanted[at] or 1, d >= 3 - n and x._size[at - 1] or 1
         shape.kernel[d], shape.stride[d] = scale, scale
      end
      return planes
   end

   -- The two elements around each of `out` positions, and the weight of the second one.
   local function between(size, out)
      local first, second, part = ffi.new('int32_t[?]', out), ffi.new('int32_t[?]', out), ffi.new('double[?]', out)
      local step = out > 1 and (size - 1) / (out - 1) or 0
      for o = 0, out - 1 do
         local position = o * step
         local i = math.floor(position)
         first[o], second[o], part[o] = i, i < size - 1 and i + 1 or i, position - i
      end
      return { first = first, second = second, part = part, size = size, out = out }
   end

   -- The rows of a plane that each row of the output is made of, with their weights.
   local function terms_of(t, h, columns)
      local most = 4 * t.out * h.out
      local line, row, weight, n = ffi.new('double[?]', most), ffi.new('double[?]', most), ffi.new('double[?]', most), 0
      local begin = ffi.new('double[?]', t.out * h.out + 1)
      for q = 0, t.out * h.out - 1 do
         local i = q % h.out
         local s = (q - i) / h.out
         for side = 0, 3 do
            local slice, down = side % 2 == 0 and t.first[s] or t.second[s], side < 2 and h.first[i] or h.second[i]
            local w = (side % 2 == 0 and 1 - t.part[s] or t.part[s]) * (side < 2 and 1 - h.part[i] or h.part[i])
            if w ~= 0 then
               line[n], row[n], weight[n] = q, (slice * h.size + down) * columns, w
               n = n + 1
            end
         end
         begin[q + 1] = n
      end
      return { begin = begin, line = line, row = row, weight = weight }
   end

   local function linear(k, planes, x, y, back)
      local t, h = between(shape.out[0], shape.size[0]), between(shape.out[1], shape.size[1])
      local w = between(shape.out[2], shape.size[2])
      local terms, g = terms_of(t, h, w.size), ffi.new 't7_nn_interpolation'
      g.begin, g.line, g.row, g.weight = terms.begin, terms.line, terms.row, terms.weight
      g.first, g.second, g.part, g.size, g.out = w.first, w.second, w.part, w.size, w.out
      g.area, g.lines = t.size * h.size * w.size, t.out * h.out
      g.x, g.y, g.type, g.back = ffi.cast(byte_p, k.ptr(x)), ffi.cast(byte_p, k.ptr(y)), k.T.index, back and 1 or 0
      g.axpy = native.routine('blas', k.T, 'axpy')
      run_parts(planes, 1, WORK * planes * g.lines * w.out, g)
      k.alive(x, y, terms, w)
   end

   -- Writes the planes x, enlarged, into y; or sums gradients y of those into x where `back`.
   local function enlarge(self, k, planes, x, y, back)
      if self.mode ~= 'nearest' then return linear(k, planes, x, y, back) end
      shape.planes = planes
      if back then return pooling_engine.average(k, shape, y, x) end
      pooling_engine.average_back(k, shape, x, y)
   end

   function Up:updateOutput(input)
      local k = kernel.of(self, input)
      local planes = prepare(self, input)
      local y = sizes.resized(k, self.output, wanted, input._dim)
      self.output = y
      enlarge(self, k, planes, k.plain(input), y)
      return y
   end

   function Up:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      local planes = prepare(self, input)
      sizes.check(self, k, gradOutput, wanted, input._dim)
      local r = k.like(self.gradInput, input)
      enlarge(self, k, planes, r, k.plain(gradOutput), true)
      return r
   end

   if fixed == 'linear' then
      function Up:__tostring__()
         local sizes_of = self.scale_factor and ('%d'):format(self.scale_factor)
            or ('%d, %d'):format(self.oheight, self.owidth)
         return torch.type(self) .. '(' .. sizes_of .. ')'
      end
   end
   if fixed then return end

   function Up:__tostring__()
      local list = {}
      for _, field in ipairs { 'odepth', 'oheight', 'owidth' } do list[#list + 1] = self[field] end
      local size = self.scale_factor and ('%dx'):format(self.scale_factor) or table.concat(list, 'x')
      return ('%s(%s, %s)'):format(torch.type(self), size, self.mode)
   end

end
