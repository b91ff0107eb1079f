-- nn.SpatialUpSamplingNearest, nn.SpatialUpSamplingBilinear and nn.UpSampling: larger planes, with repeated
-- elements, or by linear interpolation with aligned corners.

local ffi = require 'ffi'
local torch = require 'torch'
local expect, kernel = require 'nn.checks.expect', require 'nn.kernels.kernel'
local geometry = require 'nn.checks.geometry'
local lib = require 'torch.native.kernels' 'nn/interpolation'
local fail, describe = expect.fail, expect.describe

local call = ffi.new 't7_interpolation'
local forward = { nearest = kernel.functions(lib, 't7_repeat'), linear = kernel.functions(lib, 't7_interpolate') }
local backward = { nearest = kernel.functions(lib, 't7_repeat_backward'),
   linear = kernel.functions(lib, 't7_interpolate_backward') }

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
         local scale = self.scale_factor and geometry.integer(self, 'scale_factor', self.scale_factor, 1)
         local size = scale and from[at] * scale or list[3 - n + d] or from[at]
         to[at] = geometry.integer(self, 'output size', size, 1)
      end
      self.inputSize, self.outputSize = from, to
   end

   local wanted = {}

   -- Checks the input, and sets the call.
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
      for d = 0, 2 do
         local at, inside = count - 2 + d, d >= 3 - n
         call.size[d], call.out[d] = inside and x._size[at - 1] or 1, inside and wanted[at] or 1
      end
      call.planes = planes
   end

   function Up:updateOutput(input)
      local k = kernel.of(self, input)
      prepare(self, input)
      local y = geometry.resized(k, self.output, wanted, input._dim)
      self.output = y
      local x = k.as_contiguous(input)
      forward[self.mode == 'nearest' and 'nearest' or 'linear'][k](call, k.ptr(x), k.ptr(y))
      k.keep_alive(x, y)
      return y
   end

   function Up:updateGradInput(input, gradOutput)
      if not self.gradInput then return end
      local k = kernel.of(self, input)
      prepare(self, input)
      geometry.check_gradient(self, k, gradOutput, wanted, input._dim)
      local r = k.resize_as(self.gradInput, input)
      local g = k.as_contiguous(gradOutput)
      backward[self.mode == 'nearest' and 'nearest' or 'linear'][k](call, k.ptr(g), k.ptr(r))
      k.keep_alive(g, r)
      return r
   end

   if fixed == 'linear' then
      function Up:__tostring__()
         local sizes_of = self.scale_factor and string.format('%d', self.scale_factor)
            or string.format('%d, %d', self.oheight, self.owidth)
         return torch.type(self) .. '(' .. sizes_of .. ')'
      end
   end
   if fixed then return end

   function Up:__tostring__()
      local list = {}
      for _, field in ipairs { 'odepth', 'oheight', 'owidth' } do list[#list + 1] = self[field] end
      local size = self.scale_factor and string.format('%dx', self.scale_factor) or table.concat(list, 'x')
      return string.format('%s(%s, %s)', torch.type(self), size, self.mode)
   end

end
